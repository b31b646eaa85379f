/** Why a test has its status, on the wire (our choice: the interface has no such route). */
import { Confidence, Execution, Health, HealthStatus } from "@lazaret/domain"
import { Schema } from "effect"
import { Timestamp } from "../definition/Timestamp.ts"

/** The meaning of a health confidence. */
export const confidenceMeans =
  "How often reruns have tested the status since it last changed. `low` does not question the status: a flaky test is proven to be flaky."

/** One execution of an explanation. */
export const ExplainedExecution = Schema.Struct({
  id: Schema.String,
  finished_at: Timestamp,
  commit: Schema.String,
  conclusion: Execution.Conclusion,
  flaky: Schema.Boolean,
  reruns: Schema.Int,
  exception_type: Schema.NullOr(Schema.String),
  run_id: Schema.String,
  job_url: Schema.NullOr(Schema.String)
}).annotate({ identifier: "ExplainedExecution" })

/** A contradiction on another branch: failed and passed in one run. */
export const ExplainedContradiction = Schema.Struct({
  execution_id: Schema.String,
  finished_at: Timestamp,
  branch: Schema.NullOr(Schema.String),
  base_branch: Schema.NullOr(Schema.String),
  commit: Schema.String,
  run_id: Schema.String,
  job_url: Schema.NullOr(Schema.String)
}).annotate({ identifier: "ExplainedContradiction" })

/** A change of an identity's verdict. */
export const HealthChange = Schema.Struct({
  at: Timestamp,
  health_status: HealthStatus.HealthStatus,
  rule: Health.Rule,
  execution_id: Schema.String,
  commit: Schema.String
}).annotate({ identifier: "HealthChange" })

/** The conditions under which an identity recovers. */
export const Recovery = Schema.Struct({
  passes: Schema.Int,
  commits: Schema.Int,
  not_before: Schema.NullOr(Timestamp),
  sentence: Schema.String
}).annotate({ identifier: "Recovery" })

/** Why one identity has its status. */
export const ExplainedIdentity = Schema.Struct({
  pipeline_name: Schema.String,
  job_name: Schema.String,
  health_status: HealthStatus.HealthStatus,
  confidence: Confidence.Confidence.annotate({ description: confidenceMeans }),
  confidence_reason: Schema.String.annotate({
    description: "What the level rests on, in words. The level starts again with every change of the status."
  }),
  reruns: Schema.Int,
  clean_reruns: Schema.Int,
  flake_rate_bound: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })),
  rule: Health.Rule,
  since: Schema.NullOr(Timestamp),
  changes: Schema.Array(HealthChange),
  evidence: Schema.Array(ExplainedExecution),
  evidence_total: Schema.Int,
  context: Schema.Array(ExplainedExecution),
  context_total: Schema.Int,
  contradictions: Schema.Array(ExplainedContradiction).annotate({
    description: "Failed and passed in one run of another branch, as far as it is evidence."
  }),
  contradictions_total: Schema.Int,
  notes: Schema.Array(Schema.String).annotate({ description: "What other branches and outages have to do with it." }),
  recent: Schema.Array(ExplainedExecution),
  recovery: Schema.NullOr(Recovery),
  failing: Schema.NullOr(
    Schema.Struct({ failures: Schema.Int, since: Timestamp, commit: Schema.String }).annotate({
      identifier: "FailureRow",
      description: "The failures since the last pass, without those that an outage excuses, and the first of the row."
    })
  ).annotate({ description: "Null when it passed last." })
}).annotate({ identifier: "ExplainedIdentity" })

/** How a test ended in a job run of another branch: passed when one of its executions passed there. */
export const BranchRun = Schema.Struct({
  pipeline_name: Schema.String,
  job_name: Schema.String,
  branch: Schema.String,
  base_branch: Schema.NullOr(Schema.String),
  commit: Schema.String,
  run_id: Schema.String,
  finished_at: Timestamp,
  conclusion: Schema.Literals(["passed", "failed"])
}).annotate({ identifier: "BranchRun" })

/** The job runs of other branches in which a test ran in the last 30 days. */
export const Elsewhere = Schema.Struct({
  passed: Schema.Int,
  failed: Schema.Int,
  forks: Schema.Struct({ passed: Schema.Int, failed: Schema.Int }).annotate({
    description: "The job runs of forks, which `passed` and `failed` leave out."
  }),
  sentence: Schema.NullOr(Schema.String).annotate({ description: "What they add up to; null without any." }),
  latest: Schema.Array(BranchRun).annotate({ description: "The latest 30, in the order in which they finished." })
}).annotate({
  identifier: "Elsewhere",
  description:
    "The job runs of other branches in which the test passed or failed in the last 30 days, among the latest 200 of each of its " +
    "jobs. They do not change health."
})

/** Why a test has its status. */
export const ExplainedTest = Schema.Struct({
  test_id: Schema.String.check(Schema.isUUID(5)),
  test_name: Schema.String,
  health_status: Schema.NullOr(HealthStatus.HealthStatus).annotate({
    description: "The worst status of the identities; null for a test that has never run on the default branch."
  }),
  identities: Schema.Array(ExplainedIdentity),
  elsewhere: Elsewhere
}).annotate({ identifier: "ExplainedTest", description: "Why a test has its status, the worst identity first." })
