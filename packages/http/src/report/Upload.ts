/** Uploads on the wire: what a CI job says about its run, and the answer it gets. */
import type { Schemas } from "@lazaret/api"
import { Instant, type Report } from "@lazaret/domain"
import type { Parsed } from "@lazaret/ingest"
import type { Receipt as ServiceReceipt, Upload } from "@lazaret/services"
import * as FailedRun from "./FailedRun.ts"

/**
 * The run of an upload: the query decides, and the report fills what the query leaves open.
 *
 * **Details**
 *
 * Without a run id the commit stands for the run; without an attempt it is the first.
 */
const runOf = (query: Schemas.ReportQuery, hints: Partial<Report.RunContext>): Report.RunContext => ({
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
  pullRequest: typeof query.pull_request === "object" ? query.pull_request : null,
  pullNumber: typeof query.pull_request === "string" ? Number(query.pull_request) : null
})

/** The upload that query and content make together. */
export const uploadOf = (
  query: Schemas.ReportQuery,
  { digest, parsed }: { readonly digest: string; readonly parsed: Parsed.Parsed }
): Upload => {
  const failedRun = FailedRun.caseOf(query, parsed)
  return {
    idempotencyKey: query.idempotency_key ?? null,
    // The same report with another end time is different content.
    digest: failedRun === null || !query.tests_ended ? digest : `${digest}:${query.tests_ended}`,
    finishedAt: query.finished_at ?? parsed.finishedAt,
    run: runOf(query, parsed.context),
    cases: failedRun === null ? parsed.cases : [...parsed.cases, failedRun],
    hasDistinctNames: parsed.hasDistinctNames && failedRun === null,
    listed: parsed.listed + (failedRun === null ? 0 : 1),
    hasPassed: FailedRun.hasPassed(query, parsed),
    warnings: [
      ...keptTimes(query, parsed),
      ...parsed.warnings,
      ...(failedRun === null
        ? []
        : [`${failedRun.exception?.message ?? ""} \`${failedRun.testName}\` is recorded as failed.`])
    ]
  }
}

/** `finished_at` is the time of cases without one of their own: the receipt says so when they differ by more than an hour. */
const keptTimes = (query: Schemas.ReportQuery, { cases }: Parsed.Parsed): ReadonlyArray<string> => {
  const timed = cases.filter(({ at }) => at !== null).length
  if (query.finished_at === undefined || timed === 0) return []
  const last = cases.reduce((latest, { at }) => Math.max(latest, at ?? 0), 0)
  if (Math.abs(last - query.finished_at) <= hour) return []
  const subject = timed === 1 ? "1 test case keeps its" : `${timed} test cases keep their`
  return [
    `\`finished_at\` is ${Instant.toIso(query.finished_at)}, but ${subject} own time of the report, ` +
      `the last ${Instant.toIso(last)}.`
  ]
}

const hour = 3_600_000

const tooOld = ({ horizon, results }: NonNullable<ServiceReceipt["expired"]>): string => {
  const day = Instant.toIso(horizon).slice(0, 10)
  const [subject, verb] = results === 1 ? ["1 result", "was"] : [`${results} results`, "were"]
  return `${subject} from before ${day} ${verb} not recorded: older results are not kept.`
}

const unshown = (branch: string): string =>
  `The branch ${JSON.stringify(branch)} is not shown, because the default branch is not known: it is neither set ` +
  "nor is there an upload of `main` or `master`. Set it, such as with " +
  `\`lazaret repo set default_branch=${branch}\`.`

/** The receipt as the wire shows it. */
export const receiptOf = (receipt: ServiceReceipt): typeof Schemas.Receipt.Type => ({
  report_id: receipt.reportId,
  executions: {
    received: receipt.received,
    recorded: receipt.recorded,
    duplicates: receipt.duplicates,
    skipped: receipt.skipped
  },
  identities: receipt.identities,
  warnings: [
    ...receipt.warnings,
    ...(receipt.expired === null ? [] : [tooOld(receipt.expired)]),
    ...(receipt.unshownBranch === null ? [] : [unshown(receipt.unshownBranch)])
  ]
})
