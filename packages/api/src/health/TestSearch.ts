/** The search on the wire (interface 2.3, 4.1.1). */
import { Confidence, HealthStatus, Impact, TestSort } from "@lazaret/domain"
import { Schema } from "effect"
import { confidenceMeans } from "./Explanation.ts"
import * as Parameter from "../definition/Parameter.ts"
import * as TestFilter from "./TestFilter.ts"

/** The parameters of a search. */
export const SearchQuery = {
  ...TestFilter.names,
  ...TestFilter.statuses,
  ...TestFilter.levels,
  sort: Schema.optionalKey(
    TestSort.SearchSort.annotate({ description: "The sort key of the list.", default: "executions_count" })
  ),
  direction: Schema.optionalKey(
    TestSort.Direction.annotate({ description: "Ascending or descending.", default: "desc" })
  ),
  ...Parameter.page
}

/** The metrics of an identity (interface 2.3). */
export const TestSearchResultMetrics = Schema.Struct({
  health_status: HealthStatus.HealthStatus,
  health_confidence: Confidence.Confidence.annotate({ description: confidenceMeans }),
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
