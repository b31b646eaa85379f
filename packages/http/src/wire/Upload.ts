/**
 * Uploads on the wire: what a CI job says about its run, and the answer it gets.
 *
 * @since 0.1.0
 */
import { PullRef, Report, Text } from "@lazaret/domain"
import type { Receipt as ServiceReceipt } from "@lazaret/services"
import { Schema } from "effect"
import * as Parameter from "./Parameter.ts"
import { Timestamp } from "./Timestamp.ts"

const text = (longest: number) => Schema.optionalKey(Text.between(1, longest))

const context = Report.RunContext.fields

/** A pull request is a whole `PullRef` or nothing (interface 2.2); many CI systems know only its number. */
const pullRequest = Schema.Union([
  Schema.String.check(Schema.isPattern(/^[0-9]+$/u)),
  Schema.fromJsonString(PullRef.PullRef)
]).annotate({ message: "must be a pull request as JSON with id, number, title and user, or its number" })

/**
 * What an upload says about its run.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ReportQuery = {
  pipeline_name: context.pipelineName,
  job_name: context.jobName,
  commit: context.commit,
  branch: text(255),
  base_branch: text(255),
  run_id: text(255),
  run_attempt: Schema.optionalKey(Parameter.integer({ minimum: 0, maximum: 2_147_483_647 })),
  job_url: text(2048),
  pull_request: Schema.optionalKey(pullRequest),
  framework: text(255),
  framework_version: text(255),
  language: text(255),
  finished_at: Schema.optionalKey(Timestamp),
  idempotency_key: text(1000)
}

const Query = Schema.Struct(ReportQuery)

/**
 * What an upload says about its run.
 *
 * @category models
 * @since 0.1.0
 */
export type ReportQuery = typeof Query.Type

/**
 * The answer to an upload.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Receipt = Schema.Struct({
  report_id: Schema.String.check(Schema.isUUID(5)),
  executions: Schema.Struct({
    received: Schema.Int,
    recorded: Schema.Int,
    duplicates: Schema.Int,
    skipped: Schema.Int
  }),
  identities: Schema.Int,
  warnings: Schema.Array(Schema.String)
}).annotate({ identifier: "UploadReceipt" })

/**
 * The run of an upload: the query decides, and the report fills what the query leaves open.
 *
 * **Details**
 *
 * Without a run id the commit stands for the run; without an attempt it is the first.
 *
 * @category conversions
 * @since 0.1.0
 */
export const runOf = (query: ReportQuery, hints: Partial<Report.RunContext>): Report.RunContext => ({
  pipelineName: query.pipeline_name,
  jobName: query.job_name,
  commit: query.commit,
  branch: query.branch ?? hints.branch ?? null,
  baseBranch: query.base_branch ?? hints.baseBranch ?? null,
  runId: query.run_id ?? hints.runId ?? `commit:${query.commit}`.slice(0, 255),
  runAttempt: query.run_attempt ?? hints.runAttempt ?? 1,
  jobUrl: query.job_url ?? hints.jobUrl ?? null,
  framework: query.framework ?? hints.framework ?? null,
  frameworkVersion: query.framework_version ?? hints.frameworkVersion ?? null,
  language: query.language ?? hints.language ?? null,
  pullRequest: typeof query.pull_request === "object" ? query.pull_request : null
})

/**
 * What is worth saying about the query itself.
 *
 * @category conversions
 * @since 0.1.0
 */
export const warningsOf = (query: ReportQuery): ReadonlyArray<string> =>
  typeof query.pull_request === "string"
    ? ["`pull_request` was ignored: a number alone names no title and user. Send the whole pull request as JSON."]
    : []

/**
 * The receipt as the wire shows it.
 *
 * @category conversions
 * @since 0.1.0
 */
export const receiptOf = (receipt: ServiceReceipt): typeof Receipt.Type => ({
  report_id: receipt.reportId,
  executions: {
    received: receipt.received,
    recorded: receipt.recorded,
    duplicates: receipt.duplicates,
    skipped: receipt.skipped
  },
  identities: receipt.identities,
  warnings: receipt.warnings
})
