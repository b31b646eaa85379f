import { Page } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Order, Schema } from "effect"

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const Numbers = Schema.UniqueArray(between(0, 200))
const Limit = between(1, 12)

const select = (rows: Iterable<number>, limit: number, from: Page.From<number>) =>
  Page.select(rows, { order: Order.Number, comparePosition: Order.Number, from, limit })

const position = (row: number) => row

type Step = (page: Page.Page<number>) => Page.From<number> | null

const walk = (rows: Iterable<number>, limit: number, from: Page.From<number>, step: Step) => {
  const pages: Array<Page.Page<number>> = []
  let target: Page.From<number> | null = from
  while (target !== null) {
    const page = select(rows, limit, target)
    pages.push(page)
    target = step(page)
  }
  return pages
}

const forward: Step = (page) => Page.next(page, position)
const backward: Step = (page) => Page.previous(page, position)

const chunks = (rows: ReadonlyArray<number>, limit: number) =>
  Array.from({ length: Math.max(1, Math.ceil(rows.length / limit)) }, (_, i) => rows.slice(i * limit, (i + 1) * limit))

const ascending = (rows: ReadonlyArray<number>) => rows.toSorted((a, b) => a - b)

describe("Page", () => {
  it("Page shows rows after a position, before one, and at the end", () => {
    const rows = [50, 10, 30, 20, 40]
    assert.deepStrictEqual(select(rows, 2, Page.start), { rows: [10, 20], hasPrevious: false, hasNext: true, total: 5 })
    assert.deepStrictEqual(select(rows, 2, Page.after(20)).rows, [30, 40])
    assert.deepStrictEqual(select(rows, 2, Page.before(50)).rows, [30, 40])
    assert.deepStrictEqual(select(rows, 2, Page.end), { rows: [50], hasPrevious: true, hasNext: false, total: 5 })
  })

  it("of an empty list every page is empty", () => {
    const empty = { rows: [], hasPrevious: false, hasNext: false, total: 0 }
    for (const from of [Page.start, Page.end, Page.after(1), Page.before(1)]) {
      assert.deepStrictEqual(select([], 3, from), empty)
    }
  })

  it.prop("next pages from the start are the sorted list in pieces", [Numbers, Limit], ([rows, limit]) => {
    const pages = walk(rows, limit, Page.start, forward)
    assert.deepStrictEqual(
      pages.map((page) => page.rows),
      chunks(ascending(rows), limit)
    )
  })

  it.prop("previous pages from the end are the same pages in reverse", [Numbers, Limit], ([rows, limit]) => {
    assert.deepStrictEqual(walk(rows, limit, Page.end, backward).toReversed(), walk(rows, limit, Page.start, forward))
  })

  it.prop("there is a previous and a next page when rows are around", [Numbers, Limit, between(0, 200)], (input) => {
    const [rows, limit, at] = input
    for (const from of [Page.start, Page.end, Page.after(at), Page.before(at)]) {
      const page = select(rows, limit, from)
      assert.strictEqual(page.total, rows.length)
      const first = page.rows[0] ?? (from._tag === "Before" ? at : at + 1)
      const last = page.rows.at(-1) ?? (from._tag === "Before" ? at - 1 : at)
      if (rows.length === 0) continue
      assert.strictEqual(
        page.hasPrevious,
        rows.some((row) => row < first)
      )
      assert.strictEqual(
        page.hasNext,
        rows.some((row) => row > last)
      )
    }
  })

  it.prop(
    "rows that come and go between pages neither repeat nor hide a row that stays",
    [Numbers, Schema.Array(Schema.Tuple([between(0, 200), Schema.Boolean])), Limit, Schema.Boolean],
    ([initial, changes, limit, isForward]) => {
      const rows = new Set(initial)
      const staying = new Set(initial)
      const seen: Array<number> = []
      const pending = [...changes]
      const step = isForward ? forward : backward
      walk(rows, limit, isForward ? Page.start : Page.end, (page) => {
        seen.push(...(isForward ? page.rows : page.rows.toReversed()))
        for (const [row, isNew] of pending.splice(0, 3)) {
          if (isNew) rows.add(row)
          else rows.delete(row)
          staying.delete(row)
        }
        return step(page)
      })
      assert.strictEqual(new Set(seen).size, seen.length)
      const order = ascending(seen)
      assert.deepStrictEqual(seen, isForward ? order : order.toReversed())
      for (const row of staying) assert.include(seen, row)
    }
  )

  it("a page whose rows are all gone leads back to the list", () => {
    const after = select([1, 2], 2, Page.after(9))
    assert.deepStrictEqual(after, { rows: [], hasPrevious: true, hasNext: false, total: 2 })
    assert.deepStrictEqual(Page.previous(after, position), Page.end)
    const before = select([8, 9], 2, Page.before(1))
    assert.deepStrictEqual(before, { rows: [], hasPrevious: false, hasNext: true, total: 2 })
    assert.deepStrictEqual(Page.next(before, position), Page.start)
  })

  it("without a limit everything is one page", () => {
    const rows = Array.from({ length: 500 }, (_, i) => (i * 7) % 500)
    for (const from of [Page.start, Page.end]) {
      const page = select(rows, Number.POSITIVE_INFINITY, from)
      assert.deepStrictEqual(page, { rows: ascending(rows), hasPrevious: false, hasNext: false, total: 500 })
    }
  })

  it("long lists in any order are cut as often as they need", () => {
    const list = Array.from({ length: 5000 }, (_, i) => i)
    const mixed = list.map((i) => (i * 1237) % 5000)
    for (const rows of [list, list.toReversed(), mixed]) {
      for (const limit of [1, 10, 100]) {
        assert.deepStrictEqual(select(rows, limit, Page.start).rows, list.slice(0, limit))
        assert.deepStrictEqual(select(rows, limit, Page.after(1999)).rows, list.slice(2000, 2000 + limit))
        assert.deepStrictEqual(select(rows, limit, Page.before(2000)).rows, list.slice(2000 - limit, 2000))
      }
    }
  })

  it("rows are compared a few times each, not sorted", () => {
    let comparisons = 0
    const order = Order.make<number>((a, b) => {
      comparisons += 1
      return a < b ? -1 : a > b ? 1 : 0
    })
    const rows = Array.from({ length: 20_000 }, (_, i) => (i * 7919) % 20_000)
    Page.select(rows, { order, comparePosition: order, from: Page.start, limit: 10 })
    assert.isBelow(comparisons, 1.2 * rows.length)
  })
})
