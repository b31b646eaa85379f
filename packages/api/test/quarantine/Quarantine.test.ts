import { assert, describe, it } from "@effect/vitest"
import { Schemas } from "@lazaret/api"
import { Schema } from "effect"

describe("CreateQuarantine", () => {
  const isBody = Schema.is(Schemas.CreateQuarantine)
  const body = { test_name: "a", reason: "" }

  it("a branch may be left out, null, or 1 to 10,000 characters", () => {
    for (const branch of [null, "b", "b".repeat(10_000)]) assert.isTrue(isBody({ ...body, branch }))
    for (const branch of ["", "b".repeat(10_001), 1]) assert.isFalse(isBody({ ...body, branch }))
    assert.isTrue(isBody(body))
  })

  it("a name and a reason of up to 10,000 characters are needed, the reason may be empty", () => {
    assert.isTrue(isBody({ test_name: "\u{1f600}".repeat(10_000), reason: "r".repeat(10_000) }))
    const faults = [
      { test_name: "a" },
      { reason: "" },
      { ...body, test_name: "" },
      { ...body, reason: "r".repeat(10_001) }
    ]
    for (const fault of [...faults, { ...body, test_name: "a".repeat(10_001) }]) assert.isFalse(isBody(fault))
  })
})
