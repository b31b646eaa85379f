/** Events on the wire (our choice: the interface has no such route). */
import { Schemas } from "@lazaret/api"
import type { EventsRequest, Listing, OwnedEvent } from "@lazaret/services"
import type { Schema } from "effect"

type Query = Schema.Struct.Type<typeof Schemas.EventsQuery>

/** The list that a query asks for. */
export const requestOf = (query: Query): Omit<EventsRequest, "caller"> => ({
  type: query.type ?? null,
  cursor: query.cursor ?? null,
  perPage: query.per_page ?? Schemas.Parameter.defaultPerPage
})

/** The page of a listing. */
export const pageOf =
  (perPage: number) =>
  (listing: Listing.Listing<OwnedEvent>): typeof Schemas.EventsPage.Type => ({
    size: listing.rows.length,
    per_page: perPage,
    events: listing.rows.map(Schemas.eventOf),
    total: listing.total
  })
