/** The law of outages: failures of a run in which much failed at once are statistics and no verdict (`Outage`). */
import { type Report, Repository } from "@lazaret/domain"
import { ExecutionStore, FailureStore, RepositoryStore } from "@lazaret/store"
import { Effect, Option } from "effect"
import { Ask, Case, Law, Sample, Upload } from "../law/index.ts"

/** A job run of this many failed and passed tests; the first is the sample test. Its commit is its key. */
const run = (
  key: string,
  daysAgo: number,
  counts: { readonly failed: number; readonly passed?: number },
  context: Partial<Report.RunContext> = {}
): Report.Report => {
  const at = Sample.daysAgo(daysAgo)
  const others = Array.from({ length: counts.failed + (counts.passed ?? 0) - 1 }, (_, index) => `other ${index}`)
  const executions = [Sample.testName, ...others].map((testName, index) =>
    index < counts.failed ? Sample.refused({ testName, at }) : { testName, at }
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

const set = (ref: Repository.RepositoryRef, outage: Repository.RepositorySettings["outage"]) =>
  RepositoryStore.use((store) => store.set(ref, { ...Repository.defaultSettings, outage }, Sample.noon))

/** Checks that a run in which some of the tests fail that passed on the commit before is, or is not, an outage. */
const isOutage = (failed: number, passedBefore: number, expected: boolean) =>
  Effect.gen(function* () {
    const ref = yield* Case.repository
    const passed = passedBefore - failed
    yield* Upload.all(ref, [run("good", 2, { failed: 0, passed: passedBefore }), run("bad", 1, { failed, passed })])
    yield* isExcused(ref, [false, expected])
    yield* Law.equal(
      yield* Ask.status(ref),
      expected ? "healthy" : "broken",
      `health after ${failed} failures of ${passedBefore} tests that passed`
    )
  })

const good = { failed: 0, passed: 6 }
const outage = { failed: 5, passed: 1 }

/** The cases of outages. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.law("ExecutionStore", "3 failures among the tests that passed before, and 5 % of them, are an outage", () =>
    Effect.all([
      isOutage(3, 3, true),
      isOutage(2, 3, false),
      isOutage(3, 60, true),
      isOutage(3, 61, false),
      isOutage(4, 61, true)
    ])
  ),

  Case.make(
    "ExecutionStore",
    "without a reference nothing is an outage, and tests that failed there hit nothing",
    function* (ref) {
      yield* Upload.all(ref, [run("first", 4, outage), run("second", 3, outage), run("third", 2, { failed: 6 })])
      yield* isExcused(ref, [false, false, false])
      yield* Law.equal(yield* Ask.status(ref), "broken")
    }
  ),

  Case.make(
    "ExecutionStore",
    "most failures with an error of their own exclude an outage, however the run is cut",
    function* (ref) {
      const names = [Sample.testName, "other 0", "other 1", "other 2", "other 3"]
      const at = Sample.daysAgo(1)
      const failing = (own: number) =>
        names.map((testName, index) => {
          const exception = { type: "AssertionError", message: `expected ${testName} to be shown`, stacktrace: null }
          return index < own ? Sample.failure({ testName, at, exception }) : Sample.refused({ testName, at })
        })
      yield* Upload.all(ref, [run("c0", 2, good)])
      yield* Upload.one(ref, "first", { commit: "c1", runId: "1" }, failing(3).slice(0, 3))
      yield* isExcused(ref, [false, false])
      yield* Law.equal(yield* Ask.status(ref), "broken")
      yield* Upload.one(ref, "rest", { commit: "c1", runId: "1" }, failing(3).slice(3))
      yield* isExcused(ref, [false, false])
      const other = { ...ref, repository: `${ref.repository}-other` }
      yield* Upload.all(other, [run("c0", 2, good)])
      yield* Upload.one(other, "first", { commit: "c1", runId: "1" }, failing(2).slice(0, 3))
      yield* isExcused(other, [false, false])
      yield* Upload.one(other, "rest", { commit: "c1", runId: "1" }, failing(2).slice(3))
      yield* isExcused(other, [false, true])
    }
  ),

  Case.make("ExecutionStore", "the share of failures of an outage is met exactly", function* (ref) {
    yield* set(ref, { failedTests: 7, failedShare: 0.07 })
    yield* Upload.all(ref, [run("good", 3, { failed: 0, passed: 100 }), run("exact", 2, { failed: 7, passed: 93 })])
    yield* isExcused(ref, [false, true])
  }),

  Case.make("ExecutionStore", "failures of an outage count in every statistic and not in health", function* (ref) {
    yield* Upload.all(ref, [run("c0", 2, good), run("down", 1, outage)])
    const { lastConclusion, lastFailureAt, recent, state } = yield* Ask.record(ref)
    yield* Law.equal([state.status, state.onset, state.failureAt, state.cleanPasses], ["healthy", null, null, 1])
    yield* Law.equal([recent.passed, recent.failed, recent.reruns], [1, 1, 0])
    yield* Law.equal([lastConclusion, lastFailureAt], ["failed", Sample.daysAgo(1)])
    const rows = yield* Ask.rows(ref, { sort: "failed_executions_ratio", direction: "asc" })
    const row = rows.find(({ testName }) => testName === Sample.testName)
    yield* Law.equal([row?.failedExecutionsRatio, row?.failedExecutionsImpact], [0.5, null])
    const groups = yield* FailureStore.use((store) => store.list(ref, Sample.testId))
    yield* Law.equal(
      Option.map(groups, (list) => list.map(({ failureCount }) => failureCount)),
      Option.some([1])
    )
  }),

  Case.make("ExecutionStore", "only the failed executions of an outage are excused", function* (ref) {
    yield* Upload.all(ref, [run("c0", 2, good)])
    const failures = [0, 1, 2, 3].map((index) => Sample.failure({ testName: `other ${index}` }))
    yield* Upload.one(ref, "r", {}, [{ durationMs: 1 }, { conclusion: "skipped" }, ...failures])
    yield* isExcused(ref, [false, false, false])
    const { state } = yield* Ask.record(ref)
    yield* Law.equal(state.cleanPasses, 2)
  }),

  Case.make("ExecutionStore", "outages are excused on two commits in a row and count from the third", function* (ref) {
    const runs = [run("c0", 5, good), run("first", 4, outage), run("second", 3, outage), run("third", 2, outage)]
    const statuses: Array<string> = []
    for (const each of [...runs, run("fourth", 1, outage)]) {
      yield* Upload.all(ref, [each])
      statuses.push(yield* Ask.status(ref))
    }
    yield* isExcused(ref, [false, true, true, false, false])
    yield* Law.equal(statuses, ["healthy", "healthy", "healthy", "broken", "broken"])
  }),

  Case.make(
    "ExecutionStore",
    "the first excused failure of a row opens the episode that the third commit begins",
    function* (ref) {
      yield* Upload.all(ref, [run("c0", 5, good), run("first", 4, outage), run("second", 3, outage)])
      yield* Upload.all(ref, [run("third", 2, outage)])
      const { state } = yield* Ask.record(ref)
      yield* Law.equal([state.onset?.commit, state.episode?.commit, state.trigger?.commit], ["first", "first", "third"])
    }
  ),

  Case.make("ExecutionStore", "a run again of a commit in an outage is excused with it", function* (ref) {
    yield* Upload.all(ref, [
      run("c0", 6, good),
      run("first", 5, outage),
      run("again 1", 4, outage, { commit: "first", runAttempt: 2 }),
      run("second", 3, outage),
      run("again 2", 2, outage, { commit: "second", runAttempt: 2 }),
      run("third", 1, outage)
    ])
    yield* isExcused(ref, [false, true, true, true, true, false])
  }),

  Case.make("ExecutionStore", "a run that is not an outage ends the row", function* (ref) {
    yield* Upload.all(ref, [
      run("c0", 6, good),
      run("first", 5, outage),
      run("second", 4, outage),
      run("fine", 3, { failed: 1, passed: 5 }),
      run("third", 2, outage)
    ])
    yield* isExcused(ref, [false, true, true, false, true])
  }),

  Case.make(
    "ExecutionStore",
    "a commit on which less than half of the tests ran is not a reference and ends no row",
    function* (ref) {
      yield* Upload.all(ref, [
        run("c0", 6, good),
        run("first", 5, outage),
        run("part", 4, { failed: 0, passed: 2 }),
        run("second", 3, outage),
        run("half", 2, { failed: 0, passed: 3 }),
        run("third", 1, outage)
      ])
      yield* isExcused(ref, [false, true, false, true, false, true])
    }
  ),

  Case.make("ExecutionStore", "a failure in an outage that counts does not make a test flaky", function* (ref) {
    yield* Upload.all(ref, [run("c0", 6, good), run("first", 5, outage), run("second", 4, outage)])
    yield* Upload.all(ref, [run("third", 3, outage), run("again", 2, good, { commit: "third", runAttempt: 2 })])
    yield* Law.equal(yield* Ask.status(ref), "broken")
    yield* Upload.all(ref, [run("fourth", 1, good), run("fifth", 0, good)])
    const { state } = yield* Ask.record(ref)
    yield* Law.equal([state.status, state.rule], ["healthy", "passes_in_a_row"])
  }),

  Case.make(
    "ExecutionStore",
    "a reference that arrives late excuses, and one that is larger takes the excuse away",
    function* (ref) {
      yield* Upload.all(ref, [run("down", 1, { failed: 3, passed: 3 })])
      yield* Law.equal(yield* Ask.status(ref), "broken")
      yield* Upload.all(ref, [run("c0", 3, good)])
      yield* isExcused(ref, [false, true])
      yield* Law.equal(yield* Ask.status(ref), "healthy")
      const others = Array.from({ length: 55 }, (_, index) => ({ testName: `more ${index}`, at: Sample.daysAgo(3) }))
      yield* Upload.one(ref, "rest", { ...run("c0", 3, good).run }, others)
      yield* isExcused(ref, [false, false])
      yield* Law.equal(yield* Ask.status(ref), "broken")
    }
  ),

  Case.make("ExecutionStore", "an outage cut into uploads is one as soon as its uploads make it one", function* (ref) {
    yield* Upload.all(ref, [run("c0", 2, good)])
    const whole = run("cut", 1, { failed: 3 })
    const upload = (index: number) =>
      Sample.report(`upload ${index}`, { ...whole.run }, whole.executions.slice(index, index + 1))
    yield* Upload.all(ref, [0, 1].map(upload))
    yield* isExcused(ref, [false, false])
    yield* Law.equal(yield* Ask.status(ref), "broken")
    yield* Upload.all(ref, [upload(2)])
    yield* isExcused(ref, [false, true])
    yield* Law.equal(yield* Ask.status(ref), "healthy")
  }),

  Case.make(
    "ExecutionStore",
    "a failure on one commit alone is a flake, unless many tests failed with it",
    function* (ref) {
      yield* Upload.all(ref, [run("c0", 3, { failed: 0, passed: 200 }), run("c1", 2, { failed: 1, passed: 199 })])
      yield* Upload.all(ref, [run("c2", 1, { failed: 0, passed: 200 })])
      const { state } = yield* Ask.record(ref)
      yield* Law.equal([state.status, state.rule], ["flaky", "single_failure"])
      const others = [0, 1, 2].map((index) => Sample.failure({ testName: `failing ${index}`, at: Sample.daysAgo(2) }))
      yield* Upload.one(ref, "rest", { ...run("c1", 2, good).run }, others)
      yield* Law.equal(yield* Ask.status(ref), "broken")
    }
  ),

  Case.make("ExecutionStore", "runs that differ in run id, attempt, commit or branch are not one run", function* (ref) {
    const half = { failed: 2 }
    const rest = (commit: string, context: Partial<Report.RunContext>) =>
      Sample.report(
        `rest of ${commit} ${JSON.stringify(context)}`,
        { ...run(commit, 1, half, context).run },
        ["other 1", "other 2"].map((testName) => Sample.refused({ testName, at: Sample.daysAgo(1) }))
      )
    yield* Upload.all(ref, [
      run("c0", 6, good),
      run("a", 1, half, { runId: "1" }),
      rest("a", { runId: "1", runAttempt: 2 }),
      rest("a", { runId: "2" }),
      rest("b", { runId: "1" }),
      rest("a", { runId: "1", branch: "topic" })
    ])
    yield* isExcused(ref, [false, false])
    yield* Upload.all(ref, [rest("a", { runId: "1" })])
    yield* isExcused(ref, [false, true])
  }),

  Case.make("ExecutionStore", "runs of other pipelines, jobs and branches are not references", function* (ref) {
    yield* Upload.all(ref, [
      run("a", 6, good, { pipelineName: "nightly" }),
      run("b", 5, good, { jobName: "e2e" }),
      run("c", 4, good, { branch: "topic" }),
      run("d", 3, good, { baseBranch: "main" }),
      run("e", 2, good, { branch: "gh-readonly-queue/main/pr-1" })
    ])
    const other = yield* Case.repository
    yield* Upload.all(other, [run("f", 3, good)])
    yield* Upload.all(ref, [run("g", 1, outage)])
    const records = yield* Ask.records(ref)
    yield* Law.equal(
      records.map(({ identity, state }) => [identity.jobName, identity.pipelineName, state.status]),
      records.map(({ identity: { jobName, pipelineName } }) => {
        const isOfRun = jobName === "unit" && pipelineName === "CI"
        return [jobName, pipelineName, isOfRun ? "broken" : "healthy"]
      })
    )
  }),

  Case.make(
    "ExecutionStore",
    "an outage policy that is set holds for the whole history at once, and so does its end",
    function* (ref) {
      yield* Upload.all(ref, [run("c0", 3, good), run("r", 1, { failed: 2, passed: 4 })])
      yield* isExcused(ref, [false, false])
      yield* set(ref, { failedTests: 2 })
      yield* isExcused(ref, [false, true])
      yield* Law.equal(yield* Ask.status(ref), "healthy")
      yield* set(ref, { failedTests: 2, excusedCommits: 0 })
      yield* isExcused(ref, [false, false])
      yield* Law.equal(yield* Ask.status(ref), "broken")
      yield* set(ref, {})
      yield* isExcused(ref, [false, false])
      yield* Law.equal(yield* Ask.status(ref), "broken")
    }
  )
]
