/** Exported executions on the wire (beyond the interface). */
import { Execution } from "@lazaret/domain"
import { Schema } from "effect"
import { Timestamp } from "../definition/Timestamp.ts"

/** An execution of the default branch, complete in itself. */
export const ExportedExecution = Schema.Struct({
  execution_id: Schema.String.annotate({ description: "Unique among the executions of one test." }),
  test_id: Schema.String.check(Schema.isUUID(5)),
  test_name: Schema.String,
  pipeline_name: Schema.String,
  job_name: Schema.String,
  file: Schema.NullOr(Schema.String),
  run_id: Schema.String,
  commit: Schema.String,
  finished_at: Timestamp,
  conclusion: Execution.Conclusion,
  flaky: Schema.Boolean.annotate({ description: "Whether it failed and passed inside one job." }),
  reruns: Schema.Int,
  duration_seconds: Schema.Finite,
  exception_type: Schema.NullOr(Schema.String),
  excused: Schema.Boolean.annotate({ description: "Whether it is a failure that an outage excuses." })
}).annotate({ identifier: "ExportedExecution" })

/** The executions of some tests. */
export const ExportedExecutions = Schema.Struct({
  size: Schema.Int,
  per_page: Schema.Int,
  total: Schema.Int.annotate({ description: "The number of tests, one per pipeline and job." }),
  executions: Schema.Array(ExportedExecution)
}).annotate({ identifier: "ExportedExecutions", description: "Executions by test, those of one test in order." })
