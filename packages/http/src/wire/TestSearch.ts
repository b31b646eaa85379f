/** The search on the wire (interface 2.3, 4.1.1). */
import { Confidence, HealthStatus, Impact, TestSort } from "@lazaret/domain"
import type { Listing, SearchRequest, TestRow } from "@lazaret/services"
import { Schema } from "effect"
import * as Parameter from "./Parameter.ts"
import * as TestFilter from "./TestFilter.ts"

/** What a search takes. */
export const SearchQuery = {
  ...TestFilter.names,
  ...TestFilter.statuses,
  ...TestFilter.levels,
  sort: Schema.optionalKey(
    TestSort.SearchSort.annotate({ description: "What the list is sorted by; `executions_count` unless it is given." })
  ),
  direction: Schema.optionalKey(
    TestSort.Direction.annotate({ description: "Upwards or downwards; `desc` unless it is given." })
  ),
  ...Parameter.page
}

const Query = Schema.Struct(SearchQuery)

/** The metrics of an identity (interface 2.3). */
export const TestSearchResultMetrics = Schema.Struct({
  health_status: HealthStatus.HealthStatus,
  health_confidence: Confidence.Confidence,
  failed_executions_impact: Schema.NullOr(Impact.Impact)
}).annotate({ identifier: "TestSearchResultMetrics" })

/** One identity (interface 2.3). */
export const TestSearchResult = Schema.Struct({
  test_id: Schema.String.check(Schema.isUUID(5)),
  test_name: Schema.String,
  pipeline_name: Schema.String,
  job_name: Schema.String,
  metrics: TestSearchResultMetrics
}).annotate({ identifier: "TestSearchResult" })

/** A page of identities (interface 4.1.1). */
export const SearchPage = Schema.Struct({
  size: Schema.Int,
  per_page: Schema.Int,
  tests: Schema.Array(TestSearchResult),
  total: Schema.Int
}).annotate({ identifier: "SearchPage", description: "A page of identities, and how many match in all." })

/**
 * The search that a query asks for, with the defaults that interface 4 leaves open: the ten identities that ran most.
 */
export const requestOf = (query: typeof Query.Type): SearchRequest => ({
  filter: TestFilter.of(query),
  sort: query.sort ?? "executions_count",
  direction: query.direction ?? "desc",
  cursor: query.cursor ?? null,
  perPage: query.per_page ?? Parameter.defaultPerPage
})

/** The page of a listing. */
export const pageOf =
  (perPage: number) =>
  (listing: Listing.Listing<TestRow>): typeof SearchPage.Type => ({
    size: listing.rows.length,
    per_page: perPage,
    tests: listing.rows.map(resultOf),
    total: listing.total
  })

const resultOf = (row: TestRow): typeof TestSearchResult.Type => ({
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
