import { HealthPolicy, HealthStatus, Impact } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const policy = HealthPolicy.defaults

const count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 200 }))

describe("Impact.classify", () => {
  it("Impact.classify is low below 5 %, medium below 20 %, high from 20 % of failures", () => {
    const table: ReadonlyArray<readonly [ratio: number, impact: Impact.Impact]> = [
      [0, "low"],
      [0.0499, "low"],
      [0.05, "medium"],
      [0.1999, "medium"],
      [0.2, "high"],
      [1, "high"]
    ]
    for (const [ratio, impact] of table) {
      assert.strictEqual(Impact.classify("flaky", ratio, policy), impact, `flaky, ${ratio}`)
      assert.strictEqual(Impact.classify("broken", ratio, policy), impact, `broken, ${ratio}`)
    }
  })

  it("a healthy test has none, however often it failed", () => {
    for (const ratio of [0, 0.05, 1]) assert.isNull(Impact.classify("healthy", ratio, policy))
  })

  it("Impact.classify follows the policy", () => {
    const strict = { ...policy, impactMedium: 0, impactHigh: 0.01 }
    assert.deepStrictEqual(
      [0, 0.01].map((ratio) => Impact.classify("flaky", ratio, strict)),
      ["medium", "high"]
    )
  })

  it.prop("thresholds are met exactly, with no rounding of the ratio", [count, count], ([failed, passed]) => {
    const total = failed + passed
    const ratio = total === 0 ? 0 : failed / total
    const expected = total > 0 && 5 * failed >= total ? "high" : total > 0 && 20 * failed >= total ? "medium" : "low"
    assert.strictEqual(Impact.classify("broken", ratio, policy), expected)
  })

  it.prop(
    "Impact.classify is null for healthy tests only",
    [HealthStatus.HealthStatus, Schema.Literals([0, 0.1, 1])],
    ([status, ratio]) => {
      assert.strictEqual(Impact.classify(status, ratio, policy) === null, status === "healthy")
    }
  )
})
