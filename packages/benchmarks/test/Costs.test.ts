import * as Costs from "../src/costs/GeneratedCosts.ts"
import * as Regime from "../src/generated/Regime.ts"
import { assert, describe, it } from "@effect/vitest"

describe("costs of generated histories", () => {
  it("where a rerun proves each failure the answer is the truth, and verdicts find more of the rest", async () => {
    const found = await Promise.all(
      Regime.seeds.short.slice(0, 4).map((seed) => Costs.figuresOf(Regime.short(seed), 0))
    )
    const sum = (known: Costs.Known, of: (figures: Costs.Figures) => number) =>
      found.reduce((total, each) => total + of(each[known]), 0)
    for (const known of ["reruns", "verdicts"] as const) {
      assert.isAbove(
        sum(known, ({ provable }) => provable),
        0
      )
      const wrong = sum(known, ({ provable, proven }) => provable - proven)
      assert.isAtMost(wrong, known === "reruns" ? 1e-9 : 0.05 * sum(known, ({ provable }) => provable))
    }
    assert.isAtLeast(sum("reruns", ({ right }) => right) / sum("reruns", (each) => each.found), 0.9)
    assert.isAbove(
      sum("verdicts", ({ right }) => right),
      sum("reruns", ({ right }) => right)
    )
  })
})
