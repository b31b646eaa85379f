/**
 * Pages of an ordered list by position (keyset paging).
 *
 * A page starts after, or ends before, the *position* of a row, never at a row number: while rows are added and
 * removed, following the pages neither repeats nor skips a row that stayed.
 */
import type * as Order from "effect/Order"

/** The start of a page that is not the first: after a position, before one, or at the end of the list. */
export type Target<P> =
  | { readonly _tag: "After"; readonly position: P }
  | { readonly _tag: "Before"; readonly position: P }
  | { readonly _tag: "End" }

/** The start of a page: at the start of the list, or at a target. */
export type From<P> = { readonly _tag: "Start" } | Target<P>

/**
 * Rows that follow one another, and what is around them.
 *
 * **Details**
 *
 * - `hasPrevious`, `hasNext`: whether rows come before and after these.
 * - `total`: the rows of the whole list.
 */
export interface Page<A> {
  readonly rows: ReadonlyArray<A>
  readonly hasPrevious: boolean
  readonly hasNext: boolean
  readonly total: number
}

/**
 * A selection: `limit` rows (1 or more, `Infinity` for all) from a place in the order.
 *
 * **Gotchas**
 *
 * `order` must be total: rows that it calls equal may be told apart by no page. `comparePosition` must agree with it.
 */
export interface Selection<A, P> {
  readonly order: Order.Order<A>
  readonly comparePosition: (row: A, position: P) => number
  readonly from: From<P>
  readonly limit: number
}

/** The first page. */
export const start: From<never> = { _tag: "Start" }

/** The last page: as many rows as remain when every page before it is full. */
export const end: Target<never> = { _tag: "End" }

/** The page of the rows that follow a position. */
export const after = <P>(position: P): Target<P> => ({ _tag: "After", position })

/** The page of the rows just before a position, in the order of the list. */
export const before = <P>(position: P): Target<P> => ({ _tag: "Before", position })

/**
 * One page of a list that need not be sorted.
 *
 * **Details**
 *
 * One pass over the rows, which keeps at most twice `limit` of them (or 64): ten rows of 200,000 take milliseconds.
 *
 * - The pages that follow one another from the start are the sorted list, cut every `limit` rows.
 * - Going back from the end gives the same pages in reverse, as long as the list stays the same.
 *
 * @example
 * ```ts
 * import { Page } from "@lazaret/domain"
 * import { Order } from "effect"
 *
 * const numbers = { order: Order.Number, comparePosition: Order.Number, limit: 2 }
 * const list = [5, 3, 1, 4, 2]
 * Page.select(list, { ...numbers, from: Page.after(2) })
 * // => { rows: [3, 4], hasPrevious: true, hasNext: true, total: 5 }
 * Page.select(list, { ...numbers, from: Page.before(3) }).rows // => [1, 2]
 * Page.select(list, { ...numbers, from: Page.end }).rows // => [5]
 * ```
 */
export const select = <A, P>(rows: Iterable<A>, selection: Selection<A, P>): Page<A> => {
  switch (selection.from._tag) {
    case "Start":
      return forward(rows, selection, () => true)
    case "After": {
      const { position } = selection.from
      return forward(rows, selection, (row) => selection.comparePosition(row, position) > 0)
    }
    case "Before": {
      const { position } = selection.from
      return backward(rows, selection, (row) => selection.comparePosition(row, position) < 0)
    }
    case "End":
      return last(rows, selection)
  }
}

/**
 * The start of the next page; null when no row follows this page.
 *
 * **Details**
 *
 * A page is empty when all its rows were removed since its cursor was made: the first page comes next then.
 *
 * @example
 * ```ts
 * import { Page } from "@lazaret/domain"
 *
 * const page = { rows: [3, 4], hasPrevious: true, hasNext: true, total: 5 }
 * Page.next(page, (row) => row) // => Page.after(4)
 * Page.next({ ...page, hasNext: false }, (row) => row) // => null
 * ```
 */
export const next = <A, P>(page: Page<A>, position: (row: A) => P): From<P> | null => {
  if (!page.hasNext) return null
  const row = page.rows.at(-1)
  return row === undefined ? start : after(position(row))
}

/**
 * The end of the previous page; null when no row is before this page.
 *
 * **Details**
 *
 * A page is empty when all its rows were removed since its cursor was made: the last page is before it then.
 *
 * @example
 * ```ts
 * import { Page } from "@lazaret/domain"
 *
 * const page = { rows: [3, 4], hasPrevious: true, hasNext: true, total: 5 }
 * Page.previous(page, (row) => row) // => Page.before(3)
 * Page.previous({ ...page, rows: [], hasNext: false }, (row) => row) // => Page.end
 * ```
 */
export const previous = <A, P>(page: Page<A>, position: (row: A) => P): Target<P> | null => {
  if (!page.hasPrevious) return null
  const row = page.rows[0]
  return row === undefined ? end : before(position(row))
}

const forward = <A, P>(rows: Iterable<A>, { limit, order }: Selection<A, P>, isIn: (row: A) => boolean): Page<A> => {
  const { found, kept, total } = smallest(rows, order, limit, isIn)
  return { rows: kept, hasPrevious: found < total, hasNext: found > kept.length, total }
}

const backward = <A, P>(rows: Iterable<A>, { limit, order }: Selection<A, P>, isIn: (row: A) => boolean): Page<A> => {
  const { found, kept, total } = smallest(rows, (a, b) => order(b, a), limit, isIn)
  return { rows: kept.reverse(), hasPrevious: found > kept.length, hasNext: found < total, total }
}

const last = <A, P>(rows: Iterable<A>, selection: Selection<A, P>): Page<A> => {
  const page = backward(rows, selection, () => true)
  const size = page.total % selection.limit || page.rows.length
  return { ...page, rows: page.rows.slice(-size), hasPrevious: page.total > size }
}

/** The `limit` smallest of the rows that are in, sorted, with the number of those (`found`) and of all rows. */
const smallest = <A>(rows: Iterable<A>, order: Order.Order<A>, limit: number, isIn: (row: A) => boolean) => {
  // Each cut is paid for by at least `limit` new rows, whatever the order in which the rows come.
  const capacity = Math.max(64, 2 * limit)
  const kept: Array<A> = []
  let worst: A | undefined
  let found = 0
  let total = 0
  for (const row of rows) {
    total += 1
    if (!isIn(row)) continue
    found += 1
    if (worst !== undefined && order(row, worst) >= 0) continue
    kept.push(row)
    if (kept.length >= capacity) worst = cut(kept, order, limit)
  }
  cut(kept, order, limit)
  return { kept, found, total }
}

const cut = <A>(kept: Array<A>, order: Order.Order<A>, limit: number): A | undefined => {
  kept.sort(order)
  kept.length = Math.min(kept.length, limit)
  return kept.at(-1)
}
