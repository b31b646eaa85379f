/** The law of time: windows are half-open to the millisecond, instants and durations are exact. */
import { BucketSize, Instant, Rollup, TestId, TimeWindow } from "@lazaret/domain"
import { ExecutionStore } from "@lazaret/store"
import { Effect, Option, Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import { Case, Law, Sample, Upload } from "../law/index.ts"

const executions = (rollups: Option.Option<ReadonlyArray<Rollup.Rollup>>) =>
  Option.map(rollups, (list) => list.map((rollup) => rollup.executions))

const offset = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 * Instant.day }))

const scenes = Arbitrary.all({
  offsets: Arbitrary.array(Arbitrary.schema(offset), { minLength: 1, maxLength: 12 }),
  start: Arbitrary.schema(offset),
  length: Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 12 * Instant.day })))
})

/** The number of instants in both spans, as the domain says: start inclusive, end exclusive. */
const inBoth = (
  bucket: TimeWindow.TimeWindow,
  window: TimeWindow.TimeWindow,
  ats: ReadonlyArray<Instant.Instant>
): number => ats.filter((at) => TimeWindow.contains(bucket, at) && TimeWindow.contains(window, at)).length

/** The cases of time. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make("ExecutionStore", "a window holds its first millisecond and not the one after its last", function* (ref) {
    const store = yield* ExecutionStore
    const [start, end] = [Sample.noon - Instant.hour, Sample.noon]
    const ats = [start - 1, start, end - 1, end]
    yield* Upload.one(
      ref,
      "r",
      {},
      ats.map((at) => ({ at }))
    )
    yield* Law.equal(
      executions(yield* store.rollups(ref, Sample.testId, { start, end }, Instant.hour)),
      Option.some([2])
    )
    const cut = { start: start - 1, end: end + 1 }
    yield* Law.equal(
      executions(yield* store.rollups(ref, Sample.testId, cut, Instant.hour)),
      Option.some([1, 2, 1]),
      "the first and the last bucket cut"
    )
    const within = { start: start + 1, end: end - 1 }
    yield* Law.equal(
      executions(yield* store.rollups(ref, Sample.testId, within, Instant.hour)),
      Option.some([0]),
      "a window inside one bucket"
    )
    const wide = { start: start - Instant.hour, end: end + Instant.hour }
    const hours = yield* store.rollups(ref, Sample.testId, wide, Instant.hour)
    yield* Law.equal(executions(hours), Option.some([1, 2, 1]))
    const counts = yield* store.counts(ref, Sample.testId, { start, end })
    const identity = { testName: Sample.testName, pipelineName: "CI", jobName: "unit" }
    yield* Law.equal(counts, Option.some([{ identity, executions: 2 }]))
    yield* Law.equal(yield* store.counts(ref, Sample.testId, { start: end + 1, end: end + 2 }), Option.some([]))
  }),

  Case.make("ExecutionStore", "a window without executions has its empty buckets", function* (ref) {
    yield* Upload.one(ref, "r", {}, [{}])
    const end = Instant.startOfLastDays(Sample.daysAgo(10), 0)
    const window = { start: end - 4 * Instant.day, end }
    const found = yield* ExecutionStore.use((store) => store.rollups(ref, Sample.testId, window, 2 * Instant.day))
    yield* Law.equal(found, Option.some([Rollup.empty, Rollup.empty]))
  }),

  Case.make(
    "ExecutionStore",
    "instants survive to the millisecond, on both sides of midnight and of a leap day",
    function* (ref) {
      const ats = [
        Date.UTC(2024, 1, 28, 23, 59, 59, 999),
        Date.UTC(2024, 1, 29),
        Date.UTC(2024, 1, 29, 0, 0, 0, 1),
        Date.UTC(2025, 11, 31, 23, 59, 59, 999),
        Date.UTC(2026, 0, 1),
        Date.UTC(2026, 2, 29, 1, 30),
        Sample.noon + 1
      ]
      yield* Upload.one(
        ref,
        "r",
        {},
        ats.map((at) => ({ at }))
      )
      const history = yield* ExecutionStore.use((store) => store.history(ref, Sample.testId))
      yield* Law.equal(
        Option.map(history, (list) => list.flatMap((each) => each.executions.map(({ at }) => at))),
        Option.some(ats)
      )
    }
  ),

  Case.law(
    "ExecutionStore",
    "buckets are those of the domain and hold what is in the window, for random instants and every size",
    () =>
      Law.forAll(
        scenes,
        ({ length, offsets, start }) =>
          Effect.gen(function* () {
            const ref = yield* Case.repository
            const origin = Sample.daysAgo(20)
            const ats = offsets.map((each) => origin + each)
            yield* Upload.one(
              ref,
              "r",
              {},
              ats.map((at) => ({ at }))
            )
            for (const size of BucketSize.BucketSize.literals) {
              const window = { start: origin + start, end: origin + start + length }
              const found = yield* ExecutionStore.use((store) =>
                store.rollups(ref, Sample.testId, window, BucketSize.milliseconds(size))
              )
              const expected = BucketSize.buckets(window, size).map((bucket) => inBoth(bucket, window, ats))
              yield* Law.equal(executions(found), Option.some(expected), `the executions per ${size}`)
            }
          }),
        { runs: 20 }
      )
  ),

  Case.make(
    "ExecutionStore",
    "durations are exact to the microsecond, and so is their sum in any order",
    function* (ref) {
      const durations = [0.001, 0.1, 0.2, 1.005, 33.333, 1234.567, 86_400_000.001]
      yield* Upload.one(ref, "r", {}, [
        ...durations.map((durationMs) => ({ durationMs })),
        { conclusion: "skipped", durationMs: 5 },
        Sample.failure({ durationMs: 0.5 })
      ])
      const store = yield* ExecutionStore
      const history = yield* store.history(ref, Sample.testId)
      yield* Law.equal(
        Option.map(history, (list) =>
          list.flatMap((each) => each.executions.map(({ durationMs }) => durationMs)).toSorted()
        ),
        Option.some([...durations, 5, 0.5].toSorted())
      )
      const window = { start: Sample.noon, end: Sample.noon + 1 }
      const found = yield* store.rollups(ref, Sample.testId, window, 1)
      yield* Law.equal(
        Option.map(found, (list) => list.map(({ durationUs }) => durationUs)),
        Option.some([1 + 100 + 200 + 1005 + 33_333 + 1_234_567 + 86_400_000_001 + 500])
      )
    }
  ),

  Case.make("ExecutionStore", "sums above 2\u00b3\u00b9 are exact", function* (ref) {
    const testName = "long"
    const million = { testName, durationMs: 3_000_000.001, reruns: 2_000_000_000 }
    yield* Upload.one(ref, "r", {}, [
      Sample.failure(million),
      Sample.failure(million),
      { testName: "other", durationMs: 1 }
    ])
    const window = { start: Sample.noon, end: Sample.noon + 1 }
    const found = yield* ExecutionStore.use((store) => store.rollups(ref, TestId.of(testName), window, 1))
    yield* Law.equal(
      Option.map(found, (list) => list.map(({ durationUs, reruns }) => [durationUs, reruns])),
      Option.some([[6_000_000_002, 4_000_000_000]])
    )
  })
]
