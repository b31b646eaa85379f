/** Drivers whose answers about tests, failures, removal and upkeep are wrong. */
import { Instant, JobRecord, type Repository, Retention, TestFilter, TimeWindow } from "@lazaret/domain"
import { Effect, Option, Struct } from "effect"
import { type Broken, type Engine, withBase, withFacts, withRuns } from "./Broken.ts"

/** Drivers whose answers about tests, failures, removal and upkeep are wrong. */
export const ofAnswers: ReadonlyArray<Broken> = [
  {
    fault: "fills the first and the last bucket beyond the window",
    law: "buckets are those of the domain and hold what is in the window, for random instants and every size",
    change: (driver) => ({
      ...driver,
      executions: {
        ...driver.executions,
        rollups: (ref, testId, window, width) =>
          driver.executions.rollups(ref, testId, TimeWindow.widen(window, width), width)
      }
    })
  },
  {
    fault: "counts the end of a window as part of it",
    law: "a window holds its first millisecond and not the one after its last",
    change: (driver) => ({
      ...driver,
      executions: {
        ...driver.executions,
        counts: (ref, testId, { end, start }) => driver.executions.counts(ref, testId, { start, end: end + 1 })
      }
    })
  },
  {
    fault: "leaves out the start of a window",
    law: "each test has its own executions, also in one job, and only those in the window",
    change: (driver) => ({
      ...driver,
      executions: {
        ...driver.executions,
        within: (ref, testIds, { end, start }) => driver.executions.within(ref, testIds, { start: start + 1, end })
      }
    })
  },
  {
    fault: "passes over an execution that finished at the instant asked for",
    law: "the first execution from an instant on is found, of the default branch alone",
    change: (driver) => ({
      ...driver,
      executions: { ...driver.executions, firstAt: (ref, since) => driver.executions.firstAt(ref, since + 1) }
    })
  },
  {
    fault: "leaves out the commits that finished at the instant asked for",
    law: "commits are listed by the end of their latest job run, with the outcome of the latest run of each job",
    change: (driver) => ({
      ...driver,
      triage: { ...driver.triage, commits: (ref, since) => driver.triage.commits(ref, since + 1) }
    })
  },
  {
    fault: "knows every test",
    law: "a test that ran on other branches only is unknown to every question",
    change: (driver) => ({
      ...driver,
      executions: {
        ...driver.executions,
        changes: (ref, testId) =>
          Effect.map(driver.executions.changes(ref, testId), (found) => Option.orElse(found, () => Option.some([])))
      }
    })
  },
  {
    fault: "searches without its filter",
    law: "a pattern is case-sensitive, matches the whole name, and has two wildcards",
    change: (driver) => ({
      ...driver,
      tests: { ...driver.tests, page: (ref, query) => driver.tests.page(ref, { ...query, filter: TestFilter.all }) }
    })
  },
  {
    fault: "sorts in one direction only",
    law: "names are in code-point order: cases, digits, underscores, accents and astral characters",
    change: (driver) => ({
      ...driver,
      tests: { ...driver.tests, page: (ref, query) => driver.tests.page(ref, { ...query, direction: "asc" }) }
    })
  },
  {
    fault: "counts tests whatever their status",
    law: "a count has the identities of a status, and their failures per UTC day, today last",
    change: (driver) => ({
      ...driver,
      tests: { ...driver.tests, count: (ref, query) => driver.tests.count(ref, { ...query, status: null }) }
    })
  },
  {
    fault: "answers for yesterday",
    law: "the identities of a test are in the order of identities, each with what is its own",
    change: (driver) => ({
      ...driver,
      tests: { ...driver.tests, get: (ref, testId, now) => driver.tests.get(ref, testId, now - Instant.day) }
    })
  },
  {
    fault: "keeps the rows about a removed test",
    law: "of a removed test nothing is left, and other tests keep everything",
    change: (driver) => ({
      ...driver,
      forget: (operation, ref, testId) => driver.forget(operation, ref, testId, () => Effect.succeed(0))
    })
  },
  {
    fault: "lists the tests of every file",
    law: "the list knows the file that the reports of a test name, and finds tests by it",
    change: (driver) => ({
      ...driver,
      tests: { ...driver.tests, list: (ref, query, now) => driver.tests.list(ref, { ...query, files: null }, now) }
    })
  },
  {
    fault: "counts no quarantined test of a file",
    law: "a file counts its tests by health, and those in quarantine",
    change: (driver) => ({
      ...driver,
      tests: { ...driver.tests, files: (ref, _, now) => driver.tests.files(ref, new Set(), now) }
    })
  },
  {
    fault: "counts the time of the flaky runs twice",
    law: "the runs that flaky tests alone made red took the time of all their tests",
    change: (driver) => ({
      ...driver,
      tests: {
        ...driver.tests,
        runs: (ref, now) =>
          Effect.map(driver.tests.runs(ref, now), (days) => days.map((day) => ({ ...day, flakyUs: 2 * day.flakyUs })))
      }
    })
  },
  {
    fault: "lists failures in the order of their ids",
    law: "groups that failed last come first, and those of one instant are in the order of their ids",
    change: (driver) => ({
      ...driver,
      failures: {
        ...driver.failures,
        list: (ref, testId) =>
          Effect.map(
            driver.failures.list(ref, testId),
            Option.map((groups) => groups.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
          )
      }
    })
  },
  {
    fault: "does not know the reruns of a failure",
    law: "executions on the same commit are reruns in the same job and siblings in others",
    change: (driver) => withFacts(driver, () => ({ reruns: [] }))
  },
  {
    fault: "compares a pull request with later runs of the base",
    law: "a row of failures on the base has the signature of the last one, whatever came later",
    change: (driver) =>
      withFacts(driver, ({ rows }) => ({
        rows: rows.map((row) => ({ ...row, conclusion: "passed", signature: null }))
      }))
  },
  {
    fault: "sees the failures of one branch only",
    law: "the same failing tests are found on other branches",
    change: (driver) => withFacts(driver, () => ({ elsewhere: [] }))
  },
  {
    fault: "takes the runs of every fork",
    law: "a run of a fork counts for a commit only where the platform names it, and no run of the repository or head of its own is there",
    change: (driver) => ({
      ...driver,
      triage: {
        ...driver.triage,
        failures: (ref, subject, windows) =>
          Effect.map(
            driver.triage.failures(ref, subject, windows),
            Option.map((found) => ({ ...found, runs: [...found.runs, ...found.forks], forks: [] }))
          )
      }
    })
  },
  {
    fault: "lets the failures of forks fill the list",
    law: "however often a fork fails, it hides nothing that others reported",
    change: (driver) => withFacts(driver, ({ test }) => ({ test: { ...test, flakes: [] } }))
  },
  {
    fault: "loses the test that a failure is an attempt of",
    law: "a failure that its report proves to be an attempt of another test names this test, others name none",
    change: (driver) => withFacts(driver, ({ failure }) => ({ failure: Struct.omit(failure, ["attemptOf"]) }))
  },
  {
    fault: "finds no job of a failure",
    law: "the record of a job has its earlier runs of the default branch with the tests that failed in them",
    change: (driver) => withRuns(driver, () => ({ record: JobRecord.empty }))
  },
  {
    fault: "lists a test as failed that passed in the same run",
    law: "the record of a job has its earlier runs of the default branch with the tests that failed in them",
    change: (driver) => withBase(driver, (run) => ({ failures: run.failed === 2 ? ["a", "b"] : run.failures }))
  },
  {
    fault: "names the tests of a run in which very many failed",
    law: "the record of a job holds its latest runs, and no tests of a run in which very many failed",
    change: (driver) => withBase(driver, ({ failures }) => ({ failures: failures ?? [] }))
  },
  {
    fault: "counts the second attempts on other branches",
    law: "first attempts on other branches are counted without forks and the failure's own branch",
    change: (driver) =>
      withRuns(driver, ({ record }) => ({ record: { ...record, others: { runs: record.others.runs + 1, red: 2 } } }))
  },
  {
    fault: "finds no outage",
    law: "outages before a failure are known with their most frequent messages",
    change: (driver) => withRuns(driver, () => ({ outages: [] }))
  },
  {
    fault: "sorts the messages of outages by name",
    law: "outages before a failure are known with their most frequent messages",
    change: (driver) =>
      withRuns(driver, ({ outages }) => ({
        outages: outages.map((one) => ({ ...one, signatures: one.signatures.toReversed() }))
      }))
  },
  {
    fault: "keeps the judgement on runs that the settings change",
    law: "runs of the record that health judges as outages say so, by the settings that hold",
    change: (driver) => withBase(driver, ({ commit }) => ({ isOutage: commit === "bad" }))
  },
  {
    fault: "excuses outages of pull requests",
    law: "a job run is compared with its reference on the default branch, and lacks its tests",
    change: (driver) =>
      withRuns(driver, ({ judgement }) => ({
        judgement: judgement === null ? null : { ...judgement, isExcused: judgement.isOutage }
      }))
  },
  {
    fault: "does not see which tests a run lacks",
    law: "a job run is compared with its reference on the default branch, and lacks its tests",
    change: (driver) => withRuns(driver, () => ({ missing: null }))
  },
  {
    fault: "takes what followed on the default branch for a pull request",
    law: "a failure on the default branch has its outcomes in the runs that followed there",
    change: (driver) =>
      withFacts(driver, ({ failure, next }) => ({
        next: failure.isPullRequest
          ? [{ conclusion: "passed", commit: "m5", at: failure.at + 1, isOutage: false, signature: null }]
          : next
      }))
  },
  {
    fault: "does not see that a file loads again",
    law: "a failure stands for a file when tests of it ran on the reference and none of them in its run",
    change: (driver) =>
      withFacts(driver, ({ failure, unloaded }) => ({ unloaded: failure.commit === "r" ? null : unloaded }))
  },
  {
    fault: "counts the uploads that showed a message",
    law: "the job runs that showed a message before are counted once, however they were uploaded",
    change: (driver) => withFacts(driver, ({ seen }) => ({ seen: seen === 2 ? 4 : seen }))
  },
  {
    fault: "lets forks make a message known",
    law: "forks do not make a message known, however often they show it",
    change: (driver) => withFacts(driver, () => ({ seen: JobRecord.bounds.seen }))
  },
  {
    fault: "counts the executions of the day of the failure",
    law: "the totals of a test are those of the days before, as far as they are kept",
    change: (driver) =>
      withFacts(driver, ({ totals }) => ({ totals: totals === null ? null : { ...totals, passed: totals.passed + 1 } }))
  },
  {
    fault: "knows no job that is asked about a new test",
    law: "a job run that no report has brought has the record of its job, and no judgement",
    change: (driver) => ({
      ...driver,
      triage: {
        ...driver.triage,
        asked: (ref, asked, windows) =>
          Effect.map(driver.triage.asked(ref, asked, windows), (found) =>
            found.map((facts) => ({ ...facts, run: JobRecord.unknownRun }))
          )
      }
    })
  },
  {
    fault: "judges job runs by the last piece that came",
    law: "the facts on a job run are the same when a report comes in pieces, and in another order",
    change: (driver) => withRuns(driver, () => ({ missing: 1 }))
  },
  {
    fault: "yields the signatures of all tests for each",
    law: "the signatures of a test are those up to an instant, without those of forks",
    change: (driver) => ({
      ...driver,
      triage: {
        ...driver.triage,
        signatures: (ref, wanted) =>
          Effect.map(driver.triage.signatures(ref, wanted), (found) => wanted.map(() => found.flat()))
      }
    })
  },
  {
    fault: "does not know what contradicts itself on other branches",
    law: "a contradiction is named with its branch, its run and the execution that completed it",
    change: (driver) => ({
      ...driver,
      executions: {
        ...driver.executions,
        history: (ref, testId) =>
          Effect.map(
            driver.executions.history(ref, testId),
            Option.map((list) => list.map((each) => ({ ...each, contradictions: [] })))
          )
      }
    })
  },
  {
    fault: "counts the contradictions of other branches whatever is set",
    law: "a setting leaves other branches out, for the whole history at once, and so does its end",
    change: (driver) => ({
      ...driver,
      configure: (operation, ref, at, decide) =>
        driver.configure(operation, ref, at, (held) =>
          Effect.map(decide(held), (settings) => ({ ...settings, flakinessEvidence: "every_branch" as const }))
        )
    })
  },
  {
    fault: "drops nothing",
    law: "what finished before the horizon is not taken any more, and changes nothing",
    change: (driver) => ({
      ...driver,
      retention: { ...driver.retention, drop: () => Effect.succeed({ reports: 0, identities: 0 }) }
    })
  },
  {
    fault: "drops a week too much",
    law: "a horizon is the start of a week, exact to the millisecond",
    change: (driver) => ({
      ...driver,
      retention: { ...driver.retention, drop: (ref, horizon) => driver.retention.drop(ref, horizon + Retention.week) }
    })
  },
  {
    fault: "finds a difference that does not exist",
    law: "verify finds nothing after any commands, and a refold changes no answer",
    change: (driver) => ({
      ...driver,
      upkeep: { ...driver.upkeep, verify: () => Effect.succeed([{ kind: "health", place: "nowhere" }]) }
    })
  },
  {
    fault: "computes nothing again",
    law: "nothing is known of a repository for which nothing was ever written",
    change: (driver) => ({ ...driver, upkeep: { ...driver.upkeep, refold: () => Effect.succeed(true) } })
  },
  {
    fault: "takes everything for outdated",
    law: "what this version has computed is not outdated",
    change: (driver) => {
      const refs: Array<Repository.RepositoryRef> = []
      const append: Engine["executions"]["append"] = (ref, report) =>
        Effect.suspend(() => (refs.push(ref), driver.executions.append(ref, report)))
      return {
        ...driver,
        executions: { ...driver.executions, append },
        upkeep: { ...driver.upkeep, outdated: Effect.sync(() => refs) }
      }
    }
  }
]
