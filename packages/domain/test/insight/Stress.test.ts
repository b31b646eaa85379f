import { Stress } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

const share = fc.double({ min: 0.01, max: 0.99, noNaN: true })

describe("Stress", () => {
  it("the number of runs is the least one that excludes the share of failures", () => {
    fc.assert(
      fc.property(share, share, (confidence, below) => {
        const runs = Stress.runsFor({ confidence, below })
        assert.isAtMost(Stress.boundOf(runs, confidence), below + 1e-9)
        if (runs > 1) assert.isAbove(Stress.boundOf(runs - 1, confidence), below)
      }),
      { numRuns: 200 }
    )
  })

  it("30 clean runs exclude 9.5 % with 95 %, and no run excludes nothing", () => {
    assert.closeTo(Stress.boundOf(30, 0.95), 0.095, 0.0005)
    assert.strictEqual(Stress.boundOf(0, 0.95), 1)
  })

  it("a pass and a failure decide at once, and tests that fail three times are not run again", () => {
    const clean = { passed: 2, failed: 0 }
    assert.isTrue(Stress.isDecided([clean, { passed: 1, failed: 1 }]))
    assert.isTrue(Stress.isDecided([{ passed: 0, failed: 3 }]))
    assert.isFalse(Stress.isDecided([{ passed: 0, failed: 3 }, clean]))
    assert.isFalse(Stress.isDecided([{ passed: 0, failed: 2 }]))
    assert.isFalse(Stress.isDecided([]))
  })

  it("tests are summed up in one sentence, with every one of them in one count", () => {
    const tally = fc.record({ passed: fc.nat({ max: 5 }), failed: fc.nat({ max: 5 }) })
    fc.assert(
      fc.property(fc.array(tally, { minLength: 1, maxLength: 9 }), fc.boolean(), (tallies, isNew) => {
        const sentence = Stress.summaryOf(tallies, isNew) ?? ""
        const [all = "", ...counts] = (sentence.match(/\d+(?! clean runs?\b)/gu) ?? []).map(Number)
        assert.strictEqual(all, tallies.length)
        const isClean = tallies.every(({ failed, passed }) => failed === 0 && passed > 0)
        assert.strictEqual(
          counts.reduce((sum, count) => sum + count, 0),
          isClean ? 0 : all
        )
        assert.strictEqual(sentence.includes("new "), isNew)
      }),
      { numRuns: 100 }
    )
    assert.strictEqual(Stress.summaryOf([], true), null)
    const clean = (passed: number) => ({ passed, failed: 0 })
    assert.strictEqual(Stress.summaryOf([clean(30)], true), "1 new test, 30 clean runs.")
    assert.strictEqual(Stress.summaryOf([clean(30), clean(29)], false), "2 tests, at least 29 clean runs each.")
  })
})
