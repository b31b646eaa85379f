/** The law of what executions add up to (`Rollup`), and of what is kept of each. */
import { Contradiction, Health, HealthPolicy, HealthSeries, Instant, Rollup, TestId } from "@lazaret/domain"
import { ExecutionStore } from "@lazaret/store"
import { Effect, Option } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import { Ask, Case, JobRun, Law, Plain, Sample, Upload } from "../law/index.ts"

const day = (daysAgo: number) => {
  const end = Instant.startOfLastDays(Sample.daysAgo(daysAgo), 0)
  return { start: end - Instant.day, end }
}

const finished = (daysAgo: number) => ({ at: Sample.daysAgo(daysAgo) })

/** The flaky count of each of the last days, latest first. */
const flakyPerDay = (ref: Parameters<typeof Ask.total>[0], days: number) =>
  ExecutionStore.use((store) =>
    Effect.forEach(
      Array.from({ length: days }, (_, index) => index),
      (daysAgo) =>
        Effect.map(store.rollups(ref, Sample.testId, day(daysAgo), Instant.day), (found) =>
          Option.match(found, { onNone: () => null, onSome: (list) => list[0]?.flaky })
        )
    )
  )

/** The cases of rollups and of histories. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.law(
    "ExecutionStore",
    "a rollup counts every conclusion, over all identities of the test and no other test",
    (ref) =>
      Effect.gen(function* () {
        yield* Upload.one(ref, "r1", {}, [
          { durationMs: 10 },
          Sample.failure({ durationMs: 20, reruns: 2 }),
          { conclusion: "skipped" },
          { testName: "other" }
        ])
        yield* Upload.one(ref, "r2", { jobName: "e2e", commit: "c2" }, [{ durationMs: 30, flaky: true, reruns: 1 }])
        const expected = { executions: 4, passed: 2, failed: 1, skipped: 1, flaky: 2, reruns: 3, durationUs: 60_000 }
        yield* Law.equal(yield* Ask.total(ref), Option.some(expected))
      })
  ),

  Case.law(
    "ExecutionStore",
    "a series is the rollups and the changes of a test; an unknown test has no series",
    (ref) =>
      Effect.gen(function* () {
        yield* Upload.one(ref, "r1", {}, [finished(2)])
        yield* Upload.one(ref, "r2", { commit: "c2" }, [Sample.failure(finished(1))])
        const store = yield* ExecutionStore
        const window = { start: day(2).start, end: day(0).end }
        const rollups = yield* store.rollups(ref, Sample.testId, window, Instant.day)
        const changes = yield* store.changes(ref, Sample.testId)
        yield* Law.equal(
          yield* store.series(ref, Sample.testId, window, Instant.day),
          Option.zipWith(rollups, changes, (ofBuckets, ofIdentities) => ({ rollups: ofBuckets, changes: ofIdentities }))
        )
        yield* Law.equal(yield* store.series(ref, TestId.of("unknown"), window, Instant.day), Option.none())
      })
  ),

  Case.law("ExecutionStore", "each test has its own executions, also in one job, and only those in the window", (ref) =>
    Effect.gen(function* () {
      const tests = ["a", "b", "c", "d"]
      yield* Upload.one(ref, "r1", { commit: "c1" }, [
        { testName: "a", ...finished(3) },
        Sample.failure({ testName: "b", ...finished(2) }),
        { testName: "c", ...finished(9) }
      ])
      yield* Upload.one(ref, "r2", { commit: "c2" }, [
        { testName: "b", ...finished(1) },
        { testName: "d", ...finished(1) }
      ])
      yield* Upload.one(ref, "r3", { commit: "c3", jobName: "e2e" }, [{ testName: "b", ...finished(2) }])
      const window = { start: Sample.daysAgo(3), end: Sample.noon }
      const found = yield* ExecutionStore.use((store) =>
        store.within(ref, [...tests.slice(0, 3), "none"].map(TestId.of), window)
      )
      const shown = tests.map((test) =>
        Plain.sorted(
          (found.get(TestId.of(test)) ?? []).map(({ executions, identity }) => [
            identity.jobName,
            executions.map((each) => [each.commit, each.conclusion])
          ])
        )
      )
      const inUnit = [["c1", "failed"] as const, ["c2", "passed"] as const]
      yield* Law.equal<unknown>(
        [...shown, found.size],
        [
          [["unit", [["c1", "passed"]]]],
          Plain.sorted([
            ["unit", inUnit],
            ["e2e", [["c3", "passed"]]]
          ]),
          [],
          [],
          2
        ]
      )
    })
  ),

  Case.make(
    "ExecutionStore",
    "the first execution from an instant on is found, of the default branch alone",
    function* (ref) {
      const store = yield* ExecutionStore
      yield* Law.equal(yield* store.firstAt(ref, 0), Option.none(), "an unknown repository")
      yield* Upload.one(ref, "r0", { commit: "c0", branch: "topic", baseBranch: "main" }, [finished(9)])
      yield* Upload.one(ref, "r1", { commit: "c1", branch: "main" }, [finished(5)])
      yield* Upload.one(ref, "r2", { commit: "c2", branch: "main" }, [finished(2)])
      const first = Option.some(Sample.daysAgo(5))
      const second = Option.some(Sample.daysAgo(2))
      yield* Law.equal(yield* store.firstAt(ref, 0), first)
      yield* Law.equal(yield* store.firstAt(ref, Sample.daysAgo(5)), first, "inclusive")
      yield* Law.equal(yield* store.firstAt(ref, Sample.daysAgo(5) + 1), second)
      yield* Law.equal(yield* store.firstAt(ref, Sample.daysAgo(2) + 1), Option.none(), "after the last one")
    }
  ),

  Case.law(
    "ExecutionStore",
    "a failure that a pass contradicts is flaky, also when the pass lies outside the window",
    (ref) =>
      Effect.gen(function* () {
        yield* Upload.moments(ref, [
          ["passed", "before", 4],
          ["failed", "before", 2],
          ["failed", "after", 3],
          ["failed", "never", 1],
          ["flaky", "in job", 1],
          ["passed", "after", 0]
        ])
        yield* Law.equal(yield* flakyPerDay(ref, 5), [0, 1, 1, 1, 0])
      })
  ),

  Case.law(
    "ExecutionStore",
    "the passes that contradict a failure are not flaky, and skipped ones contradict nothing",
    (ref) =>
      Effect.gen(function* () {
        yield* Upload.moments(ref, [
          ["failed", "c1", 3],
          ["passed", "c1", 2],
          ["passed", "c1", 1],
          ["failed", "c2", 1],
          ["skipped", "c2", 0]
        ])
        yield* Law.equal(yield* flakyPerDay(ref, 4), [0, 0, 0, 1])
      })
  ),

  Case.law("ExecutionStore", "a pass contradicts a failure of its commit however long ago that was", (ref) =>
    Effect.gen(function* () {
      const between = Array.from({ length: 20 }, (_, index): Upload.Moment => ["passed", `b${index}`, 40 - index])
      yield* Upload.moments(ref, [["failed", "old", 60], ...between, ["passed", "old", 1]])
      const total = yield* Ask.total(ref)
      yield* Law.equal(
        Option.map(total, ({ flaky }) => flaky),
        Option.some(1)
      )
      const { state } = yield* Ask.record(ref)
      yield* Law.equal(state.status, "healthy", "health, which looks back on the latest commits only")
    })
  ),

  Case.law("ExecutionStore", "a pass of one identity does not contradict a failure of another", (ref) =>
    Effect.gen(function* () {
      yield* Upload.moments(ref, [["failed", "c1", 2]])
      yield* Upload.moments(ref, [["passed", "c1", 1]], { jobName: "e2e" })
      const total = yield* Ask.total(ref)
      yield* Law.equal(
        Option.map(total, ({ flaky }) => flaky),
        Option.some(0)
      )
    })
  ),

  Case.law("ExecutionStore", "of an execution every field is kept", (ref) =>
    Effect.gen(function* () {
      const exception = { type: "TypeError", message: "x is undefined", stacktrace: "at cart.ts:7" }
      const report = Sample.report("r", { commit: "c7", jobUrl: "https://ci.example/7" }, [
        { conclusion: "failed", exception, reruns: 2, durationMs: 1.5, at: Sample.noon + 1 },
        { conclusion: "failed", exception: { type: null, message: null, stacktrace: null }, at: Sample.noon + 2 },
        { flaky: true, reruns: 1, at: Sample.noon + 3 }
      ])
      yield* Upload.all(ref, [report])
      const common = {
        commit: "c7",
        runId: "r",
        jobUrl: "https://ci.example/7",
        excused: false,
        outage: false,
        many: false,
        flaky: false,
        reruns: 0
      }
      const failed = { ...common, conclusion: "failed", durationMs: 1000, exceptionType: null } as const
      const passed = { ...failed, conclusion: "passed" } as const
      const history = yield* ExecutionStore.use((store) => store.history(ref, Sample.testId))
      const executions = [
        {
          ...failed,
          id: `${report.id}.0`,
          at: Sample.noon + 1,
          durationMs: 1.5,
          reruns: 2,
          exceptionType: "TypeError"
        },
        { ...failed, id: `${report.id}.1`, at: Sample.noon + 2 },
        { ...passed, id: `${report.id}.2`, at: Sample.noon + 3, flaky: true, reruns: 1 }
      ]
      const identity = { testName: Sample.testName, pipelineName: "CI", jobName: "unit" }
      yield* Law.equal(history, Option.some([{ identity, base: Health.initial, executions, contradictions: [] }]))
    })
  ),

  Case.law("ExecutionStore", "the domain's fold over the history gives the state, the changes and the reruns", () =>
    Law.forAll(
      Arbitrary.array(JobRun.jobRuns, { maxLength: 40 }),
      (runs) =>
        Effect.gen(function* () {
          const ref = yield* Case.repository
          yield* Upload.all(
            ref,
            runs.map((run, index) => JobRun.reportOf(run, `run ${index}`))
          )
          yield* Effect.forEach(JobRun.testNames, (testName) => agreesWithFold(ref, TestId.of(testName)))
        }),
      { runs: 25 }
    )
  )
]

const agreesWithFold = (ref: Parameters<typeof Ask.records>[0], testId: TestId.TestId) =>
  Effect.gen(function* () {
    const store = yield* ExecutionStore
    const histories = Option.getOrElse(yield* store.history(ref, testId), () => [])
    const records = yield* Ask.records(ref, testId)
    yield* Law.equal(histories.length, records.length, "the number of identities")
    for (const { identity, state, recent } of records) {
      const history = histories.find((each) => Plain.text(each.identity) === Plain.text(identity))
      yield* Law.equal(history !== undefined, true, "whether each identity has a history")
      if (history === undefined) continue
      const items = Contradiction.merged(history.executions, history.contradictions)
      yield* Law.equal(state, Health.fold(history.base, items, HealthPolicy.defaults), "the state")
      yield* Law.equal(recent.reruns, recentReruns(history.base, items), "the reruns of the last 30 days")
    }
    const changes = Option.getOrElse(yield* store.changes(ref, testId), () => [])
    const expected = histories.map(({ base, contradictions, executions }) => {
      const types = new Map(executions.map(({ exceptionType, id }) => [id, exceptionType]))
      const items = Contradiction.merged(executions, contradictions)
      return HealthSeries.changes(base, items, HealthPolicy.defaults, (id) => types.get(id) ?? null)
    })
    yield* Law.equal(Plain.sorted(changes), Plain.sorted(expected), "the changes")
  })

const recentReruns = (base: Health.State, items: ReadonlyArray<Health.Item>): number => {
  const start = Instant.startOfLastDays(Sample.noon, 30)
  let total = Rollup.empty
  Health.walk(base, items, HealthPolicy.defaults, ({ at, conclusion }, reruns) => {
    if (at >= start && conclusion !== "contradicted") total = { ...total, reruns: total.reruns + reruns }
  })
  return total.reruns
}
