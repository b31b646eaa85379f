import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import * as FailedDay from "../../src/codec/FailedDay.ts"
import { withVersion } from "../support/packed.ts"

const days = fc.array(fc.tuple(fc.nat(63), fc.integer({ min: 1, max: 2 ** 40 }))).map((pairs) => new Map(pairs))

describe("FailedDay", () => {
  it("unpacks what was packed, in the order of tests", () => {
    fc.assert(
      fc.property(days, (day) => {
        const unpacked = Result.getOrThrow(FailedDay.decode(FailedDay.encode(day)))
        assert.deepStrictEqual(
          [...unpacked],
          [...day].sort(([a], [b]) => a - b)
        )
      })
    )
  })

  it("refuses a version that it does not know", () => {
    const bytes = withVersion(FailedDay.encode(new Map([[3, 1]])), 2)
    assert.deepInclude(Result.getOrThrow(Result.flip(FailedDay.decode(bytes))), { codec: "FailedDay", version: 2 })
  })
})
