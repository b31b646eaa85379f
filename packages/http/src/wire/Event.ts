/** Events on the wire (our choice: the interface has no such route). */
import { Schemas } from "@lazaret/api"
import type { Event } from "@lazaret/domain"
import type { EventsRequest, Listing } from "@lazaret/services"
import type { Schema } from "effect"

type Query = Schema.Struct.Type<typeof Schemas.EventsQuery>

/** The list that a query asks for. */
export const requestOf = (query: Query): EventsRequest => ({
  type: query.type ?? null,
  cursor: query.cursor ?? null,
  perPage: query.per_page ?? Schemas.Parameter.defaultPerPage
})

/** An event as the wire shows it. */
export const of = (event: Event.Event): typeof Schemas.EventBody.Type => ({
  id: event.id,
  at: event.at,
  type: event.type,
  actor: event.actor,
  test_id: event.testId,
  test_name: event.testName,
  branch: event.branch,
  summary: event.summary,
  detail: event.detail
})

/** The page of a listing. */
export const pageOf =
  (perPage: number) =>
  (listing: Listing.Listing<Event.Event>): typeof Schemas.EventsPage.Type => ({
    size: listing.rows.length,
    per_page: perPage,
    events: listing.rows.map(of),
    total: listing.total
  })
