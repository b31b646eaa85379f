import { assert, describe, it } from "@effect/vitest"
import { Effect, Random } from "effect"
import * as fc from "fast-check"

const isDrawn = process.env["PROPERTY_SEED"] === "drawn"

describe.skipIf(isDrawn)("the seeds of properties", () => {
  it("a property tries the same values in every run", () =>
    assert.deepStrictEqual(fc.sample(fc.integer(), 20), fc.sample(fc.integer(), 20)))

  it.effect("a property of Effect has the same seed in every run, and in every selection of tests", () =>
    Effect.map(Effect.all([Random.nextInt, Random.nextInt]), ([first, second]) => {
      if (process.env["PROPERTY_SEED"] === undefined) assert.strictEqual(first, 161_903_635_285_129)
      assert.notStrictEqual(first, second)
    })
  )
})
