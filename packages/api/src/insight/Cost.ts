/** Costs of flaky tests on the wire (beyond the interface). */
import { CostKnown } from "@lazaret/domain"
import { Schema } from "effect"
import * as Parameter from "../definition/Parameter.ts"
import { Timestamp } from "../definition/Timestamp.ts"

const By = Schema.Literals(["cause", "test", "owner", "week"])

/** The query of a table of costs. */
export const CostsQuery = Schema.Struct({
  by: Schema.optionalKey(By.annotate({ description: "The rows of the table. Without: `cause`." })),
  weeks: Schema.optionalKey(
    Parameter.integer("How many weeks back the table reaches, this one included; weeks begin on Monday, UTC.", {
      minimum: 1,
      maximum: CostKnown.weeks,
      default: 4
    })
  ),
  ...Parameter.page
})

const minutes = {
  failed_minutes: Schema.Finite.annotate({ description: "Job runs that only flakes made red." }),
  run_again_minutes: Schema.Finite.annotate({
    description: "Jobs that had passed and ran again in the same run, because flakes made other jobs red."
  }),
  repeated_in_jobs_minutes: Schema.Finite.annotate({
    description: "Executions that jobs repeated by themselves, at the mean time of their executions."
  }),
  machine_minutes: Schema.Finite.annotate({ description: "The sum of these three." }),
  waiting_minutes: Schema.Finite.annotate({
    description: "From the first red job run of a commit to the first green one, at most the hours of `cost_policy`."
  })
}

const amount = Schema.Finite.annotate({
  description: "The price by `cost_policy`, or the machine minutes where nothing has a price."
})

/** A row of a table of costs. */
export const CostRow = Schema.Struct({
  name: Schema.NullOr(Schema.String).annotate({
    description: "Null for the tests without an owner, and for the sum of those beyond the first 1,000."
  }),
  test_id: Schema.NullOr(Schema.String.check(Schema.isUUID(5))),
  cause_id: Schema.NullOr(Schema.String),
  week: Schema.NullOr(Timestamp).annotate({ description: "The start of the week of the row." }),
  tests: Schema.Int.annotate({ description: "How many tests the row stands for." }),
  job_runs: Schema.Finite.annotate({
    description:
      "Its part of the job runs that only flakes made red: one that several rows made red is shared like its time."
  }),
  ...minutes,
  amount,
  share: Schema.Finite.annotate({ description: "The share of the amounts of all rows." })
}).annotate({ identifier: "CostRow" })

const Counts = Schema.Struct({
  all: Schema.Int,
  red: Schema.Int,
  by_flakes: Schema.Int.annotate({ description: "Red, and every red part of it only by flakes." }),
  by_flakes_with_gate: Schema.Int.annotate({
    description:
      "Of these, the ones that stay red with the recommended gate and automatic quarantine, replayed with the stored first verdicts."
  }),
  share: Schema.NullOr(Schema.Finite).annotate({ description: "`by_flakes` of `all`; null without any." }),
  share_with_gate: Schema.NullOr(Schema.Finite).annotate({ description: "`by_flakes_with_gate` of `all`." })
}).annotate({ identifier: "CostCounts" })

/** The figures of the weeks of a table of costs. */
export const CostFigures = Schema.Struct({
  from: Timestamp.annotate({ description: "Job runs that finished earlier are not counted." }),
  time_source: Schema.Literals(["platform", "reports", "both"]).annotate({
    description:
      "Where the time of jobs comes from: the hosting platform, the durations of the tests in their reports, or some from each."
  }),
  platform_job_runs: Schema.Int,
  job_runs: Counts,
  commits: Counts,
  pull_requests: Counts,
  let_pass_by_gate: Schema.Int.annotate({
    description:
      "Job runs that were red for another reason, and that the recommended gate and automatic quarantine would have let pass."
  }),
  job_minutes: Schema.Finite.annotate({ description: "The time of all job runs." }),
  ...minutes,
  judged_minutes: Schema.Finite.annotate({
    description: "The part of `failed_minutes` that the first verdict alone calls flaky: the same code has not passed."
  }),
  waiting_commits: Schema.Int,
  outages: Schema.Struct({ job_runs: Schema.Int, minutes: Schema.Finite }).annotate({
    description: "Job runs that outages made red, and jobs that ran again for them: no test pays for these."
  }),
  queue: Schema.Struct({ evictions: Schema.Int, reruns: Schema.Int }).annotate({
    description:
      "Pull requests that left the merge queue although no change was the cause, and rounds that it ran again."
  }),
  amount,
  is_priced: Schema.Boolean,
  worst: Schema.Struct({
    causes: Schema.Array(
      Schema.Struct({ name: Schema.NullOr(Schema.String), amount: Schema.Finite, share: Schema.Finite })
    ),
    share: Schema.Finite
  }).annotate({ description: "The causes that cost most, at most five, and their share." }),
  weeks: Schema.Array(
    Schema.Struct({
      start: Timestamp,
      job_runs: Schema.Int,
      red_by_flakes: Schema.Int,
      machine_minutes: Schema.Finite,
      waiting_minutes: Schema.Finite,
      outage_minutes: Schema.Finite
    }).annotate({ identifier: "CostWeek" })
  ).annotate({ description: "The oldest week first." })
}).annotate({ identifier: "CostFigures" })

/** A page of a table of costs. */
export const CostsPage = Schema.Struct({
  size: Schema.Int,
  per_page: Schema.Int,
  total: Schema.Int,
  by: By,
  computed_at: Schema.NullOr(Timestamp).annotate({
    description: "When costs were computed last; null before the first time."
  }),
  missing_job_runs: Schema.NullOr(Schema.Int).annotate({
    description:
      "How many more job runs are needed in these weeks before there are figures; null before the first computation."
  }),
  sentence: Schema.String,
  figures: Schema.NullOr(CostFigures).annotate({ description: "Null while there is too little data." }),
  costs: Schema.Array(CostRow)
}).annotate({ identifier: "CostsPage", description: "What flaky tests cost, the most expensive row first." })
