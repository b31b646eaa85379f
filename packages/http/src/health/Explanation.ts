/** Why a test has its status, on the wire (our choice: the interface has no such route). */
import type { Schemas } from "@lazaret/api"
import { BranchRun, Explanation, type HealthSeries } from "@lazaret/domain"
import type { ExplainedIdentity, ExplainedTest } from "@lazaret/services"

/** How many changes, executions of the evidence and of its context are shown; the latest ones. */
const shown = 100

/** An explanation as the wire shows it. */
export const of = (test: ExplainedTest): typeof Schemas.ExplainedTest.Type => ({
  test_id: test.testId,
  test_name: test.testName,
  health_status: test.status,
  identities: test.identities.map(identityOf),
  elsewhere: {
    ...countsOf(BranchRun.partition(test.elsewhere).own),
    forks: countsOf(BranchRun.partition(test.elsewhere).forks),
    sentence: test.sentence,
    latest: test.elsewhere.slice(-latestRuns).map(branchRunOf)
  }
})

const countsOf = (runs: ExplainedTest["elsewhere"]) => ({
  passed: runs.filter(({ conclusion }) => conclusion === "passed").length,
  failed: runs.filter(({ conclusion }) => conclusion === "failed").length
})

/** How many job runs of other branches are shown. */
const latestRuns = 30

/** A job run of another branch. */
export const branchRunOf = ({
  conclusion,
  run
}: ExplainedTest["elsewhere"][number]): typeof Schemas.BranchRun.Type => ({
  pipeline_name: run.pipelineName,
  job_name: run.jobName,
  branch: run.branch,
  base_branch: run.baseBranch,
  commit: run.commit,
  run_id: run.runId,
  finished_at: run.at,
  conclusion
})

const identityOf = (identity: ExplainedIdentity): typeof Schemas.ExplainedIdentity.Type => ({
  pipeline_name: identity.pipelineName,
  job_name: identity.jobName,
  health_status: identity.status,
  confidence: identity.confidence,
  confidence_reason: Explanation.proofOf([...identity.evidence, ...identity.elsewhere], identity.reruns),
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
  contradictions: identity.elsewhere.slice(-shown).map(contradictionOf),
  contradictions_total: identity.elsewhere.length,
  notes: identity.notes,
  recent: identity.recent.map(executionOf),
  recovery: identity.recovery === null ? null : recoveryOf(identity.recovery),
  failing: failingOf(identity.failing)
})

const failingOf = (row: ExplainedIdentity["failing"]): (typeof Schemas.ExplainedIdentity.Type)["failing"] =>
  row === null ? null : { failures: row.failures, since: row.first.at, commit: row.first.commit }

const contradictionOf = (
  found: ExplainedIdentity["elsewhere"][number]
): typeof Schemas.ExplainedContradiction.Type => ({
  execution_id: found.id,
  finished_at: found.at,
  branch: found.branch === "" ? null : found.branch,
  base_branch: found.baseBranch,
  commit: found.commit,
  run_id: found.runId,
  job_url: found.jobUrl
})

const changeOf = (change: HealthSeries.Change): typeof Schemas.HealthChange.Type => ({
  at: change.trigger.at,
  health_status: change.status,
  rule: change.rule,
  execution_id: change.trigger.id,
  commit: change.trigger.commit
})

const executionOf = (execution: ExplainedIdentity["evidence"][number]): typeof Schemas.ExplainedExecution.Type => ({
  id: execution.id,
  finished_at: execution.at,
  commit: execution.commit,
  conclusion: execution.conclusion,
  flaky: execution.flaky,
  reruns: execution.reruns,
  exception_type: execution.exceptionType,
  run_id: execution.runId,
  job_url: execution.jobUrl
})

const recoveryOf = (recovery: Explanation.Recovery): typeof Schemas.Recovery.Type => ({
  passes: recovery.passes,
  commits: recovery.commits,
  not_before: recovery.notBefore,
  sentence: Explanation.sentenceOf(recovery)
})
