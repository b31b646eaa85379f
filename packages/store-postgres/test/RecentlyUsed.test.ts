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
