/** Lists with cursors, for all paged use cases. */
import { Cursor, Page, Repository } from "@lazaret/domain"
import { Effect, Result, type Schema } from "effect"
import { Invalid } from "./ServiceError.ts"

/** The page that a caller requests; `perPage` is 1 to 100. */
export interface PageRequest {
  readonly cursor: string | null
  readonly perPage: number
}

/**
 * The cursors of the pages around a page; each is null when that page does not exist.
 *
 * `first` has no cursor; it is `true` when there is more than this page.
 */
export interface Links {
  readonly first: boolean
  readonly previous: string | null
  readonly next: string | null
  readonly last: string | null
}

/** One page of a list with the number of all rows that match. */
export interface Listing<A> {
  readonly rows: ReadonlyArray<A>
  readonly total: number
  readonly links: Links
}

/**
 * The text that a cursor is bound to: the endpoint, the repository, and everything that decides which rows there are
 * and how they are ordered.
 */
export const binding = (endpoint: string, ref: Repository.RepositoryRef, parts: ReadonlyArray<string>): string =>
  Cursor.binding([endpoint, Repository.key(ref), ...parts])

/** The start of the requested page. A cursor of another list, or a modified one, is invalid. */
export const from = <P>(
  bound: string,
  cursor: string | null,
  position: Schema.Codec<P>
): Effect.Effect<Page.From<P>, Invalid> => {
  if (cursor === null) return Effect.succeed(Page.start)
  const decoded = Cursor.decode(bound, cursor, position)
  return Result.isSuccess(decoded) ? Effect.succeed(decoded.success) : Effect.fail(foreignCursor)
}

/** The page with its cursors. */
export const of = <A, P>(bound: string, page: Page.Page<A>, position: (row: A) => P): Listing<A> => {
  const previous = Page.previous(page, position)
  const next = Page.next(page, position)
  const more = page.hasPrevious || page.hasNext
  return {
    rows: page.rows,
    total: page.total,
    links: {
      first: more,
      previous: previous === null ? null : Cursor.encode(bound, previous),
      next: next === null || next._tag === "Start" ? null : Cursor.encode(bound, next),
      last: more ? Cursor.encode(bound, Page.end) : null
    }
  }
}

const foreignCursor = new Invalid({ faults: [{ _tag: "ForeignCursor" }] })
