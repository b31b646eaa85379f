import { Confidence, HealthPolicy } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const reruns = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 }))

describe("Confidence.classify", () => {
  it("Confidence.classify is low below 10 reruns, medium from 10 to 29, high from 30", () => {
    const table: ReadonlyArray<readonly [reruns: number, confidence: Confidence.Confidence]> = [
      [0, "low"],
      [9, "low"],
      [10, "medium"],
      [29, "medium"],
      [30, "high"],
      [1_000_000, "high"]
    ]
    for (const [count, confidence] of table) {
      assert.strictEqual(Confidence.classify(count, HealthPolicy.defaults), confidence, `${count} reruns`)
    }
  })

  it("Confidence.classify follows the policy", () => {
    const policy = { ...HealthPolicy.defaults, confidenceMedium: 1, confidenceHigh: 2 }
    assert.deepStrictEqual(
      [0, 1, 2].map((count) => Confidence.classify(count, policy)),
      ["low", "medium", "high"]
    )
  })

  it.prop("more reruns never mean less confidence", [reruns, reruns], ([a, b]) => {
    const [less, more] = [Math.min(a, b), Math.max(a, b)].map((n) => Confidence.classify(n, HealthPolicy.defaults))
    assert.isTrue(Confidence.rank(less ?? "high") <= Confidence.rank(more ?? "low"))
  })
})

describe("Confidence.flakeRateBound", () => {
  it("Confidence.flakeRateBound is 26 % after 10 clean reruns, 9.5 % after 30, and says nothing after none", () => {
    const percent = [0, 10, 30].map((count) => Math.round(Confidence.flakeRateBound(count) * 1000) / 10)
    assert.deepStrictEqual(percent, [100, 25.9, 9.5])
  })

  it.prop("at the bound of the flake rate, this many clean reruns happen in 5 of 100 cases", [reruns], ([count]) => {
    const expected = count === 0 ? 1 : 0.05
    assert.closeTo((1 - Confidence.flakeRateBound(count)) ** count, expected, 1e-9)
  })
})
