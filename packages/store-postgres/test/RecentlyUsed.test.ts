import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { RecentlyUsed } from "../src/repository/RecentlyUsed.ts"

describe("RecentlyUsed", () => {
  it("a cache keeps the values that were used last, up to its capacity, and always the one in use", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9)), fc.integer({ min: 1, max: 20 }), (keys, capacity) => {
        const cache = new RecentlyUsed<number, number>(capacity, (key) => key)
        let kept: ReadonlyArray<number> = []
        for (const key of keys) {
          let isMade = false
          const value = cache.get(key, () => {
            isMade = true
            return key
          })
          assert.deepStrictEqual([value, isMade], [key, !kept.includes(key)])
          kept = [...kept.filter((each) => each !== key), key]
          while (kept.length > 1 && kept.reduce((sum, each) => sum + each, 0) > capacity) kept = kept.slice(1)
        }
      })
    )
  })

  it("a value that grew while it was in use makes others leave at the next use", () => {
    const cache = new RecentlyUsed<string, { weight: number }>(10, ({ weight }) => weight)
    const of = (key: string) => cache.get(key, () => ({ weight: 1 }))
    const first = of("a")
    const grown = of("b")
    of("c")
    of("b")
    grown.weight = 9
    of("d")
    assert.notStrictEqual(of("a"), first)
  })

  it("a use weighs a few values however many the cache holds, and a value that grew later is noticed in time", () => {
    let weighed = 0
    const cache = new RecentlyUsed<number, { weight: number }>(2_000, ({ weight }) => {
      weighed += 1
      return weight
    })
    const of = (key: number) => cache.get(key, () => ({ weight: 1 }))
    for (let key = 0; key < 1_000; key++) of(key)
    for (let use = 0; use < 10_000; use++) of(use % 1_000)
    assert.isBelow(weighed, 11_000 * 4)
    const grown = of(0)
    of(999)
    grown.weight = 5_000
    for (let use = 0; use < 1_000; use++) of(998 + (use % 2))
    assert.notStrictEqual(of(0), grown)
  })

  it("a cleared cache makes every value again", () => {
    const cache = new RecentlyUsed<string, object>(9, () => 1)
    const first = cache.get("a", () => ({}))
    assert.strictEqual(
      cache.get("a", () => ({})),
      first
    )
    cache.clear()
    assert.notStrictEqual(
      cache.get("a", () => ({})),
      first
    )
  })
})
