/** Drivers whose facts on causes, cost, missing tests and the times of jobs are wrong. */
import { type CauseFacts, type CostFacts, type MissingFacts, TestSet } from "@lazaret/domain"
import type { View } from "@lazaret/store"
import { Effect } from "effect"
import { type Broken, type Engine, unserialised, withTransactions, withViews } from "./Broken.ts"

const withCause = (driver: Engine, change: (facts: CauseFacts.CauseFacts) => CauseFacts.CauseFacts): Engine => ({
  ...driver,
  causeFacts: (ref) => Effect.map(driver.causeFacts(ref), change)
})

const withCost = (driver: Engine, change: (run: CostFacts.CostRun) => CostFacts.CostRun): Engine => ({
  ...driver,
  costFacts: (ref, since) =>
    Effect.map(driver.costFacts(ref, since), ({ from, runs }) => ({ from, runs: runs.map(change) }))
})

const withJobs = (driver: Engine, change: (job: MissingFacts.JobHistory) => MissingFacts.JobHistory): Engine => ({
  ...driver,
  histories: (ref, query, judge) => driver.histories(ref, query, (group) => judge(group.map(change)))
})

/** Removes no rows of a table by conditions on a column. */
const withoutRemoval = (driver: Engine, name: string, column: string): Engine =>
  withTransactions(driver, ({ remove }) => ({
    remove: (table, where) =>
      table.name === name && where.some(([field]) => field === column) ? Effect.succeed(0) : remove(table, where)
  }))

/** Finds no rows of a table. */
const without = (driver: Engine, name: string): Engine => {
  const change = ({ select }: Pick<View, "select">): Pick<View, "select"> => ({
    select: (table, query) => (table.name === name ? Effect.succeed([]) : select(table, query))
  })
  return withViews(withTransactions(driver, change), change)
}

/** Drivers whose facts on causes, cost, missing tests and the times of jobs are wrong. */
export const ofInsight: ReadonlyArray<Broken> = [
  {
    fault: "reads no stack traces",
    law: "a failure has its innermost frame of own code outside of its test",
    change: (driver) =>
      withCause(driver, (facts) => ({
        ...facts,
        runs: facts.runs.map((run) => ({ ...run, failed: run.failed.map((each) => ({ ...each, frame: null })) }))
      }))
  },
  {
    fault: "knows no pass of the same code",
    law: "the facts on cost are the job runs of all branches but forks, with what failed or ran again in them",
    change: (driver) =>
      withCost(driver, (run) => ({ ...run, tests: run.tests.map((test) => ({ ...test, hasPassed: false })) }))
  },
  {
    fault: "cuts the names of tests that cost",
    law: "a deleted test is not in the facts on cost, and a long name is whole",
    change: (driver) =>
      withCost(driver, (run) => ({
        ...run,
        tests: run.tests.map((test) => ({ ...test, testName: test.testName.slice(0, 100) }))
      }))
  },
  {
    fault: "says that facts on cost go back to where they were asked from",
    law: "what retention has dropped is not in the facts on cost",
    change: (driver) => ({
      ...driver,
      costFacts: (ref, since) => Effect.map(driver.costFacts(ref, since), (facts) => ({ ...facts, from: since }))
    })
  },
  {
    fault: "knows no test of a job run",
    law: "the histories are the executed tests of each job run of the default branch",
    change: (driver) =>
      withJobs(driver, (job) => ({ ...job, runs: job.runs.map((run) => ({ ...run, ran: TestSet.empty })) }))
  },
  {
    fault: "puts the run that somebody asks about among those before it",
    law: "a run that somebody asks about is apart from those before it, on every branch",
    change: (driver) => withJobs(driver, (job) => ({ ...job, runs: [...job.runs, ...job.own] }))
  },
  {
    fault: "counts no skipped test",
    law: "a test has one number in all shards, and a run says how many tests it skipped",
    change: (driver) => ({
      ...driver,
      histories: (ref, query, judge) =>
        Effect.map(driver.histories(ref, query, judge), (groups) =>
          groups.map(({ found, value }) => ({ value, found: found.map(({ names }) => ({ names, skipped: 0 })) }))
        )
    })
  },
  {
    fault: "has no memory of slower tests",
    law: "rounds of slower tests are leased once, report each change once, and end with it",
    change: (driver) => without(driver, "slower_tests")
  },
  {
    fault: "finds stress runs of every test",
    law: "a stress run is stored once, and the latest ones of a test come first",
    change: (driver) =>
      withViews(driver, ({ select }) => ({
        select: (table, query) =>
          select(table, table.name === "stress_runs" && query.limit !== undefined ? { ...query, where: [] } : query)
      }))
  },
  {
    fault: "counts no stress run, and so keeps them without a bound",
    law: "of more stress runs than are kept the oldest are removed",
    change: (driver) =>
      withTransactions(driver, ({ count }) => ({
        count: (table, where) => (table.name === "stress_runs" ? Effect.succeed(0) : count(table, where))
      }))
  },
  {
    fault: "removes no stress run by its time",
    law: "a stress run is removed when its days are over",
    change: (driver) => withoutRemoval(driver, "stress_runs", "at")
  },
  {
    fault: "keeps the stress runs of a removed test",
    law: "a stress run follows an alias, and ends with its test and its repository",
    change: (driver) => ({
      ...driver,
      forget: (operation, ref, testId, body) =>
        driver.forget(operation, ref, testId, (transaction) =>
          body({
            ...transaction,
            remove: (table, where) =>
              table.name === "stress_runs" ? Effect.succeed(0) : transaction.remove(table, where)
          })
        )
    })
  },
  {
    fault: "finds the stress runs of every commit",
    law: "the stress runs on a commit are those of all its tests, the latest first",
    change: (driver) =>
      withViews(driver, ({ select }) => ({
        select: (table, query) =>
          select(
            table,
            table.name === "stress_runs"
              ? { ...query, where: query.where.filter(([column]) => column !== "commit") }
              : query
          )
      }))
  },
  {
    fault: "finds no plan of shards",
    law: "the first request of a run fixes its plan, and later requests do not change it",
    change: (driver) => without(driver, "shard_plans")
  },
  {
    fault: "lets two requests for a plan of shards read at once",
    law: "of concurrent first requests one fixes the plan, and all get it",
    change: unserialised
  },
  {
    fault: "has no memory of the plan before",
    law: "the plan of the next run keeps each piece in its shard of the latest plan",
    change: (driver) => without(driver, "latest_shard_plans")
  },
  {
    fault: "removes no plan of shards by its time",
    law: "a plan is deleted after the days in which a CI system may run its job again",
    change: (driver) => withoutRemoval(driver, "shard_plans", "at")
  },
  {
    fault: "finds times of jobs that ended before the instant asked for",
    law: "of two times of a job the one that ended last is kept, in a repository that exists",
    change: (driver) =>
      withViews(driver, ({ select }) => ({
        select: (table, query) => select(table, table.name === "job_times" ? { ...query, where: [] } : query)
      }))
  }
]
