import { assert, describe, it } from "@effect/vitest"
import type { Operations, Wire } from "@lazaret/api"

/** Compiles only if both types accept each other's values. */
const same = <A, B>(holds: A extends B ? (B extends A ? true : false) : false): void => assert.isTrue(holds)

describe("Operations", () => {
  it("the types of an operation are those of its schemas", () => {
    same<Operations["searchTests"]["response"], Wire.SearchPage>(true)
    same<Operations["getTest"]["response"], Wire.TestDetails>(true)
    same<Operations["createQuarantine"]["method"], "POST">(true)
    // @ts-expect-error The response of another operation.
    same<Operations["getTest"]["response"], Wire.SearchPage>(true)
    const body: Operations["createQuarantine"]["body"] = { test_name: "a", reason: "r" }
    assert.deepStrictEqual(body, { test_name: "a", reason: "r" })
  })
})
