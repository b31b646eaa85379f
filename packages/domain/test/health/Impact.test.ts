import { Impact } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"

describe("Impact", () => {
  it("the impact is ordered low, medium, high", () => {
    const sorted = (["high", "low", "medium"] as const).toSorted(Impact.order)
    assert.deepStrictEqual(sorted, ["low", "medium", "high"])
  })

  it.prop("order and rank agree", [Impact.Impact, Impact.Impact], ([a, b]) => {
    assert.strictEqual(Impact.order(a, b), Math.sign(Impact.rank(a) - Impact.rank(b)))
  })
})
