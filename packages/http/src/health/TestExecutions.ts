/** The executions of a test on the wire (interface 2.8, 4.1.7). */
import { Schemas } from "@lazaret/api"
import { TestId } from "@lazaret/domain"
import type { ExecutionsRequest, ExecutionsRow, Listing } from "@lazaret/services"
import type { Schema } from "effect"

type Query = Schema.Struct.Type<typeof Schemas.ExecutionsQuery>

/** The list that a query asks for, with the defaults that interface 4 leaves open: the ten identities that ran most. */
export const requestOf = (query: Query): ExecutionsRequest => ({
  sort: query.sort ?? "executions_count",
  direction: query.direction ?? "desc",
  cursor: query.cursor ?? null,
  perPage: query.per_page ?? Schemas.Parameter.defaultPerPage,
  bounds: { start: query.start, end: query.end }
})

/** The page of a listing. */
export const pageOf =
  (perPage: number) =>
  (listing: Listing.Listing<ExecutionsRow>): typeof Schemas.ExecutionsPage.Type => ({
    size: listing.rows.length,
    per_page: perPage,
    executions: listing.rows.map((row) => ({
      test_id: TestId.of(row.testName),
      test_name: row.testName,
      pipeline_name: row.pipelineName,
      job_name: row.jobName,
      executions_count: row.executionsCount
    }))
  })
