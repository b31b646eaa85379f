/** The executions of a test on the wire (interface 2.8, 4.1.7). */
import { TestSort } from "@lazaret/domain"
import { Schema } from "effect"
import * as Parameter from "../definition/Parameter.ts"
import { bounds } from "../definition/Timestamp.ts"

/** The parameters of the list. */
export const ExecutionsQuery = {
  sort: Schema.optionalKey(
    TestSort.ExecutionsSort.annotate({
      description: "The sort key of the list.",
      default: "executions_count"
    })
  ),
  direction: Schema.optionalKey(
    TestSort.Direction.annotate({ description: "Ascending or descending.", default: "desc" })
  ),
  ...Parameter.page,
  ...bounds
}

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
