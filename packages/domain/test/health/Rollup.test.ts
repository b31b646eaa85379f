import { Rollup } from "@lazaret/domain"
import { histories } from "@lazaret/domain/testing"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))

const rollups = Schema.Struct({
  executions: count,
  passed: count,
  failed: count,
  skipped: count,
  flaky: count,
  reruns: count,
  durationUs: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 50 }))
})

const run = { conclusion: "passed", durationMs: 1, flaky: false, reruns: 0 } as const

describe("Rollup, a commutative monoid", () => {
  it.prop("combining is associative", [rollups, rollups, rollups], ([a, b, c]) => {
    assert.deepStrictEqual(Rollup.combine(Rollup.combine(a, b), c), Rollup.combine(a, Rollup.combine(b, c)))
  })

  it.prop("combining is commutative", [rollups, rollups], ([a, b]) => {
    assert.deepStrictEqual(Rollup.combine(a, b), Rollup.combine(b, a))
  })

  it.prop("the empty rollup changes nothing", [rollups], ([a]) => {
    assert.deepStrictEqual(Rollup.combine(Rollup.empty, a), a)
    assert.deepStrictEqual(Rollup.combine(a, Rollup.empty), a)
  })

  it.prop("any cut of a history adds up to the same", [histories(), histories()], ([history, cut]) => {
    const at = Math.min(cut.length, history.length)
    const total = (part: typeof history) => Rollup.combineAll(part.map(Rollup.of))
    assert.deepStrictEqual(
      Rollup.combine(total(history.slice(at)), total(history.slice(0, at))),
      total(history.toReversed())
    )
  })

  it("durations add up exactly, in any order and however many", () => {
    const tenth = Rollup.of({ ...run, durationMs: 0.1 })
    assert.strictEqual(Rollup.combineAll(Array.from({ length: 30_000 }, () => tenth)).durationUs, 3_000_000)
  })
})

describe("Rollup.of", () => {
  it("an execution counts once, under its conclusion", () => {
    for (const conclusion of ["passed", "failed", "skipped"] as const) {
      const single = Rollup.of({ ...run, conclusion })
      assert.strictEqual(single.executions, 1)
      assert.deepStrictEqual(
        [single.passed, single.failed, single.skipped, single[conclusion]].toSorted(),
        [0, 0, 1, 1]
      )
    }
  })

  it("a flaky pass is a pass, a flaky one and its reruns", () => {
    const single = Rollup.of({ ...run, flaky: true, reruns: 2 })
    assert.deepStrictEqual([single.passed, single.failed, single.flaky, single.reruns], [1, 0, 1, 2])
  })

  it("the duration is in whole microseconds, and that of a skipped execution does not count", () => {
    assert.strictEqual(Rollup.of({ ...run, durationMs: 1.2345 }).durationUs, 1235)
    assert.strictEqual(Rollup.of({ ...run, durationMs: 5, conclusion: "skipped" }).durationUs, 0)
    assert.strictEqual(Rollup.of({ ...run, durationMs: 5, conclusion: "failed" }).durationUs, 5000)
  })
})

describe("Rollup, ratios", () => {
  it("without passed and failed executions they are 0, and the duration too", () => {
    const skipped = Rollup.of({ ...run, conclusion: "skipped" })
    for (const rollup of [Rollup.empty, skipped]) {
      const ratios = [Rollup.successRatio, Rollup.failureRatio, Rollup.flakinessRatio, Rollup.meanDurationSeconds]
      assert.deepStrictEqual(
        ratios.map((ratio) => ratio(rollup)),
        [0, 0, 0, 0]
      )
    }
  })

  it("ratios are shares of the passed and failed ones, and skipped ones play no part", () => {
    const rollup = {
      ...Rollup.empty,
      executions: 104,
      passed: 3,
      failed: 1,
      skipped: 100,
      flaky: 2,
      durationUs: 6_000_000
    }
    assert.strictEqual(Rollup.successRatio(rollup), 0.75)
    assert.strictEqual(Rollup.failureRatio(rollup), 0.25)
    assert.strictEqual(Rollup.flakinessRatio(rollup), 0.5)
    assert.strictEqual(Rollup.meanDurationSeconds(rollup), 1.5)
  })

  it.prop("success and failure are the whole, where there is one", [histories()], ([history]) => {
    const rollup = Rollup.combineAll(history.map(Rollup.of))
    const whole = rollup.passed + rollup.failed > 0 ? 1 : 0
    assert.closeTo(Rollup.successRatio(rollup) + Rollup.failureRatio(rollup), whole, 1e-12)
    assert.isTrue(Rollup.flakinessRatio(rollup) >= 0 && Rollup.flakinessRatio(rollup) <= 1)
  })
})

describe("Rollup.settle", () => {
  it("results whose time has not come are counted in the bucket of the present, whatever the window and the time", () => {
    const width = 10
    const ones = (executions: number) => ({ ...Rollup.empty, executions })
    for (let start = 0; start <= 20; start += 5) {
      for (let now = 0; now <= 65; now += 1) {
        const window = { start, end: start + 35 }
        const first = Math.floor(start / width)
        const buckets = Array.from({ length: Math.ceil(window.end / width) - first }, (_, index) => ones(2 ** index))
        const settled = Rollup.settle(buckets, { window, width }, now).map(({ executions }) => executions)
        const expected = buckets.map((bucket, index) => {
          const begins = (first + index) * width
          const isPast = begins + width < now
          if (start >= now || begins >= now) return 0
          const later = buckets.slice(index).reduce((sum, { executions }) => sum + executions, 0)
          return isPast ? bucket.executions : later
        })
        assert.deepStrictEqual(settled, expected, `${start} at ${now}`)
      }
    }
  })
})
