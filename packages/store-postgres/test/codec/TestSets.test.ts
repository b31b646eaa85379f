import { TestSet } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as TestSets from "../../src/codec/TestSets.ts"

const Numbers = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 700 })))

describe("TestSets", () => {
  it.prop("a look-up finds each test where the unpacked sets have it", [Numbers, Numbers, Numbers], ([a, b, asked]) => {
    const sets = [TestSet.of(a), TestSet.of(b)] as const
    const tests = [...new Set([...asked, 63, 64, 700])].sort((x, y) => x - y)
    const found = Result.getOrThrow(TestSets.lookUp(TestSets.encode(sets), tests))
    const expected = tests.map((test) => Number(TestSet.has(sets[0], test)) + 2 * Number(TestSet.has(sets[1], test)))
    assert.deepStrictEqual([...found], expected)
  })

  it("a look-up passes over full blocks and finds none of the tests of missing ones", () => {
    const all = TestSet.of(Array.from({ length: 64 }, (_, index) => 640 + index))
    const packed = TestSets.encode([all, TestSet.of([3])])
    assert.deepStrictEqual(
      [...Result.getOrThrow(TestSets.lookUp(packed, [3, 5, 639, 640, 703, 704]))],
      [2, 0, 0, 1, 1, 0]
    )
  })

  it("a look-up refuses bytes that were changed", () => {
    const packed = TestSets.encode([TestSet.of([1, 2]), TestSet.empty])
    packed[packed.length - 1] = 0xff
    assert.isTrue(Result.isFailure(TestSets.lookUp(packed, [1])))
  })
})
