import { BucketSize, Instant, TimeWindow } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { windows } from "../../src/testing/lists.ts"

const sizes = BucketSize.BucketSize.literals
const size = BucketSize.BucketSize
const at = (hours: number, ms = 0) => Date.UTC(2026, 0, 1) + hours * Instant.hour + ms

describe("BucketSize, choice", () => {
  it("a day is shown by the hour, also when it starts within one", () => {
    assert.strictEqual(BucketSize.choose({ start: at(0), end: at(24) }), "1h")
    assert.strictEqual(BucketSize.choose({ start: at(0.5), end: at(24.5) }), "1h")
  })

  it("48 whole buckets are taken, the 49th needs the next size", () => {
    assert.strictEqual(BucketSize.choose({ start: at(0), end: at(48) }), "1h")
    assert.strictEqual(BucketSize.choose({ start: at(0, -1), end: at(48) }), "4h")
    assert.strictEqual(BucketSize.choose({ start: at(0), end: at(48, 1) }), "4h")
    assert.strictEqual(BucketSize.choose({ start: at(0), end: at(8 * 24) }), "4h")
    assert.strictEqual(BucketSize.choose({ start: at(0), end: at(8 * 24, 1) }), "1d")
    assert.strictEqual(BucketSize.choose({ start: at(0), end: at(48 * 24) }), "1d")
    assert.strictEqual(BucketSize.choose({ start: at(0), end: at(48 * 24, 1) }), "2d")
  })

  it.prop("the chosen bucket size is the smallest with at most 48 buckets, else two days", [windows], ([window]) => {
    const chosen = BucketSize.choose(window)
    const fitting = sizes.filter((candidate) => BucketSize.buckets(window, candidate).length <= 48)
    assert.strictEqual(chosen, fitting[0] ?? "2d")
  })
})

describe("BucketSize, buckets", () => {
  it.prop("the buckets are the widened window, one after the other", [windows, size], ([window, chosen]) => {
    const buckets = BucketSize.buckets(window, chosen)
    const widened = BucketSize.widen(window, chosen)
    assert.strictEqual(buckets[0]?.start, widened.start)
    assert.strictEqual(buckets.at(-1)?.end, widened.end)
    assert.strictEqual(buckets.length, BucketSize.count(window, chosen))
    buckets.slice(1).forEach((bucket, index) => assert.strictEqual(bucket.start, buckets[index]?.end))
  })

  it.prop("every bucket starts at a multiple of its width and is as wide", [windows, size], ([window, chosen]) => {
    const width = BucketSize.milliseconds(chosen)
    for (const bucket of BucketSize.buckets(window, chosen)) {
      assert.strictEqual(bucket.start % width, 0)
      assert.strictEqual(TimeWindow.duration(bucket), width)
    }
  })

  it.prop("widening covers the window by less than a bucket on each side", [windows, size], ([window, chosen]) => {
    const width = BucketSize.milliseconds(chosen)
    const widened = BucketSize.widen(window, chosen)
    assert.isTrue(widened.start <= window.start && window.start - widened.start < width)
    assert.isTrue(widened.end >= window.end && widened.end - window.end < width)
    assert.deepStrictEqual(BucketSize.widen(widened, chosen), widened)
    assert.isTrue(Schema.is(TimeWindow.TimeWindow)(widened))
  })

  it.prop(
    "an instant is in the bucket of its index and in no other",
    [windows, size, Schema.Int.check(Schema.isBetween({ minimum: -1000, maximum: 2000 }))],
    ([window, chosen, permille]) => {
      const instant = window.start + Math.floor((TimeWindow.duration(window) * permille) / 1000)
      const holders = BucketSize.buckets(window, chosen).flatMap((bucket, index) =>
        TimeWindow.contains(bucket, instant) ? [index] : []
      )
      assert.deepStrictEqual([BucketSize.indexOf(window, chosen, instant)], holders.length === 0 ? [-1] : holders)
    }
  )

  it.prop("floor and ceil are the boundaries around an instant", [windows, size], ([{ start }, chosen]) => {
    const floor = BucketSize.floor(start, chosen)
    const ceil = BucketSize.ceil(start, chosen)
    assert.strictEqual(ceil, floor === start ? start : floor + BucketSize.milliseconds(chosen))
  })

  it("windows that end at the latest instant widen within the accepted time", () => {
    const window = { start: TimeWindow.latestEnd - 1, end: TimeWindow.latestEnd }
    for (const chosen of sizes) assert.strictEqual(BucketSize.widen(window, chosen).end, TimeWindow.latestEnd)
  })
})
