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
})
