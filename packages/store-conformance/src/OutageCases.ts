/** The law of outages: failures of a run in which much failed at once are statistics and no verdict (`Outage`). */
import { type Report, Repository } from "@lazaret/domain"
import { ExecutionStore, FailureStore, RepositoryStore } from "@lazaret/store"
import { Effect, Option } from "effect"
import * as Ask from "./Ask.ts"
import * as Case from "./Case.ts"
import * as Law from "./Law.ts"
import * as Sample from "./Sample.ts"
import * as Upload from "./Upload.ts"

/** A job run of this many failed and passed executions; the first is of the sample test. Its commit is its key. */
const run = (
  key: string,
  daysAgo: number,
  counts: { readonly failed: number; readonly passed?: number },
  context: Partial<Report.RunContext> = {}
): Report.Report => {
  const at = Sample.daysAgo(daysAgo)
  const others = Array.from({ length: counts.failed + (counts.passed ?? 0) - 1 }, (_, index) => `other ${index}`)
  const executions = [Sample.testName, ...others].map((testName, index) =>
    index < counts.failed ? Sample.failure({ testName, at }) : { testName, at }
  )
  return Sample.report(key, { commit: key, ...context }, executions)
}

const excusedOf = (ref: Repository.RepositoryRef) =>
  Effect.map(
    ExecutionStore.use((store) => store.history(ref, Sample.testId)),
    Option.map((list) => list.flatMap(({ executions }) => executions.map(({ excused }) => excused)))
  )

const isExcused = (ref: Repository.RepositoryRef, expected: ReadonlyArray<boolean>) =>
  Effect.flatMap(excusedOf(ref), (found) => Law.equal(found, Option.some(expected), "whether the failures are excused"))

/** That a run of N failures among M executions is, or is not, an outage. */
const isOutage = (failed: number, passed: number, expected: boolean) =>
  Effect.gen(function* () {
    const ref = yield* Case.repository
    yield* Upload.all(ref, [run("r", 1, { failed, passed })])
    yield* isExcused(ref, [expected])
    yield* Law.equal(
      yield* Ask.status(ref),
      expected ? "healthy" : "broken",
      `health after ${failed} of ${failed + passed}`
    )
  })

const outage = { failed: 5 }

