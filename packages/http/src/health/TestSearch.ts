/** The search on the wire (interface 2.3, 4.1.1). */
import { Schemas } from "@lazaret/api"
import type { Listing, SearchRequest, TestRow } from "@lazaret/services"
import type { Schema } from "effect"
import * as TestFilter from "./TestFilter.ts"

type Query = Schema.Struct.Type<typeof Schemas.SearchQuery>

/**
 * The search that a query asks for, with the defaults that interface 4 leaves open: the ten identities that ran most.
 */
export const requestOf = (query: Query): SearchRequest => ({
  filter: TestFilter.of(query),
  sort: query.sort ?? "executions_count",
  direction: query.direction ?? "desc",
  cursor: query.cursor ?? null,
  perPage: query.per_page ?? Schemas.Parameter.defaultPerPage
})

/** The page of a listing. */
export const pageOf =
  (perPage: number) =>
  (listing: Listing.Listing<TestRow>): typeof Schemas.SearchPage.Type => ({
    size: listing.rows.length,
    per_page: perPage,
    tests: listing.rows.map(resultOf),
    total: listing.total
  })

const resultOf = (row: TestRow): typeof Schemas.TestSearchResult.Type => ({
  test_id: row.testId,
  test_name: row.testName,
  pipeline_name: row.pipelineName,
  job_name: row.jobName,
  metrics: {
    health_status: row.healthStatus,
    health_confidence: row.healthConfidence,
    failed_executions_impact: row.failedExecutionsImpact
  }
})
