/** Test details on the wire (interface 2.4). */
import { Execution, HealthStatus } from "@lazaret/domain"
import { Schema } from "effect"
import { PullRef } from "../report/PullRequest.ts"
import { Timestamp } from "../definition/Timestamp.ts"

const text = Schema.NullOr(Schema.String)

const ratio = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

/** The details of a test (interface 2.4). */
export const TestDetails = Schema.Struct({
  repository: Schema.String,
  test_name: Schema.String,
  test_id: Schema.String.check(Schema.isUUID(5)),
  health_status: HealthStatus.HealthStatus,
  last_conclusion: Execution.Conclusion,
  failure_ratio: ratio,
  flakiness_ratio: ratio,
  success_ratio: ratio,
  flaky_detection_enabled: Schema.Boolean,
  first_failure_at: Schema.NullOr(Timestamp),
  first_failure_commit: text,
  first_failure_pull: Schema.NullOr(PullRef),
  last_failure_at: Schema.NullOr(Timestamp),
  last_success_at: Schema.NullOr(Timestamp),
  test_framework: text,
  test_framework_version: text,
  test_programming_language: text,
  test_filepath: text,
  test_function_name: text
}).annotate({ identifier: "TestDetails", description: "What is known of a test." })
