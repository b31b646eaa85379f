import { assert, describe, it } from "@effect/vitest"
import { FailureVerdict } from "@lazaret/domain"
import { FailureClass } from "@lazaret/queue"
import * as fc from "fast-check"

const policy = FailureClass.defaults

const judgements = fc.array(
  fc.record({
    class: fc.constantFrom("infrastructure", "flaky", "real", "unknown"),
    probability: fc.option(fc.double({ min: 0, max: 1, noNaN: true }))
  }),
  { maxLength: 8 }
)

describe("FailureClass", () => {
  it("every verdict on a failure has a class, and no test is flaky that never contradicted itself", () => {
    const classes = (isKnownFlake: boolean) =>
      Object.fromEntries(
        FailureVerdict.Verdict.literals.map((verdict) => {
          return [
            verdict,
            FailureClass.ofVerdict({ verdict, probabilityFlaky: 0.4, isKnownFlake }, policy).class
          ] as const
        })
      )
    assert.deepStrictEqual(classes(false), { ...classes(true), flaky: "unknown" })
    assert.deepStrictEqual(classes(true), {
      flaky: "flaky",
      broken_on_base: "unknown",
      outage: "infrastructure",
      new_failure: "real",
      new_test: "real",
      undecided: "unknown"
    })
  })

  it("an undecided failure is flaky from the probability of the policy on", () => {
    const of = (probabilityFlaky: number) =>
      FailureClass.ofVerdict({ verdict: "undecided", probabilityFlaky, isKnownFlake: true }, policy)
    assert.deepStrictEqual([of(0.49).class, of(0.5).class], ["unknown", "flaky"])
  })

  it("the judgement on several failures does not depend on their order, and one real failure decides", () => {
    fc.assert(
      fc.property(judgements, (drawn) => {
        const combined = FailureClass.combine(drawn, policy)
        assert.deepStrictEqual(FailureClass.combine(drawn.toReversed(), policy), combined)
        assert.strictEqual(
          combined.class === "real",
          drawn.some((each) => each.class === "real")
        )
        for (const { probability } of drawn) {
          if (combined.probability !== null) assert.isAtMost(combined.probability, probability ?? 0)
        }
      })
    )
  })

  it("flaky failures in more tests than the policy allows are unknown", () => {
    const flaky = (count: number) =>
      Array.from({ length: count }, () => ({ class: "flaky", probability: 0.9 }) as const)
    assert.strictEqual(FailureClass.combine(flaky(policy.mostFlakyTests), policy).class, "flaky")
    assert.strictEqual(FailureClass.combine(flaky(policy.mostFlakyTests + 1), policy).class, "unknown")
  })
})
