/** Failures on the wire (interface 2.7). */
import { Schema } from "effect"
import { Timestamp } from "../definition/Timestamp.ts"

const fields = {
  id: Schema.String.check(Schema.isUUID(5)),
  exception_type: Schema.String,
  exception_message: Schema.String,
  failure_count: Schema.Int,
  first_failure_at: Timestamp,
  last_failure_at: Timestamp
}

/** A group of failures that mean the same (interface 2.7). */
export const TestFailure = Schema.Struct(fields).annotate({ identifier: "TestFailure" })

/** The failures of a test (interface 4.1.5). */
export const TestFailures = Schema.Struct({ failures: Schema.Array(TestFailure) }).annotate({
  identifier: "TestFailures",
  description: "The groups of failures of a test."
})

/** One failure of a group (interface 2.7). */
export const TestFailureEvent = Schema.Struct({
  id: Schema.String,
  failed_at: Timestamp,
  exception_stacktrace: Schema.NullOr(Schema.String),
  test_filepath: Schema.NullOr(Schema.String),
  test_programming_language: Schema.NullOr(Schema.String),
  job_url: Schema.optionalKey(Schema.NullOr(Schema.String))
}).annotate({ identifier: "TestFailureEvent" })

/** A group of failures with the latest of them (interface 2.7). */
export const TestFailureDetail = Schema.Struct({
  ...fields,
  latest_events: Schema.Array(TestFailureEvent)
}).annotate({ identifier: "TestFailureDetail", description: "A group of failures with its latest events." })
