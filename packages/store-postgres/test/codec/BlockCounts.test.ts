import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import * as BlockCounts from "../../src/codec/BlockCounts.ts"
import { ByteWriter } from "../../src/codec/ByteWriter.ts"
import * as Header from "../../src/codec/Header.ts"
import { undetected, withVersion } from "../support/packed.ts"

const count = fc.oneof(fc.nat(200), fc.nat(2 ** 32 - 1))

const tests = fc.array(
  fc.record({
    slot: fc.nat(63),
    executions: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
    failed: count,
    skipped: count,
    reruns: count,
    durationUs: fc.oneof(fc.nat(), fc.maxSafeNat()),
    rerunsSince: fc.nat(2 ** 24 - 1),
    status: fc.constantFrom("healthy" as const, "flaky" as const, "broken" as const)
  })
)

const countsOf = (drawn: ReadonlyArray<BlockCounts.Test & { readonly slot: number }>): BlockCounts.BlockCounts => {
  const counts = BlockCounts.make()
  for (const { slot, ...test } of drawn) BlockCounts.set(counts, slot, test)
  return counts
}

const none: BlockCounts.Test = {
  executions: 0,
  failed: 0,
  skipped: 0,
  reruns: 0,
  durationUs: 0,
  rerunsSince: 0,
  status: "healthy"
}

describe("BlockCounts", () => {
  it("BlockCounts unpacks the totals of each test as they were packed", () => {
    fc.assert(
      fc.property(tests, (drawn) => {
        const counts = Result.getOrThrow(BlockCounts.decode(BlockCounts.encode(countsOf(drawn))))
        const last = new Map(drawn.map(({ slot, ...test }) => [slot, test]))
        for (let slot = 0; slot < BlockCounts.slots; slot++) {
          assert.deepStrictEqual(BlockCounts.get(counts, slot), last.get(slot) ?? none)
        }
      })
    )
  })

  it("a count that is too large is stored as the largest possible one", () => {
    const counts = BlockCounts.make()
    BlockCounts.set(counts, 3, { ...none, reruns: 2 ** 40, rerunsSince: 2 ** 40, durationUs: 2 ** 60 })
    const largest = { reruns: 2 ** 32 - 1, rerunsSince: 2 ** 24 - 1, durationUs: Number.MAX_SAFE_INTEGER }
    const kept = { ...none, ...largest }
    assert.deepStrictEqual(BlockCounts.get(counts, 3), kept)
  })

  it("BlockCounts unpacks the totals at the close of a day as they were packed, without the verdict", () => {
    fc.assert(
      fc.property(tests, (drawn) => {
        const counts = countsOf(drawn.map((test) => ({ ...test, rerunsSince: 0, status: "healthy" as const })))
        const unpacked = Result.getOrThrow(BlockCounts.decodeClosing(BlockCounts.encodeClosing(counts)))
        assert.deepStrictEqual(unpacked.bytes, counts.bytes)
      })
    )
  })

  it("totals of an unknown version are refused", () => {
    const closing = withVersion(BlockCounts.encodeClosing(BlockCounts.make()), 9)
    const totals = withVersion(BlockCounts.encode(BlockCounts.make()), 9)
    for (const refused of [BlockCounts.decodeClosing(closing), BlockCounts.decode(totals)]) {
      assert.deepInclude(Result.getOrThrow(Result.flip(refused)), { fault: "unknown version 9" })
    }
  })

  it("every proper prefix and every flipped bit of the totals at the close of a day is refused", () => {
    fc.assert(
      fc.property(tests, (drawn) =>
        assert.deepStrictEqual(undetected(BlockCounts.encodeClosing(countsOf(drawn)), BlockCounts.decodeClosing), [])
      ),
      { numRuns: 20 }
    )
  })

  it("every proper prefix and every flipped bit of the latest totals is refused", () => {
    fc.assert(
      fc.property(tests, (drawn) =>
        assert.deepStrictEqual(undetected(BlockCounts.encode(countsOf(drawn)), BlockCounts.decode), [])
      ),
      { numRuns: 2 }
    )
  })

  it("totals with an unknown status are refused, behind a valid checksum", () => {
    const { start, status } = BlockCounts.layout
    const bytes = BlockCounts.encode(BlockCounts.make())
    bytes[start + status] = 3
    const refused = Result.getOrThrow(Result.flip(BlockCounts.decode(Header.seal(bytes, BlockCounts.version))))
    assert.strictEqual(refused.fault, "unknown status 3")
  })

  it("totals at the close of a day for more tests than a block has are refused", () => {
    const writer = new ByteWriter(BlockCounts.version)
    for (let slot = 0; slot <= BlockCounts.slots; slot++) writer.byte(0)
    assert.isTrue(Result.isFailure(BlockCounts.decodeClosing(writer.finish())))
  })

  it("the latest totals are at the offsets that SQL reads", () => {
    const bytes = BlockCounts.encode(
      countsOf([
        { slot: 1, executions: 258, failed: 3, skipped: 4, reruns: 5, durationUs: 6, rerunsSince: 7, status: "broken" }
      ])
    )
    assert.deepStrictEqual(
      [33, 34, 37, 41, 45, 49, 57, 58].map((place) => bytes[place]),
      [2, 1, 3, 4, 5, 6, 2, 7]
    )
  })
})
