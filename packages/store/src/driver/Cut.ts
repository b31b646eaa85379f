/** Pages out of rows of which one more was selected than a page holds. */
import type { Page } from "@lazaret/domain"

/** The direction in which to select the rows of a page: the last pages are selected from the end. */
export const isForward = <P>(from: Page.From<P>): boolean => from._tag === "Start" || from._tag === "After"

/** The page of `limit` rows from a place; the rows were selected in the direction of `isForward`, at most `limit + 1` of them. */
export const page = <A, P>(
  { rows, total }: { readonly rows: ReadonlyArray<A>; readonly total: number },
  from: Page.From<P>,
  limit: number
): Page.Page<A> => {
  const hasFurther = rows.length > limit
  if (from._tag === "End") {
    // The last page holds what remains when all pages before it are full.
    const kept = rows.slice(0, total % limit || limit).toReversed()
    return { rows: kept, hasPrevious: total > kept.length, hasNext: false, total }
  }
  const kept = rows.slice(0, limit)
  if (from._tag === "Start") return { rows: kept, hasPrevious: false, hasNext: hasFurther, total }
  return from._tag === "Before"
    ? { rows: kept.toReversed(), hasPrevious: hasFurther, hasNext: true, total }
    : { rows: kept, hasPrevious: true, hasNext: hasFurther, total }
}
