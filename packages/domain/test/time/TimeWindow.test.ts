import { Instant, TimeWindow } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { windows } from "../../src/testing/lists.ts"

const now = Date.UTC(2026, 5, 15, 12, 34, 56, 789)

const faults = (bounds: TimeWindow.Bounds, at = now): ReadonlyArray<TimeWindow.Fault> =>
  Result.getOrThrow(Result.flip(TimeWindow.resolve(bounds, at)))

const fields = (bounds: TimeWindow.Bounds, at = now) => faults(bounds, at).map((fault) => fault.field)

describe("TimeWindow", () => {
  it("a window without bounds is the last day until now", () => {
    assert.deepStrictEqual(TimeWindow.resolve({}, now), Result.succeed({ start: now - Instant.day, end: now }))
  })

  it("one bound alone is filled up to one day", () => {
    const week = now - 7 * Instant.day
    assert.deepStrictEqual(
      TimeWindow.resolve({ start: week }, now),
      Result.succeed({ start: week, end: week + Instant.day })
    )
    assert.deepStrictEqual(
      TimeWindow.resolve({ end: week }, now),
      Result.succeed({ start: week - Instant.day, end: week })
    )
  })

  it.prop("both bounds are kept as they are", [windows], ([window]) => {
    assert.deepStrictEqual(TimeWindow.resolve(window, now), Result.succeed(window))
  })

  it.prop("every resolved window satisfies the schema", [windows, Schema.Boolean], ([window, isStart]) => {
    const bounds = isStart ? { start: window.start } : { end: window.end }
    Result.match(TimeWindow.resolve(bounds, now), {
      onSuccess: (resolved) => assert.isTrue(Schema.is(TimeWindow.TimeWindow)(resolved)),
      onFailure: () => assert.fail("a bound in range always has a window")
    })
  })

  it.prop("an end at or before the start is a fault of the end", [windows], ([{ end, start }]) => {
    assert.deepStrictEqual(fields({ start: end, end: start }), ["end"])
    assert.deepStrictEqual(fields({ start, end: start }), ["end"])
  })

  it("400 days are a window, one millisecond more is a fault of the start", () => {
    const start = now - 400 * Instant.day
    assert.isTrue(Result.isSuccess(TimeWindow.resolve({ start, end: now }, now)))
    assert.deepStrictEqual(faults({ start: start - 1, end: now }), [
      {
        field: "start",
        message: "A window spans at most 400 days: give a start from 2025-05-11T12:34:56.789Z on, or an earlier end."
      }
    ])
  })

  it("a window that begins now has begun; one that begins later is a fault of the bound that was given", () => {
    const faultOf = (bounds: TimeWindow.Bounds) =>
      Result.match(TimeWindow.resolveBegun(bounds, now), {
        onSuccess: () => [],
        onFailure: (found) => found.map(({ field }) => field)
      })
    assert.deepStrictEqual([faultOf({}), faultOf({ start: now }), faultOf({ end: now + Instant.day })], [[], [], []])
    assert.deepStrictEqual(faultOf({ start: now + 1 }), ["start"])
    assert.deepStrictEqual(faultOf({ end: now + Instant.day + 1 }), ["end"])
    assert.deepStrictEqual(faultOf({ start: now + 1, end: now + 2 }), ["start"])
  })

  it("every bound that is out of range is named", () => {
    assert.deepStrictEqual(fields({ start: -1, end: Instant.latest }), ["start", "end"])
    assert.deepStrictEqual(fields({ start: 0.5 }), ["start"])
    assert.deepStrictEqual(fields({ end: Number.NaN }), ["end"])
    assert.deepStrictEqual(faults({ end: TimeWindow.latestEnd + 1 }), [
      { field: "end", message: "Give a date from 1970-01-01T00:00:00.000Z to 9999-12-31T00:00:00.000Z." }
    ])
  })

  it("a default stops at the edge of the accepted time", () => {
    assert.deepStrictEqual(TimeWindow.resolve({}, 5), Result.succeed({ start: 0, end: 5 }))
    const { latestEnd } = TimeWindow
    assert.deepStrictEqual(
      TimeWindow.resolve({ start: latestEnd - 1 }, now),
      Result.succeed({ start: latestEnd - 1, end: latestEnd })
    )
    assert.deepStrictEqual(fields({ start: latestEnd }), ["start"])
  })

  it.prop("a window contains its start, its last millisecond and not its end", [windows], ([window]) => {
    assert.isTrue(TimeWindow.contains(window, window.start))
    assert.isTrue(TimeWindow.contains(window, window.end - 1))
    assert.isFalse(TimeWindow.contains(window, window.end))
    assert.isFalse(TimeWindow.contains(window, window.start - 1))
  })
})
