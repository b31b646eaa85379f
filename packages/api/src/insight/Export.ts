/** Exported executions and verdicts on the wire (beyond the interface). */
import { Execution, FailurePrecision, FailureVerdict } from "@lazaret/domain"
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
  next_start: Schema.NullOr(Timestamp).annotate({
    description:
      "On the last page: the first time from the end of the window on at which something ran, null when nothing did. Null on other pages."
  }),
  executions: Schema.Array(ExportedExecution)
}).annotate({ identifier: "ExportedExecutions", description: "Executions by test, those of one test in order." })

/** The first verdict on a failure, with what came out of it. */
export const ExportedVerdict = Schema.Struct({
  test_id: Schema.String.check(Schema.isUUID(5)),
  execution_id: Schema.String.annotate({ description: "Unique among the executions of one test." }),
  test_name: Schema.String,
  pipeline_name: Schema.String,
  job_name: Schema.String,
  commit: Schema.String,
  run_id: Schema.NullOr(Schema.String).annotate({
    description: "The only run on the same code; null for a push, of which every run on the commit is."
  }),
  finished_at: Timestamp.annotate({ description: "When the job run finished." }),
  verdict: FailureVerdict.Verdict,
  probability_flaky: Schema.Finite.annotate({ description: "As it was answered first." }),
  outcome: Schema.NullOr(FailurePrecision.Truth).annotate({
    description: "What later runs of the same code showed; null while they show nothing."
  }),
  marked: Schema.NullOr(FailurePrecision.Truth).annotate({ description: "What a person said that it was." }),
  marked_by: Schema.NullOr(Schema.String),
  marked_at: Schema.NullOr(Timestamp)
}).annotate({ identifier: "ExportedVerdict" })

/** A page of first verdicts. */
export const ExportedVerdicts = Schema.Struct({
  size: Schema.Int,
  per_page: Schema.Int,
  verdicts: Schema.Array(ExportedVerdict)
}).annotate({ identifier: "ExportedVerdicts", description: "First verdicts, the earliest failure first." })
