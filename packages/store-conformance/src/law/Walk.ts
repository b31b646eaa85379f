/** Walks through the pages of a list. */
import { Page } from "@lazaret/domain"
import { Effect } from "effect"

/** The pages of a list, followed from the first one forward, and from the last one back. */
export interface Walk<A> {
  readonly forward: ReadonlyArray<Page.Page<A>>
  readonly back: ReadonlyArray<Page.Page<A>>
}

/** Follows a list both ways; both lists of pages are in the order of the list. */
export const both = <A, P, E, R>(
  ask: (from: Page.From<P>) => Effect.Effect<Page.Page<A>, E, R>,
  position: (row: A) => P
): Effect.Effect<Walk<A>, E, R> =>
  Effect.gen(function* () {
    const forward = yield* follow(ask, Page.start, (page) => Page.next(page, position))
    const back = yield* follow(ask, Page.end, (page) => Page.previous(page, position))
    return { forward, back: back.toReversed() }
  })

/**
 * The pages that a sorted list has.
 *
 * @example
 * ```ts
 * import { Walk } from "@lazaret/store-conformance"
 *
 * Walk.pagesOf(["a", "b", "c"], 2).map((page) => [page.rows, page.hasNext]) // => [[["a", "b"], true], [["c"], false]]
 * Walk.pagesOf([], 2) // => [{ rows: [], hasPrevious: false, hasNext: false, total: 0 }]
 * ```
 */
export const pagesOf = <A>(sorted: ReadonlyArray<A>, limit: number): ReadonlyArray<Page.Page<A>> =>
  Array.from({ length: Math.max(1, Math.ceil(sorted.length / limit)) }, (_, index) => ({
    rows: sorted.slice(index * limit, (index + 1) * limit),
    hasPrevious: index > 0,
    hasNext: (index + 1) * limit < sorted.length,
    total: sorted.length
  }))

const follow = <A, P, E, R>(
  ask: (from: Page.From<P>) => Effect.Effect<Page.Page<A>, E, R>,
  start: Page.From<P>,
  next: (page: Page.Page<A>) => Page.From<P> | null
): Effect.Effect<ReadonlyArray<Page.Page<A>>, E, R> =>
  Effect.gen(function* () {
    const pages: Array<Page.Page<A>> = []
    let from: Page.From<P> | null = start
    while (from !== null && pages.length < mostPages) {
      const page: Page.Page<A> = yield* ask(from)
      pages.push(page)
      from = next(page)
    }
    return pages
  })

/** A list that never ends is a finding, and no reason to hang. */
const mostPages = 1000
