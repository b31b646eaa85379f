/** Requests with test spans on the wire: the runs in them, and the answer. */
import type { Problem, Schemas } from "@lazaret/api"
import type { Report } from "@lazaret/domain"
import type { Parsed } from "@lazaret/ingest"
import type { Receipt, Upload } from "@lazaret/services"
import { Result } from "effect"
import { receiptOf } from "./Upload.ts"

/** The uploads of a request, or what keeps them from being recorded. */
export const uploadsOf = (content: {
  readonly digest: string
  readonly parsed: ReadonlyArray<Parsed.Parsed>
}): Result.Result<ReadonlyArray<Upload>, ReadonlyArray<Problem.Fault>> =>
  Result.all(content.parsed.map((report) => uploadOf(report, content.digest)))

/** The answer in the media type of the request. */
export const answerOf = (mediaType: string | null, receipts: ReadonlyArray<Receipt>) =>
  mediaType === "application/x-protobuf" ? new Uint8Array() : overall(receipts.map(receiptOf))

const overall = (reports: ReadonlyArray<typeof Schemas.Receipt.Type>): typeof Schemas.TracesReceipt.Type => {
  const sum = (read: (report: typeof Schemas.Receipt.Type) => number) =>
    reports.reduce((total, report) => total + read(report), 0)
  return {
    report_id: reports[0]?.report_id ?? null,
    executions: {
      received: sum((report) => report.executions.received),
      recorded: sum((report) => report.executions.recorded),
      duplicates: sum((report) => report.executions.duplicates),
      skipped: sum((report) => report.executions.skipped)
    },
    identities: sum((report) => report.identities),
    warnings: reports.flatMap((report) => report.warnings),
    reports
  }
}

const uploadOf = (report: Parsed.Parsed, digest: string): Result.Result<Upload, ReadonlyArray<Problem.Fault>> =>
  Result.map(runOf(report.context), ({ run, warnings }) => ({
    idempotencyKey: null,
    digest,
    finishedAt: report.finishedAt,
    run,
    cases: report.cases,
    hasDistinctNames: report.hasDistinctNames,
    listed: report.listed,
    warnings: [...warnings, ...report.warnings]
  }))

/** Pipeline and job stand for one another when only one is named, commit and run as well: better than to lose a report. */
const runOf = (
  hints: Parsed.Hints
): Result.Result<
  { readonly run: Report.RunContext; readonly warnings: ReadonlyArray<string> },
  ReadonlyArray<Problem.Fault>
> => {
  const pipelineName = hints.pipelineName ?? hints.jobName
  const jobName = hints.jobName ?? hints.pipelineName
  const commit = hints.commit ?? hints.runId
  const runId = hints.runId ?? (commit === undefined ? undefined : `commit:${commit}`.slice(0, 255))
  if (pipelineName === undefined || jobName === undefined || commit === undefined || runId === undefined) {
    return Result.fail([
      ...(pipelineName === undefined ? [noPipeline] : []),
      ...(commit === undefined ? [noCommit] : [])
    ])
  }
  const run = {
    pipelineName,
    jobName,
    commit,
    runId,
    branch: hints.branch ?? null,
    baseBranch: hints.baseBranch ?? null,
    runAttempt: hints.runAttempt ?? 1,
    jobUrl: hints.jobUrl ?? null,
    framework: hints.framework ?? null,
    frameworkVersion: hints.frameworkVersion ?? null,
    language: hints.language ?? null,
    pullRequest: hints.pullRequest ?? null,
    pullNumber: hints.pullNumber ?? null
  }
  return Result.succeed({ run, warnings: warningsOf(hints) })
}

const warningsOf = (hints: Parsed.Hints): ReadonlyArray<string> => [
  ...(hints.pipelineName === undefined ? ["No cicd.pipeline.name: the job stands for the pipeline."] : []),
  ...(hints.jobName === undefined ? ["No cicd.pipeline.task.name: the pipeline stands for the job."] : []),
  ...(hints.commit === undefined ? ["No vcs.ref.head.revision: the run stands for the commit."] : [])
]

const noPipeline: Problem.Fault = {
  location: "body.resource.cicd.pipeline.name",
  message: "is required: name the pipeline, and the job in cicd.pipeline.task.name"
}

const noCommit: Problem.Fault = {
  location: "body.resource.vcs.ref.head.revision",
  message: "is required: name the commit, or at least the run in cicd.pipeline.run.id"
}
