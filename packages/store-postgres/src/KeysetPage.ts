/** Pages that the database has cut out of an ordered list by position. */
import type { Page } from "@lazaret/domain"

/**
 * What the database counted: all rows of the list, and those of them on the side of the position that the page is on.
 */
export interface Counted {
  readonly total: number
  readonly found: number
}

/** Whether the rows nearest to the position, or to the end, are the last of those on its side. */
export const isBackward = <P>(from: Page.From<P>): boolean => from._tag === "Before" || from._tag === "End"

/**
 * The page, as `Page.select` yields it for the same list, of at most `limit` rows in the order of the list (null: all).
 */
export const make = <A, P>(
  rows: ReadonlyArray<A>,
  { found, total }: Counted,
  from: Page.From<P>,
  limit: number | null
): Page.Page<A> => {
  if (from._tag === "End") {
    // The last page holds what remains when all pages before it are full.
    const size = total % (limit ?? Infinity) || rows.length
    return { rows: rows.slice(-size), hasPrevious: total > size, hasNext: false, total }
  }
  const hasFurther = found > rows.length
  const hasOthers = found < total
  return from._tag === "Before"
    ? { rows, hasPrevious: hasFurther, hasNext: hasOthers, total }
    : { rows, hasPrevious: hasOthers, hasNext: hasFurther, total }
}
