/**
 * The routes that read tests (interface 4.1.1 to 4.1.7, 4.1.12).
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authentication } from "./Authentication.ts"
import { Faults } from "./Faults.ts"
import * as Problem from "./Problem.ts"
import * as Parameter from "./wire/Parameter.ts"
import { TestDetails } from "./wire/TestDetails.ts"
import { SearchPage, SearchQuery } from "./wire/TestSearch.ts"
import { bounds } from "./wire/Timestamp.ts"
import { HealthTransitions } from "./wire/Transitions.ts"

const error = [Problem.NotFound, Problem.Unprocessable, Problem.Unavailable]

const test = { ...Parameter.repository, test_id: Parameter.testId }

/**
 * The header of lists with cursors.
 *
 * @category schemas
 * @since 0.1.0
 */
export const linked = <S extends Schema.Top>(page: S) =>
  HttpApiSchema.WithHeaders(page, { link: Schema.optionalKey(Schema.String) })

/**
 * The group of the routes that read tests.
 *
 * @category groups
 * @since 0.1.0
 */
export class TestsApi extends HttpApiGroup.make("tests", { topLevel: true })
  .add(
    HttpApiEndpoint.get("searchTests", "/search/tests", {
      params: Parameter.repository,
      query: SearchQuery,
      success: linked(SearchPage),
      error
    }).annotateMerge(OpenApi.annotations({ summary: "Search tests" })),
    HttpApiEndpoint.get("getTest", "/tests/:test_id", { params: test, success: TestDetails, error }).annotateMerge(
      OpenApi.annotations({ summary: "Get test details" })
    ),
    HttpApiEndpoint.get("getHealthTransitions", "/tests/:test_id/health-transitions", {
      params: test,
      query: bounds,
      success: HealthTransitions,
      error
    }).annotateMerge(OpenApi.annotations({ summary: "Get health transitions" }))
  )
  .prefix("/v1/ci/:owner/repositories/:repository")
  .middleware(Faults)
  .middleware(Authentication) {}
