/** Slower tests on the wire (beyond the interface). */
import { Schema } from "effect"
import * as Parameter from "../definition/Parameter.ts"
import { Timestamp } from "../definition/Timestamp.ts"

/** The query of the list of slower tests. */
export const SlowerQuery = Schema.Struct({
  per_page: Schema.optionalKey(
    Parameter.integer("The most lines.", { ...Parameter.perPageRange, default: Parameter.perPageRange.maximum })
  )
})

/** A test or a job that became slower. */
export const SlowerLine = Schema.Struct({
  kind: Schema.Literals(["job", "test", "started"]).annotate({
    description: "`job`: most tests of a job take longer; `test`: one test does; `started`: a test did nothing before."
  }),
  test_id: Schema.NullOr(Schema.String.check(Schema.isUUID(5))),
  test_name: Schema.NullOr(Schema.String).annotate({ description: "Null for a job." }),
  pipeline_name: Schema.String,
  job_name: Schema.String,
  tests: Schema.Int.annotate({ description: "How many tests of the job were compared; 1 for a test." }),
  before_seconds: Schema.Finite.annotate({
    description: "The median duration before; of a job, of its tests together."
  }),
  after_seconds: Schema.Finite.annotate({ description: "The median duration of the first measurements after." }),
  started_at: Timestamp.annotate({ description: "When the first execution that took longer finished." }),
  last_commit: Schema.String.annotate({ description: "The last commit that took the time of before." }),
  first_commit: Schema.String.annotate({ description: "The first commit that took longer." }),
  confidence: Schema.Literals(["medium", "high"]).annotate({
    description: "`high`: at least ten measurements since, nine in ten above the middle of both durations."
  }),
  executions_per_week: Schema.Finite,
  added_seconds_per_week: Schema.Finite,
  latest_seconds: Schema.Array(Schema.Finite).annotate({ description: "The latest durations, the oldest first." })
}).annotate({ identifier: "SlowerLine", description: "A growth of duration that lasts." })

/** The tests and jobs that became slower. */
export const SlowerPage = Schema.Struct({
  size: Schema.Int,
  per_page: Schema.Int,
  total: Schema.Int,
  computed_at: Timestamp,
  days: Schema.Int.annotate({ description: "How many days were read." }),
  tests: Schema.Int.annotate({ description: "How many tests were compared, one per pipeline and job." }),
  sentence: Schema.String,
  lines: Schema.Array(SlowerLine)
}).annotate({ identifier: "SlowerPage", description: "What became slower, what adds most time each week first." })