/** The cases of outages. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make("ExecutionStore", "20 failures and 20 % of a run are an outage, and so are 5 that are all", () =>
    Effect.all([
      isOutage(20, 80, true),
      isOutage(20, 81, false),
      isOutage(19, 20, false),
      isOutage(5, 0, true),
      isOutage(4, 0, false),
      isOutage(5, 1, false)
    ])
  ),

  Case.make("ExecutionStore", "the share of failures of an outage is met exactly", (ref) =>
    Effect.gen(function* () {
      const outages = { failedTests: 7, failedShare: 0.07, allFailed: 1000 }
      yield* RepositoryStore.use((store) =>
        store.set(ref, { ...Repository.defaultSettings, outage: outages }, Sample.noon)
      )
      yield* Upload.all(ref, [run("exact", 2, { failed: 7, passed: 93 })])
      yield* isExcused(ref, [true])
    })
  ),

  Case.make("ExecutionStore", "failures of an outage count in every statistic and not in health", (ref) =>
    Effect.gen(function* () {
      yield* Upload.moments(ref, [["passed", "c0", 2]])
      yield* Upload.all(ref, [run("down", 1, outage)])
      const { lastConclusion, lastFailureAt, recent, state } = yield* Ask.record(ref)
      yield* Law.equal([state.status, state.onset, state.failureAt, state.cleanPasses], ["healthy", null, null, 1])
      yield* Law.equal([recent.passed, recent.failed, recent.reruns], [1, 1, 0])
      yield* Law.equal([lastConclusion, lastFailureAt], ["failed", Sample.daysAgo(1)])
      const [row] = yield* Ask.rows(ref, { sort: "failed_executions_ratio", direction: "asc" })
      yield* Law.equal([row?.failedExecutionsRatio, row?.failedExecutionsImpact], [0.5, null])
      const groups = yield* FailureStore.use((store) => store.list(ref, Sample.testId))
      yield* Law.equal(
        Option.map(groups, (list) => list.map(({ failureCount }) => failureCount)),
        Option.some([1])
      )
    })
  ),

  Case.make("ExecutionStore", "only the failed executions of an outage are excused", (ref) =>
    Effect.gen(function* () {
      const failures = Array.from({ length: 20 }, () => Sample.failure({ testName: "other" }))
      yield* Upload.one(ref, "r", {}, [{ durationMs: 1 }, { conclusion: "skipped" }, ...failures])
      yield* isExcused(ref, [false, false])
      const { state } = yield* Ask.record(ref)
      yield* Law.equal(state.cleanPasses, 1)
    })
  ),

  Case.make("ExecutionStore", "the second of two outages in a row on different commits counts in health", (ref) =>
    Effect.gen(function* () {
      yield* Upload.all(ref, [run("first", 3, outage), run("second", 2, outage), run("third", 1, outage)])
      yield* isExcused(ref, [true, false, false])
      yield* Law.equal(yield* Ask.status(ref), "broken")
    })
  ),

  Case.make(
    "ExecutionStore",
    "an outage after a rerun of its own commit is judged by the run of another commit",
    (ref) =>
      Effect.gen(function* () {
        yield* Upload.all(ref, [
          run("first", 3, outage),
          run("again 1", 2, outage, { commit: "first", runAttempt: 2 }),
          run("second", 1, outage),
          run("again 2", 0, outage, { commit: "second", runAttempt: 2 })
        ])
        yield* isExcused(ref, [true, true, false, false])
      })
  ),

  Case.make("ExecutionStore", "a run between two outages that is not an outage keeps both apart", (ref) =>
    Effect.gen(function* () {
      yield* Upload.all(ref, [
        run("first", 3, outage),
        run("fine", 2, { failed: 1, passed: 9 }),
        run("second", 1, outage)
      ])
      yield* isExcused(ref, [true, false, true])
    })
  ),

  Case.make("ExecutionStore", "a predecessor that arrives late takes the excuse away, and gives it back", (ref) =>
    Effect.gen(function* () {
      yield* Upload.all(ref, [run("third", 1, outage)])
      yield* Law.equal(yield* Ask.status(ref), "healthy")
      yield* Upload.all(ref, [run("first", 3, outage)])
      yield* isExcused(ref, [true, false])
      yield* Law.equal(yield* Ask.status(ref), "broken")
      yield* Upload.all(ref, [run("second", 2, { failed: 1, passed: 9 })])
      yield* isExcused(ref, [true, false, true])
    })
  ),

  Case.make("ExecutionStore", "an outage cut into uploads is one as soon as its uploads make it one", (ref) =>
    Effect.gen(function* () {
      const whole = run("cut", 1, outage)
      const upload = (index: number) =>
        Sample.report(`upload ${index}`, { ...whole.run }, whole.executions.slice(index, index + 1))
      yield* Upload.all(ref, [0, 1, 2, 3].map(upload))
      yield* isExcused(ref, [false])
      yield* Law.equal(yield* Ask.status(ref), "broken")
      yield* Upload.all(ref, [upload(4)])
      yield* isExcused(ref, [true])
      yield* Law.equal(yield* Ask.status(ref), "healthy")
    })
  ),

  Case.make("ExecutionStore", "a late upload that makes a run no outage any more takes the excuse away", (ref) =>
    Effect.gen(function* () {
      const whole = run("cut", 1, outage)
      yield* Upload.all(ref, [whole])
      yield* isExcused(ref, [true])
      yield* Upload.one(ref, "rest", { ...whole.run }, [{ testName: "passes", at: Sample.daysAgo(1) }])
      yield* isExcused(ref, [false])
      yield* Law.equal(yield* Ask.status(ref), "broken")
    })
  ),

  Case.make("ExecutionStore", "runs that differ in run id, attempt, commit or branch are not one run", (ref) =>
    Effect.gen(function* () {
      const half = { failed: 4 }
      yield* Upload.all(ref, [
        run("a", 5, half, { runId: "1" }),
        run("b", 4, half, { runId: "1", runAttempt: 2, commit: "a" }),
        run("c", 3, half, { runId: "2", commit: "a" }),
        run("d", 2, half, { runId: "1", commit: "d" }),
        run("e", 1, half, { runId: "1", branch: "topic", commit: "a" })
      ])
      yield* isExcused(ref, [false, false, false, false])
    })
  ),

  Case.make("ExecutionStore", "a run of another pipeline, job or branch is not a predecessor", (ref) =>
    Effect.gen(function* () {
      yield* Upload.all(ref, [
        run("a", 6, outage, { pipelineName: "nightly" }),
        run("b", 5, outage, { jobName: "e2e" }),
        run("c", 4, outage, { branch: "topic" }),
        run("d", 3, outage, { baseBranch: "main" }),
        run("e", 2, outage, { branch: "gh-readonly-queue/main/pr-1" })
      ])
      const other = yield* Case.repository
      yield* Upload.all(other, [run("f", 3, outage)])
      yield* Upload.all(ref, [run("g", 1, outage)])
      const records = yield* Ask.records(ref)
      yield* Law.equal(
        records.map(({ state }) => state.status),
        ["healthy", "healthy", "healthy"]
      )
    })
  ),

  Case.make(
    "ExecutionStore",
    "an outage policy that is set holds for the whole history at once, and so does its end",
    (ref) =>
      Effect.gen(function* () {
        yield* Upload.all(ref, [run("r", 1, { failed: 2 })])
        yield* isExcused(ref, [false])
        const set = (outages: Repository.RepositorySettings["outage"]) =>
          RepositoryStore.use((store) =>
            store.set(ref, { ...Repository.defaultSettings, outage: outages }, Sample.noon)
          )
        yield* set({ allFailed: 2 })
        yield* isExcused(ref, [true])
        yield* Law.equal(yield* Ask.status(ref), "healthy")
        yield* set({})
        yield* isExcused(ref, [false])
        yield* Law.equal(yield* Ask.status(ref), "broken")
      })
  )
]
