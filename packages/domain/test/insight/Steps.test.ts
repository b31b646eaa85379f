import { Steps } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

interface Item {
  readonly key: number
  readonly place: number
}

/** Items with few keys, so that many are equal, and often more of them than one step takes. */
const items = fc
  .tuple(fc.integer({ min: 0, max: 14_000 }), fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 1, max: 1_000_003 }))
  .map(([length, keys, factor]): ReadonlyArray<Item> =>
    Array.from({ length }, (_, place) => ({ key: (((place * factor) % 7919) * 31) % keys, place }))
  )

const byKey = (a: Item, b: Item): number => a.key - b.key

/** The most calls of a function between two steps, and the steps. */
const work = (steps: (call: () => void) => Steps.Steps<unknown>) => {
  let [calls, most, count] = [0, 0, 0]
  const taken = steps(() => (calls += 1))
  for (let step = taken.next(); step.done !== true; step = taken.next()) {
    most = Math.max(most, calls)
    calls = 0
    count += 1
  }
  return { most: Math.max(most, calls), count }
}

const large = Array.from({ length: 50_000 }, (_, place) => ({ key: (place * 7919) % 50_021, place }))

describe("Steps", () => {
  it("items that are sorted in steps are those that are sorted at once, equal ones in their order", () => {
    fc.assert(
      fc.property(items, (all) => {
        assert.deepStrictEqual(Steps.finish(Steps.sorted(all, byKey)), all.toSorted(byKey))
      }),
      { numRuns: 20 }
    )
  })

  it("items that are grouped in steps are those that are grouped at once", () => {
    fc.assert(
      fc.property(items, (all) => {
        const keyOf = ({ key }: Item) => `${key % 50}`
        assert.deepStrictEqual(Steps.finish(Steps.groupBy(all, keyOf)), Map.groupBy(all, keyOf))
      }),
      { numRuns: 20 }
    )
  })

  it("work on items that takes steps itself yields the results in order", () => {
    const weighed = { most: 2, weightOf: () => 1 }
    const steps = Steps.mapSteps([3, 1, 2], weighed, function* (item) {
      for (let step = 0; step < item; step++) yield
      return item * item
    })
    assert.deepStrictEqual(Steps.finish(steps), [9, 1, 4])
  })

  it("no step sorts, merges or groups more than some thousand of 50,000 items", () => {
    const sorting = work((call) =>
      Steps.sorted(large, (a, b) => {
        call()
        return byKey(a, b)
      })
    )
    assert.isAtMost(sorting.most, 50_000)
    assert.isAbove(sorting.count, 12)
    const grouping = work((call) =>
      Steps.groupBy(large, ({ key }) => {
        call()
        return `${key}`
      })
    )
    assert.isAtMost(grouping.most, 4097)
  })
})
