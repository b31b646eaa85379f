import { assert, describe, it } from "@effect/vitest"
import { Page } from "@lazaret/domain"
import { Order } from "effect"
import * as fc from "fast-check"
import * as KeysetPage from "../src/KeysetPage.ts"

/** What a database answers: the rows nearest to the position or the end, and how many are on its side. */
const query = (list: ReadonlyArray<number>, from: Page.From<number>, limit: number | null) => {
  const sorted = list.toSorted((a, b) => a - b)
  const found = sorted.filter((row) =>
    from._tag === "After" ? row > from.position : from._tag === "Before" ? row < from.position : true
  )
  const size = limit ?? found.length
  const rows = KeysetPage.isBackward(from) ? found.slice(Math.max(0, found.length - size)) : found.slice(0, size)
  return KeysetPage.make(rows, { found: found.length, total: sorted.length }, from, limit)
}

const position = fc.integer({ min: 0, max: 30 })
const from: fc.Arbitrary<Page.From<number>> = fc.oneof(
  fc.constant(Page.start),
  fc.constant(Page.end),
  position.map((at) => Page.after(at)),
  position.map((at) => Page.before(at))
)

describe("a page that the database has cut", () => {
  it("is the page that the domain selects from the whole list", () => {
    const lists = fc.uniqueArray(position, { maxLength: 12 })
    const limits = fc.option(fc.integer({ min: 1, max: 5 }))
    fc.assert(
      fc.property(lists, from, limits, (list, place, limit) => {
        const selection = { order: Order.Number, comparePosition: Order.Number, from: place, limit: limit ?? Infinity }
        assert.deepStrictEqual(query(list, place, limit), Page.select(list, selection))
      }),
      { numRuns: 1000 }
    )
  })
})
