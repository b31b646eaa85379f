/** The executions of a test on the wire (interface 2.8, 4.1.7). */
import { TestSort, type TestId } from "@lazaret/domain"
import type { ExecutionsRequest, ExecutionsRow, Listing } from "@lazaret/services"
import { Schema } from "effect"
import * as Parameter from "./Parameter.ts"
import { bounds } from "./Timestamp.ts"

/** What the list takes. */
export const ExecutionsQuery = {
  sort: Schema.optionalKey(
    TestSort.ExecutionsSort.annotate({
      description: "What the list is sorted by; `executions_count` unless it is given."
    })
  ),
  direction: Schema.optionalKey(
    TestSort.Direction.annotate({ description: "Upwards or downwards; `desc` unless it is given." })
  ),
  ...Parameter.page,
  ...bounds
}

const Query = Schema.Struct(ExecutionsQuery)

/** One identity and how often it ran (interface 2.8). */
export const TestExecutionResult = Schema.Struct({
  test_id: Schema.String.check(Schema.isUUID(5)),
  test_name: Schema.String,
  pipeline_name: Schema.String,
  job_name: Schema.String,
  executions_count: Schema.Int
}).annotate({ identifier: "TestExecutionResult" })

/** A page of identities (interface 4.1.7). */
export const ExecutionsPage = Schema.Struct({
  size: Schema.Int,
  per_page: Schema.Int,
  executions: Schema.Array(TestExecutionResult)
}).annotate({ identifier: "ExecutionsPage", description: "A page of identities and how often they ran." })

/** The list that a query asks for, with the defaults that interface 4 leaves open: the ten identities that ran most. */
export const requestOf = (query: typeof Query.Type): ExecutionsRequest => ({
  sort: query.sort ?? "executions_count",
  direction: query.direction ?? "desc",
  cursor: query.cursor ?? null,
  perPage: query.per_page ?? Parameter.defaultPerPage,
  bounds: { start: query.start, end: query.end }
})

/** The page of a listing. */
export const pageOf =
  (testId: TestId.TestId, perPage: number) =>
  (listing: Listing.Listing<ExecutionsRow>): typeof ExecutionsPage.Type => ({
    size: listing.rows.length,
    per_page: perPage,
    executions: listing.rows.map((row) => ({
      test_id: testId,
      test_name: row.testName,
      pipeline_name: row.pipelineName,
      job_name: row.jobName,
      executions_count: row.executionsCount
    }))
  })
