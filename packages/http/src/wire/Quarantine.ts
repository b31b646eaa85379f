/** Quarantines on the wire (interface 2.9, 4.1.8 to 4.1.11). */
import type { Schemas } from "@lazaret/api"
import type { Checked, Listing, NewQuarantine, QuarantinedTest as Row, QuarantinesRequest } from "@lazaret/services"
import type { Schema } from "effect"

type Query = Schema.Struct.Type<typeof Schemas.QuarantinesQuery>

/** The list that a query asks for. */
export const requestOf = (query: Query): QuarantinesRequest => ({
  branch: query.branch ?? null,
  testId: query.test_id ?? null,
  source: query.source ?? null,
  cursor: query.cursor ?? null,
  perPage: query.per_page ?? null
})

/** The quarantine that a body asks for, by hand. */
export const newOf = (body: typeof Schemas.CreateQuarantine.Type, by: string): NewQuarantine => ({
  testName: body.test_name,
  reason: body.reason,
  branch: body.branch ?? null,
  source: "manual",
  by
})

/** The page of a listing. */
export const pageOf =
  (perPage: number | null) =>
  (listing: Listing.Listing<Row>): typeof Schemas.QuarantinesPage.Type => ({
    size: listing.rows.length,
    per_page: perPage,
    quarantined_tests: listing.rows.map(of)
  })

/** A quarantine as the wire shows it. */
export const of = (row: Row): typeof Schemas.QuarantinedTest.Type => ({
  id: row.id,
  test_name: row.testName,
  test_id: row.testId,
  reason: row.reason,
  branch: row.branch,
  created_at: row.createdAt,
  source: row.source,
  is_recovered: row.isRecovered
})

/** The split names as the wire shows them. */
export const checkedOf = (checked: Checked): typeof Schemas.CheckedQuarantines.Type => ({
  quarantined_tests_names: checked.quarantined,
  non_quarantined_tests_names: checked.others
})
