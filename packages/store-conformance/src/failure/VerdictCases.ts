/** The law of verdicts: what is kept of answers, marks, suspensions, and what came out. */
import { type Event, type FailurePrecision, Instant, type Repository, TestId } from "@lazaret/domain"
import { EventStore, RepositoryStore, TriageStore, VerdictStore } from "@lazaret/store"
import { Effect, Option } from "effect"
import { Case, Law, Sample, Upload } from "../law/index.ts"

const verdict = (
  executionId: string,
  parts: Partial<FailurePrecision.FirstVerdict> = {}
): FailurePrecision.FirstVerdict => ({
  testId: TestId.of(parts.testName ?? Sample.testName),
  executionId,
  testName: Sample.testName,
  pipelineName: "CI",
  jobName: "unit",
  commit: "c1",
  runId: null,
  at: Sample.noon,
  verdict: "flaky",
  probability: 0.8125,
  odds: 1.75,
  base: "passed",
  ...parts
})

const mark = (truth: FailurePrecision.Truth, at: number) => ({ truth, by: "ada", at: Sample.noon + at })

const all = { after: 0, verdicts: ["flaky", "new_failure"], limit: 10 } as const

const idsOf = (list: ReadonlyArray<FailurePrecision.KeptVerdict>) => list.map(({ executionId }) => executionId)

const eventsOf = (ref: Repository.RepositoryRef, types: ReadonlyArray<Event.EventType>) =>
  Effect.map(
    EventStore.use((store) => store.after(ref, 0, 100)),
    (events) => events.filter(({ type }) => types.includes(type)).map(({ actor, type }) => [type, actor])
  )

/** One job run of the test, some minutes after noon. */
const ran = (
  ref: Repository.RepositoryRef,
  key: string,
  minute: number,
  conclusion: "passed" | "failed",
  context: object = {}
) =>
  Upload.one(ref, key, { commit: "c1", runId: key, ...context }, [
    { conclusion, at: Sample.noon + minute * Instant.minute }
  ])

