import { HealthStatus } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const status = HealthStatus.HealthStatus

describe("HealthStatus", () => {
  it("the health status is ordered healthy, flaky, broken", () => {
    const sorted = (["broken", "healthy", "flaky"] as const).toSorted(HealthStatus.order)
    assert.deepStrictEqual(sorted, ["healthy", "flaky", "broken"])
  })

  it("no other word is a status", () => {
    assert.isFalse(Schema.is(status)("Healthy"))
    assert.isFalse(Schema.is(status)("unknown"))
  })

  it.prop("order and rank agree", [status, status], ([a, b]) => {
    assert.strictEqual(HealthStatus.order(a, b), Math.sign(HealthStatus.rank(a) - HealthStatus.rank(b)))
  })

  it.prop("worst is the greater one, whichever comes first", [status, status], ([a, b]) => {
    const worst = HealthStatus.worst(a, b)
    assert.strictEqual(HealthStatus.rank(worst), Math.max(HealthStatus.rank(a), HealthStatus.rank(b)))
    assert.strictEqual(HealthStatus.worst(b, a), worst)
  })
})
