/** Causes on the wire (beyond the interface). */
import { Cause, CauseRecord, Quarantine, Text } from "@lazaret/domain"
import { Schema } from "effect"
import * as Parameter from "../definition/Parameter.ts"
import { Timestamp } from "../definition/Timestamp.ts"

const State = Schema.Literals(["open", "silenced", "closed", "gone"])

/** The query of a list of causes. */
export const CausesQuery = Schema.Struct({
  state: Schema.optionalKey(
    Schema.Array(State).annotate({
      description:
        "`open`, `silenced`, `closed` by a person, or `gone`: none of the latest failures belongs to it any more. Without: all but `gone`."
    })
  ),
  kind: Schema.optionalKey(
    Schema.Array(Cause.Kind).annotate({
      description:
        "`tests`: tests that fail together at different times; `change`: on one branch alone, which is not the default branch; " +
        "`outage`: excused outages. Without: all but `change`."
    })
  ),
  test_id: Schema.optionalKey(Parameter.testId),
  ...Parameter.page
})

/** A cause. */
export const SharedCause = Schema.Struct({
  id: Schema.String.check(Schema.isUUID()),
  name: Schema.String,
  kind: Cause.Kind,
  state: State,
  tests: Schema.Int.annotate({ description: "How many tests fail with it." }),
  test_names: Schema.Array(Schema.String).annotate({
    description: "The first ten of them, those that fail most often."
  }),
  test_ids: Schema.Array(Schema.String.check(Schema.isUUID(5))).annotate({
    description: "Their ids, in the same order."
  }),
  exception_type: Schema.NullOr(Schema.String),
  message: Schema.NullOr(Schema.String).annotate({
    description: "The message of most failures, its numbers and ids as `<*>`; null where failures differ."
  }),
  first_at: Timestamp,
  last_at: Timestamp,
  job_runs: Schema.Int.annotate({ description: "The job runs in which one of the tests failed." }),
  share: Schema.Finite.annotate({ description: "Their share of all job runs with failures that were read." }),
  weeks: Schema.Array(Schema.Int).annotate({
    description: "The job runs of the last 12 weeks, the oldest week first."
  }),
  jobs: Schema.Array(Schema.Struct({ pipeline_name: Schema.String, job_name: Schema.String, job_runs: Schema.Int })),
  examples: Schema.Array(
    Schema.Struct({
      finished_at: Timestamp,
      pipeline_name: Schema.String,
      job_name: Schema.String,
      commit: Schema.String,
      branch: Schema.NullOr(Schema.String),
      test_name: Schema.String,
      failed: Schema.Int
    }).annotate({ identifier: "CauseExample" })
  ).annotate({ description: "The latest job runs with it." }),
  from: Schema.Array(Schema.String).annotate({
    description: "The causes that went into it, or of which it is a part."
  }),
  owner: Schema.NullOr(Schema.String),
  ticket: Schema.NullOr(Schema.String),
  silenced_until: Schema.NullOr(Timestamp),
  closed_at: Schema.NullOr(Timestamp),
  changed_by: Schema.NullOr(Schema.String),
  changed_at: Schema.NullOr(Timestamp)
}).annotate({ identifier: "SharedCause", description: "Failures with one cause." })

/** A page of causes. */
export const CausesPage = Schema.Struct({
  size: Schema.Int,
  per_page: Schema.Int,
  total: Schema.Int,
  computed_at: Schema.NullOr(Timestamp).annotate({
    description: "When causes were computed last; null before the first time."
  }),
  red_job_runs: Schema.Int.annotate({ description: "The job runs with failures that they were computed from." }),
  missing_job_runs: Schema.Int.annotate({
    description: "How many more job runs with failures are needed before causes are shown."
  }),
  sentence: Schema.String,
  causes: Schema.Array(SharedCause)
}).annotate({ identifier: "CausesPage", description: "Causes, those that made most job runs red first." })

/** A page of the tests of a cause. */
export const CauseTestsPage = Schema.Struct({
  size: Schema.Int,
  per_page: Schema.Int,
  total: Schema.Int,
  tests: Schema.Array(
    Schema.Struct({
      test_id: Schema.String.check(Schema.isUUID(5)),
      test_name: Schema.String,
      job_runs: Schema.Int,
      last_at: Timestamp
    }).annotate({ identifier: "CauseTest" })
  )
}).annotate({ identifier: "CauseTestsPage", description: "The tests of a cause, those that fail most often first." })

/** The body that changes decisions about a cause. */
export const ChangeCause = Schema.Struct({
  owner: Schema.optionalKey(Schema.NullOr(CauseRecord.Note)),
  ticket: Schema.optionalKey(Schema.NullOr(CauseRecord.Note)),
  silenced_until: Schema.optionalKey(
    Schema.NullOr(Timestamp).annotate({
      description:
        "Until when it is silenced: its tests get no new issues, and changes of their health are not notified, where the settings follow causes. Null: it is not silenced."
    })
  ),
  closed: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "Whether it is mended. A cause that fails after its closing is open again."
    })
  )
}).annotate({ identifier: "ChangeCause" })

/** The body that quarantines the tests of a cause. */
export const QuarantineCause = Schema.Struct({
  reason: Schema.optionalKey(Quarantine.Reason.annotate({ description: "Without: the name of the cause." })),
  branch: Schema.optionalKey(
    Schema.NullOr(Text.between(1, 255)).annotate({
      description: "A branch name, or a pattern. Null or omitted: every branch."
    })
  )
}).annotate({ identifier: "QuarantineCause" })

/** The tests of a cause that were quarantined. */
export const QuarantinedCause = Schema.Struct({
  quarantined: Schema.Array(Schema.String).annotate({ description: "The tests that are quarantined now." }),
  already: Schema.Array(Schema.String).annotate({ description: "Those that had such a quarantine before." })
}).annotate({ identifier: "QuarantinedCause", description: "The tests of the cause, at most 500." })
