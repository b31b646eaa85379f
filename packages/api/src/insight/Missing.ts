/** Losses on the wire (beyond the interface): tests and jobs that did not run although they were expected. */
import { LossRecord } from "@lazaret/domain"
import { Schema } from "effect"
import * as Parameter from "../definition/Parameter.ts"
import { Timestamp } from "../definition/Timestamp.ts"

/** The query of a list of losses. */
export const LossesQuery = Schema.Struct({
  state: Schema.optionalKey(
    Schema.Array(LossRecord.State).annotate({
      description:
        "`open`: missing in the last run; `returned`: they ran again; `gone`: missing in three runs, and not expected any more. Without: all."
    })
  ),
  kind: Schema.optionalKey(
    Schema.Array(LossRecord.Kind).annotate({
      description:
        "`tests`: of jobs that reported; `jobs`: whole jobs; `renamed`: nearly all ran under other names. Without: all."
    })
  ),
  ...Parameter.page
})

/** A loss. */
export const Loss = Schema.Struct({
  id: Schema.String.check(Schema.isUUID()),
  kind: LossRecord.Kind,
  state: LossRecord.State,
  sentence: Schema.String,
  pipeline_name: Schema.String,
  job_names: Schema.Array(Schema.String).annotate({
    description: "The job, all of its shards, or the jobs that did not report; the first 20."
  }),
  jobs: Schema.Int,
  run_id: Schema.String.annotate({ description: "The first run without them." }),
  commit: Schema.String,
  finished_at: Timestamp,
  last_at: Timestamp.annotate({ description: "The last run without them." }),
  runs: Schema.Int.annotate({ description: "How many runs on the default branch were without them." }),
  expected: Schema.Int.annotate({ description: "Tests, or jobs, that ran in most of the latest runs." }),
  missing: Schema.Int,
  skipped: Schema.Int.annotate({ description: "Missing tests that the run skipped." }),
  renamed: Schema.Int.annotate({ description: "Missing tests that ran under other names, as it seems." }),
  test_names: Schema.Array(Schema.String).annotate({
    description: "The first 50 missing tests, without renamed ones, cut to 300 characters."
  }),
  suites: Schema.Array(Schema.Struct({ name: Schema.String, tests: Schema.Int })).annotate({
    description: "The suites, files or classes that lack most tests."
  }),
  renames: Schema.Array(LossRecord.Renaming).annotate({
    description: "The first 50 proposed renames. `createTestAliases` accepts them; then they are no loss."
  }),
  is_small: Schema.Boolean.annotate({
    description: "A few tests, found when they were missing in three runs. There is no event for them."
  })
}).annotate({ identifier: "Loss", description: "Tests, or jobs, that did not run although they were expected." })

/** A page of losses. */
export const LossesPage = Schema.Struct({
  size: Schema.Int,
  per_page: Schema.Int,
  total: Schema.Int,
  computed_at: Schema.NullOr(Timestamp).annotate({
    description: "When losses were searched for last; null before the first time."
  }),
  jobs: Schema.Int.annotate({ description: "The jobs whose runs were read." }),
  missing_runs: Schema.Int.annotate({
    description: "How many more runs on the default branch are needed before the tests of a job are expected."
  }),
  sentence: Schema.String,
  losses: Schema.Array(Loss)
}).annotate({ identifier: "LossesPage", description: "Losses, the latest first." })