/** The cases of verdicts. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.law("VerdictStore", "the first verdict on an execution is kept, the latest failures come first", (ref) =>
    Effect.gen(function* () {
      const store = yield* VerdictStore
      yield* Law.equal(yield* store.latest(ref, all), [], "before there is a repository")
      yield* Upload.one(ref, "r", {}, [{}])
      const other = verdict("b", { verdict: "new_failure", at: Sample.noon + 1, runId: "7", probability: 0.1 })
      yield* store.note(ref, [verdict("a"), other])
      yield* store.note(ref, [verdict("a", { probability: 0.5 }), verdict("c", { at: Sample.noon - 1 })])
      yield* Law.equal(
        yield* store.latest(ref, all),
        [other, verdict("a"), verdict("c", { at: Sample.noon - 1 })].map((one) => ({
          ...one,
          outcome: null,
          mark: null
        }))
      )
      yield* Law.equal(idsOf(yield* store.latest(ref, { ...all, limit: 1 })), ["b"])
      yield* Law.equal(idsOf(yield* store.latest(ref, { ...all, verdicts: ["flaky"] })), ["a", "c"])
      yield* Law.equal(idsOf(yield* store.latest(ref, { ...all, after: Sample.noon })), ["b"], "exclusive")
    })
  ),

  Case.make(
    "VerdictStore",
    "the pages of a window hold each of its verdicts once, the earliest failure first",
    function* (ref) {
      const store = yield* VerdictStore
      yield* Upload.one(ref, "r", {}, [{}])
      const late = { at: Sample.noon + 2 }
      yield* store.note(ref, [
        verdict("before", { at: Sample.noon - 1 }),
        verdict("b"),
        verdict("a", { testName: "other" }),
        verdict("c", { ...late, verdict: "new_failure" }),
        verdict("end", { at: Sample.noon + 3 })
      ])
      const window = { start: Sample.noon, end: Sample.noon + 3 }
      const first = yield* store.within(ref, { window, after: null, limit: 2 })
      yield* Law.equal(idsOf(first), ["a", "b"])
      yield* Law.equal(idsOf(yield* store.within(ref, { window, after: verdict("b"), limit: 2 })), ["c"])
      yield* Law.equal(idsOf(yield* store.within(ref, { window, after: verdict("c", late), limit: 2 })), [])
    }
  ),

  Case.law("VerdictStore", "the last mark of a verdict holds, and each change is one event with its actor", (ref) =>
    Effect.gen(function* () {
      const store = yield* VerdictStore
      yield* Upload.one(ref, "r", {}, [{}])
      // Tests of one report share the ids of their executions.
      yield* store.note(ref, [verdict("a"), verdict("a", { testName: "other", verdict: "new_failure" })])
      yield* Law.equal(yield* store.mark(ref, verdict("b"), mark("real", 1)), Option.none())
      yield* Law.equal(
        yield* store.mark(ref, verdict("a"), mark("real", 1)),
        Option.some({ ...verdict("a"), outcome: null, mark: mark("real", 1) })
      )
      yield* store.mark(ref, verdict("a"), mark("real", 2))
      yield* Law.equal(
        (yield* store.latest(ref, { ...all, verdicts: ["flaky"] })).map((one) => one.mark),
        [mark("real", 1)],
        "the same mark again changes nothing"
      )
      yield* Law.equal(yield* store.marked(ref, ["a", "b"]), [
        { ...verdict("a"), outcome: null, mark: mark("real", 1) }
      ])
      yield* store.mark(ref, verdict("a"), mark("flaky", 3))
      yield* store.note(ref, [verdict("a")])
      yield* Law.equal(
        (yield* store.latest(ref, { ...all, verdicts: ["flaky"] })).map((one) => one.mark),
        [mark("flaky", 3)]
      )
      yield* Law.equal(
        (yield* eventsOf(ref, ["failure.marked"])).map(([, actor]) => actor),
        ["ada", "ada"]
      )
    })
  ),

  Case.law(
    "VerdictStore",
    "a repository that does not exist has no verdict and no suspension, and is not created by one",
    (ref) =>
      Effect.gen(function* () {
        const store = yield* VerdictStore
        const written = Effect.gen(function* () {
          yield* Law.equal(idsOf(yield* store.latest(ref, all)), [])
          yield* Law.equal(yield* store.suspension(ref), Option.none())
          yield* Law.equal(yield* eventsOf(ref, ["gate.excuses_suspended"]), [])
        })
        yield* store.note(ref, [verdict("e1")])
        yield* store.suspend(ref, { isSuspended: true, at: Sample.noon, reason: "known" })
        yield* Law.equal(yield* RepositoryStore.use(({ get }) => get(ref)), Option.none(), "the repository")
        yield* written
        yield* ran(ref, "r", 0, "passed")
        yield* written
      })
  ),

  Case.law(
    "VerdictStore",
    "a verdict is removed 90 days after its failure, and a year after it when its outcome is known",
    (ref) =>
      Effect.gen(function* () {
        const store = yield* VerdictStore
        yield* Upload.one(ref, "r", {}, [{}])
        yield* store.note(ref, [
          verdict("old", { at: Sample.daysAgo(90) - 1 }),
          verdict("rerun", { at: Sample.daysAgo(90) - 2 }),
          verdict("marked", { at: Sample.daysAgo(90) - 3 }),
          verdict("kept", { at: Sample.daysAgo(90) })
        ])
        yield* store.resolve(ref, [{ ...verdict("rerun"), outcome: "real" }])
        yield* store.mark(ref, verdict("marked"), mark("flaky", 1))
        yield* store.note(ref, [verdict("new")])
        yield* Law.equal(idsOf(yield* store.latest(ref, all)), ["new", "kept", "rerun", "marked"])
        yield* store.note(ref, [verdict("next year", { at: Sample.noon + 275 * Instant.day - 2 })])
        yield* Law.equal(idsOf(yield* store.latest(ref, all)), ["next year", "rerun"])
      })
  ),

  Case.law("VerdictStore", "the outcome of a verdict is that of the last resolution, and is found by commit", (ref) =>
    Effect.gen(function* () {
      const store = yield* VerdictStore
      const known = (commit: string) =>
        Effect.map(store.ofCommit(ref, commit), (list) =>
          list.map(({ executionId, outcome }) => `${executionId} ${outcome}`).toSorted()
        )
      yield* store.resolve(ref, [{ ...verdict("a"), outcome: "real" }])
      yield* Law.equal(yield* known("c1"), [], "before there is a repository")
      yield* Upload.one(ref, "r", {}, [{}])
      yield* store.note(ref, [verdict("a"), verdict("b"), verdict("c", { commit: "c2" })])
      const ofOther = verdict("a", { testName: "other" })
      yield* store.resolve(ref, [
        { ...verdict("a"), outcome: "real" },
        { ...ofOther, outcome: "flaky" }
      ])
      yield* Law.equal(yield* known("c1"), ["a real", "b null"])
      yield* store.resolve(ref, [{ ...verdict("a"), outcome: "flaky" }])
      yield* Law.equal([yield* known("c1"), yield* known("c2")], [["a flaky", "b null"], ["c null"]])
      yield* store.note(ref, [verdict("a")])
      yield* Law.equal(yield* known("c1"), ["a flaky", "b null"], "a later verdict changes nothing")
    })
  ),

  Case.law("VerdictStore", "verdicts with an outcome or a mark are listed, the latest failures first", (ref) =>
    Effect.gen(function* () {
      const store = yield* VerdictStore
      yield* Upload.one(ref, "r", {}, [{}])
      yield* store.note(
        ref,
        ["a", "b", "c", "d"].map((id, index) => verdict(id, { at: Sample.noon + index * Instant.minute }))
      )
      yield* store.resolve(ref, [
        { ...verdict("a"), outcome: "flaky" },
        { ...verdict("c"), outcome: "real" }
      ])
      yield* store.mark(ref, verdict("b"), mark("real", 1))
      yield* store.mark(ref, verdict("c"), mark("real", 1))
      const resolved = (after: number, limit: number) => Effect.map(store.resolved(ref, { after, limit }), idsOf)
      yield* Law.equal(yield* resolved(0, 10), ["c", "b", "a"])
      yield* Law.equal(
        [yield* resolved(0, 2), yield* resolved(Sample.noon, 10)],
        [
          ["c", "b"],
          ["c", "b"]
        ]
      )
    })
  ),

  Case.law("VerdictStore", "excuses are suspended and resumed once, with an event each", (ref) =>
    Effect.gen(function* () {
      const store = yield* VerdictStore
      yield* Upload.one(ref, "r", {}, [{}])
      const change = (isSuspended: boolean, minute: number) =>
        store.suspend(ref, { isSuspended, at: Sample.noon + minute * Instant.minute, reason: `minute ${minute}` })
      yield* Law.equal(yield* store.suspension(ref), Option.none())
      yield* Law.equal(yield* change(false, 0), false)
      const both = yield* Effect.all([change(true, 1), change(true, 1)], { concurrency: 2 })
      yield* Law.equal(both.toSorted(), [false, true])
      yield* Law.equal(
        yield* store.suspension(ref),
        Option.some({ since: Sample.noon + Instant.minute, reason: "minute 1" })
      )
      yield* Law.equal(yield* change(false, 2), true)
      yield* Law.equal(yield* store.suspension(ref), Option.none())
      yield* Law.equal(
        (yield* eventsOf(ref, ["gate.excuses_suspended", "gate.excuses_resumed"])).map(([type]) => type),
        ["gate.excuses_suspended", "gate.excuses_resumed"]
      )
    })
  ),

  Case.law(
    "TriageStore",
    "later job runs of the same identity on the same code are what came out of a verdict",
    (ref) =>
      Effect.gen(function* () {
        const pull = { branch: "topic", baseBranch: "main" }
        yield* ran(ref, "before", -5, "passed")
        yield* ran(ref, "own", 0, "failed")
        yield* ran(ref, "failed", 5, "failed")
        yield* ran(ref, "passed", 6, "passed")
        yield* ran(ref, "elsewhere", 7, "passed", { jobName: "e2e" })
        yield* ran(ref, "another", 8, "passed", { commit: "c2" })
        yield* ran(ref, "pull", 9, "passed", { ...pull, runId: "p" })
        yield* ran(ref, "again", 10, "failed", { ...pull, runId: "p", runAttempt: 2 })
        yield* ran(ref, "fork", 11, "passed", { ...pull, branch: "mallory:topic", runId: "p" })
        const jobName = Sample.run({ runId: "own" }).jobName
        const outcomes = yield* TriageStore.use((store) =>
          store.reruns(ref, [
            verdict("a", { jobName }),
            verdict("b", { jobName, runId: "p" }),
            verdict("c", { jobName, commit: "unknown" }),
            verdict("d", { jobName, testName: "unknown" })
          ])
        )
        yield* Law.equal(outcomes, [
          { passed: 1, failed: 1 },
          { passed: 1, failed: 1 },
          { passed: 0, failed: 0 },
          { passed: 0, failed: 0 }
        ])
      })
  )
]
