/** The verdicts on failures on the wire. */
import { Schemas } from "@lazaret/api"
import {
  type FailureEvidence,
  FailurePrecision,
  type FailureVerdict,
  type MissedTests,
  Ownership
} from "@lazaret/domain"
import {
  type Answered,
  type AskedRun,
  type CauseLinks,
  markOf,
  type Marks,
  type NamesByFile,
  type Precision,
  type Triaged,
  type TriageRequest,
  type TriageRun
} from "@lazaret/services"
import type { Schema } from "effect"

type Query = Schema.Struct.Type<typeof Schemas.TriageQuery>

/** The list that a query asks for. */
export const requestOf = (query: Query): TriageRequest => ({
  verdicts: query.verdict ?? [],
  isBlocking: query.is_blocking === undefined ? null : query.is_blocking === "true",
  pipelines: query.pipeline_name ?? [],
  jobs: query.job_name ?? [],
  cursor: query.cursor ?? null,
  perPage: query.per_page ?? Schemas.Parameter.defaultPerPage
})

/** The page of verdicts. */
export const pageOf = (
  { commit, forks, listing, marks, missing, owners, runs, ...summary }: Omit<Triaged, "failed">,
  links: CauseLinks,
  perPage: number
): typeof Schemas.TriagePage.Type => ({
  size: listing.rows.length,
  per_page: perPage,
  total: listing.total,
  ...summary,
  commit,
  runs: runs.map(runOf),
  fork_runs: forks.map(runOf),
  missing: missing.map(missedOf),
  failures: listing.rows.map(failureOf(owners, marks, links))
})

const runOf = (run: TriageRun): typeof Schemas.TriagedRun.Type => ({
  pipeline_name: run.pipelineName,
  job_name: run.jobName,
  run_id: run.runId,
  run_attempt: run.runAttempt,
  commit: run.commit,
  branch: run.branch,
  base_branch: run.baseBranch,
  finished_at: run.at,
  passed: run.passed,
  failed: run.failed
})

const missedOf = (missed: MissedTests.MissedTests): typeof Schemas.MissedTests.Type => ({
  kind: missed.kind,
  pipeline_name: missed.pipelineName,
  job_names: missed.jobNames,
  run_id: missed.runId,
  expected: missed.expected,
  missing: missed.missing,
  skipped: missed.skipped,
  renamed: missed.renamed,
  test_names: missed.names
})

/** The question of a body. The commit stands for a missing run id. */
export const askedOf = (body: typeof Schemas.AskTriage.Type): Omit<AskedRun, "at"> => ({
  run: {
    pipelineName: body.pipeline_name,
    jobName: body.job_name,
    commit: body.commit,
    branch: body.branch ?? null,
    baseBranch: body.base_branch ?? null,
    runId: body.run_id ?? body.commit,
    runAttempt: body.run_attempt ?? 1,
    jobUrl: body.job_url ?? null
  },
  passed: body.passed ?? 0,
  failures: body.failures.map((failure) => ({
    testName: failure.test_name,
    attempts: failure.attempts ?? 1,
    exceptionType: failure.exception_type ?? null,
    message: failure.message ?? null,
    file: failure.file ?? null
  }))
})

/** A marked failure. */
export const markedOf = ({
  mark: { at, by, truth },
  ...kept
}: FailurePrecision.MarkedVerdict): typeof Schemas.MarkedFailure.Type => ({
  test_id: kept.testId,
  execution_id: kept.executionId,
  test_name: kept.testName,
  pipeline_name: kept.pipelineName,
  job_name: kept.jobName,
  commit: kept.commit,
  verdict: kept.verdict,
  probability_flaky: kept.probability,
  truth,
  marked_by: by,
  marked_at: at
})

/** How often `flaky` was right. */
export const precisionOf = ({ marked, policy, ...measured }: Precision): typeof Schemas.VerdictPrecision.Type => ({
  known: measured.known,
  right: measured.right,
  precision: measured.precision,
  calibration_error: measured.calibrationError,
  days: policy.days,
  least_precision: policy.leastPrecision,
  least_outcomes: policy.leastOutcomes,
  marked_flaky: marked.flaky,
  marked_real: marked.real,
  real_job_runs: measured.retried.real,
  retried_real_job_runs: measured.retried.retried,
  retry_sentence: FailurePrecision.retriedSentence(measured.retried, policy),
  excuses: measured.excuses,
  suspended_since: measured.suspendedSince,
  sentence: measured.sentence,
  learning: measured.stages
})

/** The answer to a question. */
export const answerOf = (
  { failures, missing, owners, ...summary }: Answered,
  links: CauseLinks
): typeof Schemas.AskedTriage.Type => ({
  ...summary,
  missing: missing.map(missedOf),
  failures: failures.map(failureOf(owners, new Map(), links))
})

const failureOf =
  (byFile: NamesByFile, marks: Marks, links: CauseLinks) =>
  (failure: FailureVerdict.FailureVerdict): typeof Schemas.JudgedFailure.Type => {
    const owners = byFile.get(failure.file) ?? []
    const mark = markOf(marks, failure)
    const link = links.get(failure.testName)
    return {
      execution_id: failure.executionId,
      test_id: failure.testId,
      test_name: failure.testName,
      pipeline_name: failure.pipelineName,
      job_name: failure.jobName,
      verdict: failure.verdict,
      cause: failure.cause,
      causes: failure.causes,
      probability_flaky: failure.probabilityFlaky,
      score: failure.score,
      title: failure.title,
      reason: failure.reason,
      evidence: failure.evidence.map(evidenceOf),
      quarantined: failure.quarantined,
      is_blocking: failure.isBlocking,
      gate_reason: failure.gateReason,
      message: failure.message,
      exception_type: failure.exceptionType,
      file: failure.file,
      job_url: failure.jobUrl,
      owners,
      shared_cause:
        link === undefined
          ? null
          : {
              id: link.causeId,
              name: link.name,
              tests: link.tests,
              failed_here: link.failedHere,
              sentence: link.sentence
            },
      mark: mark === null ? null : { truth: mark.truth, marked_by: mark.by, marked_at: mark.at },
      line: [
        failure.line,
        ...(owners.length === 0 ? [] : [Ownership.phraseOf(owners)]),
        ...(mark === null ? [] : [`marked as ${mark.truth} by ${mark.by}`])
      ].join("; ")
    }
  }

const evidenceOf = ({ restsOn, ...evidence }: FailureEvidence.Evidence): typeof Schemas.FailureEvidence.Type => ({
  ...evidence,
  rests_on: restsOn
})
