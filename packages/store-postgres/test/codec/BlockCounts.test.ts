import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import * as BlockCounts from "../../src/codec/BlockCounts.ts"
import { withVersion } from "../support/packed.ts"

const count = fc.oneof(fc.nat(200), fc.nat(2 ** 32 - 1))

const tests = fc.array(
  fc.record({
    slot: fc.nat(63),
    executions: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
    failed: count,
    skipped: count,
    reruns: count,
    durationUs: fc.oneof(fc.nat(), fc.maxSafeNat()),
    status: fc.nat(2)
  })
)

const countsOf = (drawn: ReadonlyArray<BlockCounts.Test & { readonly slot: number }>): BlockCounts.BlockCounts => {
  const counts = BlockCounts.make()
  for (const { slot, ...test } of drawn) BlockCounts.set(counts, slot, test)
  return counts
}

const none: BlockCounts.Test = { executions: 0, failed: 0, skipped: 0, reruns: 0, durationUs: 0, status: 0 }

describe("BlockCounts", () => {
  it("keeps the totals of each test beside the others", () => {
    fc.assert(
      fc.property(tests, (drawn) => {
        const counts = BlockCounts.of(countsOf(drawn).bytes)
        const last = new Map(drawn.map(({ slot, ...test }) => [slot, test]))
        for (let slot = 0; slot < BlockCounts.slots; slot++) {
          assert.deepStrictEqual(BlockCounts.get(counts, slot), last.get(slot) ?? none)
        }
      })
    )
  })

  it("keeps what is too large as the largest that has a place", () => {
    const counts = BlockCounts.make()
    BlockCounts.set(counts, 3, { ...none, reruns: 2 ** 40, durationUs: 2 ** 60 })
    const kept = { ...none, reruns: 2 ** 32 - 1, durationUs: Number.MAX_SAFE_INTEGER }
    assert.deepStrictEqual(BlockCounts.get(counts, 3), kept)
  })

  it("unpacks the totals at the close of a day as they were packed, without the status", () => {
    fc.assert(
      fc.property(tests, (drawn) => {
        const counts = countsOf(drawn.map((test) => ({ ...test, status: 0 })))
        const unpacked = Result.getOrThrow(BlockCounts.decodeClosing(BlockCounts.encodeClosing(counts)))
        assert.deepStrictEqual(unpacked.bytes, counts.bytes)
      })
    )
  })

  it("refuses a version that it does not know", () => {
    const bytes = withVersion(BlockCounts.encodeClosing(BlockCounts.make()), 9)
    const refused = Result.getOrThrow(Result.flip(BlockCounts.decodeClosing(bytes)))
    assert.deepInclude(refused, { codec: "BlockCounts", version: 9 })
  })

  it("keeps the latest totals where SQL looks for them", () => {
    const { bytes } = countsOf([
      { slot: 1, executions: 258, failed: 3, skipped: 4, reruns: 5, durationUs: 6, status: 2 }
    ])
    assert.deepStrictEqual(
      [28, 29, 32, 36, 40, 44, 52].map((place) => bytes[place]),
      [2, 1, 3, 4, 5, 6, 2]
    )
  })
})
