/** Why a test has its status, on the wire (our choice: the interface has no such route). */
import { Confidence, Execution, Explanation, Health, type HealthSeries, HealthStatus } from "@lazaret/domain"
import type { ExplainedIdentity, ExplainedTest } from "@lazaret/services"
import { Schema } from "effect"
import { Timestamp } from "./Timestamp.ts"

/** How many changes, executions of the evidence and of its context are shown; the latest ones. */
export const shown = 100

/** One execution of an explanation. */
export const ExplainedExecution = Schema.Struct({
  id: Schema.String,
  finished_at: Timestamp,
  commit: Schema.String,
  conclusion: Execution.Conclusion,
  flaky: Schema.Boolean,
  reruns: Schema.Int,
  exception_type: Schema.NullOr(Schema.String),
  job_url: Schema.NullOr(Schema.String)
}).annotate({ identifier: "ExplainedExecution" })

const Change = Schema.Struct({
  at: Timestamp,
  health_status: HealthStatus.HealthStatus,
  rule: Health.Rule,
  execution_id: Schema.String,
  commit: Schema.String
}).annotate({ identifier: "HealthChange" })

const Recovery = Schema.Struct({
  passes: Schema.Int,
  commits: Schema.Int,
  not_before: Schema.NullOr(Timestamp),
  sentence: Schema.String
}).annotate({ identifier: "Recovery" })

/** Why one identity has its status. */
export const ExplainedIdentityBody = Schema.Struct({
  pipeline_name: Schema.String,
  job_name: Schema.String,
  health_status: HealthStatus.HealthStatus,
  confidence: Confidence.Confidence,
  reruns: Schema.Int,
  clean_reruns: Schema.Int,
  flake_rate_bound: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })),
  rule: Health.Rule,
  since: Schema.NullOr(Timestamp),
  changes: Schema.Array(Change),
  evidence: Schema.Array(ExplainedExecution),
  evidence_total: Schema.Int,
  context: Schema.Array(ExplainedExecution),
  context_total: Schema.Int,
  recent: Schema.Array(ExplainedExecution),
  recovery: Schema.NullOr(Recovery)
}).annotate({ identifier: "ExplainedIdentity" })

/** Why a test has its status. */
export const ExplainedTestBody = Schema.Struct({
  test_id: Schema.String.check(Schema.isUUID(5)),
  test_name: Schema.String,
  health_status: HealthStatus.HealthStatus,
  identities: Schema.Array(ExplainedIdentityBody)
}).annotate({ identifier: "ExplainedTest", description: "Why a test has its status, the worst identity first." })

/** An explanation as the wire shows it. */
export const of = (test: ExplainedTest): typeof ExplainedTestBody.Type => ({
  test_id: test.testId,
  test_name: test.testName,
  health_status: test.status,
  identities: test.identities.map(identityOf)
})

const identityOf = (identity: ExplainedIdentity): typeof ExplainedIdentityBody.Type => ({
  pipeline_name: identity.pipelineName,
  job_name: identity.jobName,
  health_status: identity.status,
  confidence: identity.confidence,
  reruns: identity.reruns,
  clean_reruns: identity.clean,
  flake_rate_bound: identity.flakeRateBound,
  rule: identity.rule,
  since: identity.since,
  changes: identity.changes.slice(-shown).map(changeOf),
  evidence: identity.evidence.slice(-shown).map(executionOf),
  evidence_total: identity.evidence.length,
  context: identity.context.slice(-shown).map(executionOf),
  context_total: identity.context.length,
  recent: identity.recent.map(executionOf),
  recovery: identity.recovery === null ? null : recoveryOf(identity.recovery)
})

const changeOf = (change: HealthSeries.Change): typeof Change.Type => ({
  at: change.mover.at,
  health_status: change.status,
  rule: change.rule,
  execution_id: change.mover.id,
  commit: change.mover.commit
})

const executionOf = (execution: ExplainedIdentity["evidence"][number]): typeof ExplainedExecution.Type => ({
  id: execution.id,
  finished_at: execution.at,
  commit: execution.commit,
  conclusion: execution.conclusion,
  flaky: execution.flaky,
  reruns: execution.reruns,
  exception_type: execution.exceptionType,
  job_url: execution.jobUrl
})

const recoveryOf = (recovery: Explanation.Recovery): typeof Recovery.Type => ({
  passes: recovery.passes,
  commits: recovery.commits,
  not_before: recovery.notBefore,
  sentence: Explanation.sentenceOf(recovery)
})
