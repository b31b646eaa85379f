/** Machines whose clocks run ahead: neither the order of arrival nor a window may notice. */
import { ClockSkew, Instant, TestId, TimeWindow } from "@lazaret/domain"
import { Ingestion, Tests } from "@lazaret/services"
import { assert, describe, it } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { Effect, Schema } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { given, memory, noon, ref } from "../builders.ts"

const adds = TestId.of("adds")

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

/** Seconds that the clock of a machine is ahead, at most as far as is believed, and what its job saw. */
const Run = Schema.Struct({ ahead: upTo(600), commit: upTo(3), failed: Schema.Boolean, order: upTo(1000) })

const Runs = Schema.Array(Run).check(Schema.isMinLength(1), Schema.isMaxLength(8))

const upload = ({ ahead, commit, failed }: typeof Run.Type, index: number) => ({
  ...given({ commit: `c${commit}`, hoursAgo: index, conclusion: failed ? "failed" : "passed" }),
  finishedAt: noon + ahead * Instant.second
})

/** Everything that the interface says of a test at an instant, after uploads that arrived in this order. */
const answers = (uploads: ReadonlyArray<ReturnType<typeof upload>>, at: Instant.Instant) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(noon)
    const ingestion = yield* Ingestion
    for (const each of uploads) yield* ingestion.record(ref, each)
    yield* TestClock.setTime(at)
    const tests = yield* Tests
    const list = { sort: "executions_count", direction: "desc", cursor: null, perPage: 10 } as const
    return {
      details: yield* tests.details(ref, adds),
      transitions: yield* tests.transitions(ref, adds, {}),
      failures: yield* tests.statistic(ref, adds, "failure_count", {}),
      successes: yield* tests.statistic(ref, adds, "success_count", {}),
      past: yield* tests.statistic(ref, adds, "success_count", { end: at - 1 }),
      coming: yield* tests.statistic(ref, adds, "failure_count", { start: at, end: at + Instant.hour }),
      executions: (yield* tests.executions(ref, adds, { ...list, bounds: {} })).rows,
      later: (yield* tests.executions(ref, adds, { ...list, bounds: { start: at } })).rows
    }
  }).pipe(Effect.provide(memory, { local: true }))

describe("clocks that run ahead", () => {
  it.effect.prop(
    "uploads give the same answers whatever their order of arrival, and each counts now until its time has come",
    [Runs, upTo(700)],
    ([runs, seconds]) =>
      Effect.gen(function* () {
        const at = noon + 1 + seconds * Instant.second
        const uploads = runs.map(upload)
        const one = yield* answers(uploads, at)
        const shuffled = runs.map((run, index) => ({ run, index })).toSorted((a, b) => a.run.order - b.run.order)
        const other = yield* answers(
          shuffled.map(({ index, run }) => upload(run, index)),
          at
        )
        assert.deepStrictEqual(other, one)
        const failed = runs.filter((run) => run.failed).length
        assert.deepStrictEqual([one.failures.value, one.successes.value], [failed, runs.length - failed])
        assert.strictEqual(one.executions[0]?.executionsCount, runs.length)
        assert.strictEqual(one.coming.value, 0)
        assert.deepStrictEqual(one.later, [])
        assert.strictEqual(one.transitions.transitions.at(-1)?.status, one.details.healthStatus)
        // A window that ends before now holds what happened before, by the times as stated.
        const before = runs.filter((run) => !run.failed && noon + run.ahead * Instant.second < at - 1).length
        assert.strictEqual(one.past.value, before)
      }),
    { arbitrary: { runs: 60 } }
  )

  test("two machines whose clocks are 60 and 90 seconds ahead: the later one decides, also when it arrives first", function* () {
    const early = upload({ ahead: 60, commit: 1, failed: false, order: 0 }, 0)
    const late = upload({ ahead: 90, commit: 2, failed: true, order: 0 }, 1)
    for (const uploads of [
      [early, late],
      [late, early]
    ]) {
      assert.strictEqual((yield* answers(uploads, noon + 1)).details.lastConclusion, "failed")
    }
  })

  it.effect("a run further ahead has its arrival, and the receipt says so", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const ahead = { ...given({ commit: "a", hoursAgo: 0 }), finishedAt: noon + ClockSkew.mostAhead + 1 }
      const { warnings } = yield* Ingestion.use((ingestion) => ingestion.record(ref, ahead))
      assert.match(warnings.join(), /is in the future: the time of arrival was recorded instead/u)
      const { lastSuccessAt } = yield* Tests.use((tests) => tests.details(ref, adds))
      assert.strictEqual(lastSuccessAt, noon)
    }).pipe(Effect.provide(memory, { local: true }))
  )
})

describe("the reach of a window", () => {
  it.prop(
    "the reach of a window holds a result exactly when the window holds it as it is seen",
    [upTo(2000), upTo(2000), upTo(2000), upTo(600)],
    ([start, length, now, ahead]) => {
      const window = { start, end: start + length + 1 }
      const at = now + ahead
      const isSeen = TimeWindow.contains(window, ClockSkew.seenAt(at, now + 1))
      const isReached = window.start < now + 1 && TimeWindow.contains(ClockSkew.reach(window, now + 1), at)
      assert.strictEqual(isReached, isSeen)
    }
  )
})
