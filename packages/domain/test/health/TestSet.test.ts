import { TestSet } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const Numbers = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 200 })))

const sorted = (numbers: Iterable<number>) => [...new Set(numbers)].sort((a, b) => a - b)

describe("TestSet", () => {
  it.prop("a TestSet does what a set of numbers does", [Numbers, Numbers], ([a, b]) => {
    const [one, other] = [TestSet.of(a), TestSet.of(b)]
    assert.deepStrictEqual(TestSet.numbers(one), sorted(a))
    assert.strictEqual(TestSet.size(one), new Set(a).size)
    assert.deepStrictEqual(TestSet.numbers(TestSet.union(one, other)), sorted([...a, ...b]))
    assert.deepStrictEqual(TestSet.numbers(TestSet.without(one, other)), sorted(a.filter((n) => !b.includes(n))))
    assert.deepStrictEqual(
      TestSet.numbers(TestSet.intersection(one, other)),
      sorted(a).filter((n) => b.includes(n))
    )
    assert.strictEqual(TestSet.common(one, other), sorted(a).filter((n) => b.includes(n)).length)
    assert.strictEqual(TestSet.isSame(one, other), sorted(a).join() === sorted(b).join())
    for (const number of [...a, ...b, 500]) assert.strictEqual(TestSet.has(one, number), a.includes(number))
  })

  it.prop(
    "inAtLeast yields the tests whose count of sets is not below the number",
    [
      Schema.Array(Numbers).check(Schema.isMaxLength(12)),
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 16 }))
    ],
    ([sets, least]) => {
      const counted = sorted(sets.flat()).filter((n) => sets.filter((set) => set.includes(n)).length >= least)
      assert.deepStrictEqual(TestSet.numbers(TestSet.inAtLeast(sets.map(TestSet.of), least)), counted)
    }
  )

  it("no tests take no room", () => {
    assert.strictEqual(TestSet.of([]).length, 0)
    assert.isTrue(TestSet.isSame(TestSet.empty, TestSet.without(TestSet.of([40]), TestSet.of([40]))))
  })
})
