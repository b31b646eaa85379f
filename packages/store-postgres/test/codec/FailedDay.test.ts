import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import * as FailedDay from "../../src/codec/FailedDay.ts"
import { ByteWriter } from "../../src/codec/ByteWriter.ts"
import { undetected, withVersion } from "../support/packed.ts"

const days = fc.array(fc.tuple(fc.nat(63), fc.integer({ min: 1, max: 2 ** 40 }))).map((pairs) => new Map(pairs))

describe("FailedDay", () => {
  it("FailedDay unpacks what was packed, in the order of tests", () => {
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

  it("a failed day of an unknown version is refused", () => {
    const bytes = withVersion(FailedDay.encode(new Map([[3, 1]])), 2)
    assert.deepInclude(Result.getOrThrow(Result.flip(FailedDay.decode(bytes))), {
      codec: "FailedDay",
      fault: "unknown version 2"
    })
  })

  it("every proper prefix and every flipped bit of a failed day is refused", () => {
    fc.assert(
      fc.property(days, (day) => assert.deepStrictEqual(undetected(FailedDay.encode(day), FailedDay.decode), [])),
      { numRuns: 20 }
    )
  })

  it("a failed day with tests out of order or outside of a block is refused", () => {
    for (const slots of [[3, 3], [3, 2], [64]]) {
      const writer = new ByteWriter(FailedDay.version)
      for (const slot of slots) {
        writer.byte(slot)
        writer.integer(1)
      }
      assert.isTrue(Result.isFailure(FailedDay.decode(writer.finish())))
    }
  })
})
