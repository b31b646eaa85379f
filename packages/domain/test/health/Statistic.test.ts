import { BucketSize, HealthStatus, Instant, Rollup, Statistic } from "@lazaret/domain"
import { histories, type HistoryExecution } from "@lazaret/domain/testing"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"

const width = { hour: Instant.hour, fourHours: 4 * Instant.hour, day: Instant.day, twoDays: 2 * Instant.day }

/** Windows of whole buckets of two days that begin, end, or lie outside the histories. */
const windows = Arbitrary.map(
  Arbitrary.schema(
    Schema.Struct({
      skipped: Schema.Int.check(Schema.isBetween({ minimum: -4, maximum: 10 })),
      length: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 12 }))
    })
  ),
  ({ skipped, length }) => {
    const start = BucketSize.floor(Date.UTC(2026, 0, 1), "2d") + skipped * width.twoDays
    return { start, end: start + length * width.twoDays }
  }
)

const generated = histories({ failures: 40, start: Date.UTC(2026, 0, 1) })

/** Combines this many neighbouring buckets into one. */
const combined = (buckets: ReadonlyArray<Rollup.Rollup>, size: number): ReadonlyArray<Rollup.Rollup> =>
  Array.from({ length: buckets.length / size }, (_, index) =>
    Rollup.combineAll(buckets.slice(index * size, (index + 1) * size))
  )

const inside = (history: ReadonlyArray<HistoryExecution>, start: number, end: number) =>
  history.filter((execution) => execution.at >= start && execution.at < end)

/** The value of a statistic from the executions themselves. */
const naive = (
  statistic: Statistic.TestStatistic,
  part: ReadonlyArray<HistoryExecution>,
  history: ReadonlyArray<HistoryExecution>
): number => {
  const passedOn = (commit: string) => history.some((other) => other.conclusion === "passed" && other.commit === commit)
  const ran = part.filter((execution) => execution.conclusion !== "skipped")
  switch (statistic) {
    case "success_count":
      return part.filter((execution) => execution.conclusion === "passed").length
    case "failure_count":
      return part.filter((execution) => execution.conclusion === "failed").length
    case "flaky_count":
      return part.filter((e) => e.flaky || (e.conclusion === "failed" && passedOn(e.commit))).length
    case "mean_duration":
      return ran.length === 0 ? 0 : ran.reduce((sum, execution) => sum + execution.durationMs, 0) / ran.length / 1000
  }
}

const run = (day: number, rest: Partial<HistoryExecution> = {}): HistoryExecution => ({
  id: `${day}`,
  at: day * Instant.day,
  commit: "a",
  conclusion: "passed",
  flaky: false,
  reruns: 0,
  excused: false,
  durationMs: 1000,
  ...rest
})

describe("Statistic, of a test", () => {
  const window = { start: 0, end: 3 * Instant.day }
  const valuesOf = (statistic: Statistic.TestStatistic, ...history: ReadonlyArray<HistoryExecution>) => {
    const buckets = Statistic.rollups(history, window, Instant.day)
    const { value, valueOverTime } = Statistic.series(statistic, buckets, window.start, Instant.day)
    return [value, valueOverTime.map((bucket) => bucket.value)]
  }

  it("a window is half-open, and empty buckets are 0", () => {
    const history = [run(-1e-9), run(0), run(2), run(3)].map((e) => ({ ...e, at: Math.floor(e.at) }))
    assert.deepStrictEqual(valuesOf("success_count", ...history), [2, [1, 0, 1]])
    assert.deepStrictEqual(valuesOf("mean_duration"), [0, [0, 0, 0]])
  })

  it("failures of an outage are failures", () => {
    assert.deepStrictEqual(valuesOf("failure_count", run(1, { conclusion: "failed", excused: true })), [1, [0, 1, 0]])
  })

  it("a pass in another bucket or outside the window makes a failure flaky, in the bucket of the failure", () => {
    const failure = run(0, { conclusion: "failed" })
    assert.deepStrictEqual(valuesOf("flaky_count", failure, run(2)), [1, [1, 0, 0]])
    assert.deepStrictEqual(valuesOf("flaky_count", failure, run(20)), [1, [1, 0, 0]])
    assert.deepStrictEqual(valuesOf("flaky_count", failure, run(20, { commit: "b" })), [0, [0, 0, 0]])
  })

  it("the mean duration of the window is that of its executions, not that of its buckets", () => {
    const history = [run(0), run(0), run(0, { durationMs: 4000 }), run(1, { durationMs: 6000, conclusion: "failed" })]
    assert.deepStrictEqual(valuesOf("mean_duration", ...history, run(2, { conclusion: "skipped" })), [3, [2, 6, 0]])
  })

  it("buckets touch one another", () => {
    const buckets = Statistic.rollups([], window, Instant.day)
    const { valueOverTime } = Statistic.series("success_count", buckets, window.start, Instant.day)
    assert.deepStrictEqual(
      valueOverTime.map(({ start, end }) => [start / Instant.day, end / Instant.day]),
      [
        [0, 1],
        [1, 2],
        [2, 3]
      ]
    )
  })
})

