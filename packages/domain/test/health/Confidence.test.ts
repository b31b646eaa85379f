import { Confidence } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"

describe("Confidence", () => {
  it("the confidence is ordered low, medium, high", () => {
    const sorted = (["high", "low", "medium"] as const).toSorted(Confidence.order)
    assert.deepStrictEqual(sorted, ["low", "medium", "high"])
  })

  it.prop("order and rank agree", [Confidence.Confidence, Confidence.Confidence], ([a, b]) => {
    assert.strictEqual(Confidence.order(a, b), Math.sign(Confidence.rank(a) - Confidence.rank(b)))
  })
})
