/** Parameters of paths and queries: text on the wire, checked and typed behind it (interface 2.1, 4, 8). */
import { Schemas } from "@lazaret/api"

/** The page that a query asks for. */
export const pageOf = (query: { readonly cursor?: string; readonly per_page?: number }) => ({
  cursor: query.cursor ?? null,
  perPage: query.per_page ?? Schemas.Parameter.defaultPerPage
})