describe("Statistic, laws", () => {
  it.prop("combining buckets of 1h, 4h or 1d gives those of 2d", [generated, windows], ([history, window]) => {
    const direct = Statistic.rollups(history, window, width.twoDays)
    for (const fine of [width.hour, width.fourHours, width.day]) {
      const buckets = Statistic.rollups(history, window, fine)
      assert.strictEqual(buckets.length, (window.end - window.start) / fine)
      assert.deepStrictEqual(combined(buckets, width.twoDays / fine), direct)
    }
  })

  it.prop(
    "cutting a window gives every execution to exactly one part, in the same bucket",
    [generated, windows, Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2 * width.twoDays - 1 }))],
    ([history, { end, start }, offset]) => {
      const cut = Math.min(start + offset, end - 1)
      const parts = [
        { start, end: cut },
        { start: cut, end }
      ].flatMap((part) => {
        const from = BucketSize.floor(part.start, "1d")
        return Statistic.rollups(history, part, width.day).map((rollup, index) => ({
          at: from + index * width.day,
          rollup
        }))
      })
      const together = Statistic.rollups(history, { start, end }, width.day)
      together.forEach((rollup, index) => {
        const here = parts.filter(({ at }) => at === start + index * width.day)
        assert.deepStrictEqual(Rollup.combineAll(here.map((part) => part.rollup)), rollup)
      })
    }
  )

  it.prop("the value of a count is the sum of its buckets, and whole", [generated, windows], ([history, window]) => {
    const buckets = Statistic.rollups(history, window, width.fourHours)
    for (const statistic of ["success_count", "failure_count", "flaky_count"] as const) {
      const { value, valueOverTime } = Statistic.series(statistic, buckets, window.start, width.fourHours)
      assert.strictEqual(
        valueOverTime.reduce((sum, bucket) => sum + bucket.value, 0),
        value
      )
      assert.isTrue(valueOverTime.every((bucket) => Number.isSafeInteger(bucket.value)))
    }
  })

  it.prop("every bucket and the window are the naive definition", [generated, windows], ([history, window]) => {
    const buckets = Statistic.rollups(history, window, width.day)
    for (const statistic of Statistic.TestStatistic.literals) {
      const { value, valueOverTime } = Statistic.series(statistic, buckets, window.start, width.day)
      assert.closeTo(value, naive(statistic, inside(history, window.start, window.end), history), 1e-9)
      for (const { start, end, value: found } of valueOverTime) {
        assert.closeTo(found, naive(statistic, inside(history, start, end), history), 1e-9)
      }
    }
  })

  it.prop("the order of arrival plays no part", [generated, windows], ([history, window]) => {
    assert.deepStrictEqual(
      Statistic.rollups(history.toReversed(), window, width.hour),
      Statistic.rollups(history, window, width.hour)
    )
  })
})

describe("Statistic, of a repository", () => {
  it("each health status is counted by one statistic, the others count every test", () => {
    const statuses = Statistic.RepositoryStatistic.literals.map(Statistic.statusOf)
    assert.deepStrictEqual(statuses, [null, "healthy", "broken", "flaky", null])
    assert.deepStrictEqual(
      new Set(statuses.filter((status) => status !== null)),
      new Set(HealthStatus.HealthStatus.literals)
    )
  })
})

describe("Statistic.perDay", () => {
  it("each day is a bucket up to the present one, and failures add up over the days", () => {
    const now = Date.UTC(2026, 0, 3, 12)
    const [first, second] = [Date.UTC(2026, 0, 2), Date.UTC(2026, 0, 3)]
    const valueOverTime = [
      { start: first, end: second, value: 2 },
      { start: second, end: second + Instant.day, value: 5 }
    ]
    assert.deepStrictEqual(Statistic.perDay("failed_executions", 9, [2, 5], now), { value: 7, valueOverTime })
    assert.deepStrictEqual(Statistic.perDay("total_tests", 9, [2, 5], now), { value: 9, valueOverTime })
  })
})
