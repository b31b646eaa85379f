/** The audit log on the wire (beyond the interface). */
import { Schemas } from "@lazaret/api"
import type { AuditEntry } from "@lazaret/domain"
import type { AuditFilter, Listing } from "@lazaret/services"
import type { Schema } from "effect"

/** The filter that a query asks for. */
export const filterOf = (query: Schema.Struct.Type<typeof Schemas.AuditFilterQuery>): AuditFilter => ({
  owner: query.owner ?? null,
  repository: query.repository ?? null,
  action: query.action ?? null,
  actor: query.actor ?? null,
  start: query.start ?? null,
  end: query.end ?? null
})

/** The page of a listing. */
export const pageOf =
  (perPage: number) =>
  (listing: Listing.Listing<AuditEntry.AuditEntry>): typeof Schemas.AuditPage.Type => ({
    size: listing.rows.length,
    per_page: perPage,
    entries: listing.rows,
    total: listing.total
  })

/** An entry as one line of JSON. */
export const lineOf: (entry: AuditEntry.AuditEntry) => string = Schemas.auditLine
