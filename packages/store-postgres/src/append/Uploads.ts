/** Uploads: the fields that all executions of a report share, in addition to those of their run. */
import { type Execution, Report, type TestAlias } from "@lazaret/domain"
import * as Parameter from "../database/Parameter.ts"
import type { Candidate } from "./Claim.ts"
import type { Run } from "./Runs.ts"
import type { Numbering } from "./Tests.ts"
import type { Session } from "../repository/Session.ts"

/**
 * A report under the names that stand for its own; `named` is the report as it was uploaded, `stored` are the executions of it that
 * have another name, by their index.
 */
export interface Aliased extends Candidate, TestAlias.Applied {
  readonly named: Report.Report
}

/** A report with its number and its run. */
export interface Upload extends Aliased {
  readonly uploadNo: number
  readonly run: Run
}

/**
 * An upload with the numbers of the tests of its executions.
 *
 * `failed` are the places of the executions with a failed attempt: they alone have an exception, and rows of their own.
 */
export interface NumberedUpload extends Upload {
  readonly places: Numbering
  readonly failed: ReadonlyArray<number>
}

/** The places of the executions of a report with a failed attempt. */
export const failedIn = ({ executions }: Report.Report): ReadonlyArray<number> => {
  const failed: Array<number> = []
  executions.forEach(({ conclusion, flaky }, index) => {
    if (conclusion === "failed" || flaky) failed.push(index)
  })
  return failed
}

/** The ordinals in the ids of executions of a report, null for an id that is not `{report id}.{ordinal}` (`Report.make`). */
export const ordinalsOf = (report: Report.Report): ((execution: Execution.Execution) => number | null) => {
  let last: string | null = null
  let ordinal: number | null = null
  return ({ id }) => {
    // Nearly all executions share the text of their id.
    if (id !== last) ordinal = ordinalIn(id, report.id)
    last = id
    return ordinal
  }
}

const ordinalIn = (id: string, reportId: string): number | null => {
  const start = reportId.length + 1
  if (id[start - 1] !== "." || !id.startsWith(reportId)) return null
  // Nearly every test runs once.
  if (id.length === start + 1 && id[start] === "0") return 0
  const text = id.slice(start)
  const ordinal = Number(text)
  return ordinal <= maximumOrdinal && /^[1-9]\d*$/u.test(text) ? ordinal : null
}

/** Writes uploads. */
export const insert = ({ repositoryId, sql }: Session, uploads: ReadonlyArray<Upload>) => sql`
  INSERT INTO uploads (
    repository_id, upload_no, key_hash, content_hash, report_id, run_no, job_url, framework, framework_version, language,
    results, earliest_at, latest_at, received_at
  )
  SELECT ${repositoryId}, n.*
  FROM unnest(
    ${Parameter.int4s(uploads.map((upload) => upload.uploadNo))},
    ${Parameter.byteas(uploads.map((upload) => upload.keyHash))},
    ${Parameter.byteas(uploads.map((upload) => upload.contentHash))},
    ${Parameter.texts(uploads.map(({ report }) => report.id))},
    ${Parameter.int4s(uploads.map(({ run }) => run.runNo))},
    ${Parameter.texts(uploads.map(({ report }) => report.run.jobUrl))},
    ${Parameter.texts(uploads.map(({ report }) => report.run.framework))},
    ${Parameter.texts(uploads.map(({ report }) => report.run.frameworkVersion))},
    ${Parameter.texts(uploads.map(({ report }) => report.run.language))},
    ${Parameter.int4s(uploads.map(({ report }) => report.executions.length))},
    ${Parameter.instants(uploads.map(({ report }) => Report.span(report).earliest))},
    ${Parameter.instants(uploads.map(({ report }) => Report.span(report).latest))},
    ${Parameter.instants(uploads.map(({ report }) => report.receivedAt))}
  ) AS n`

const maximumOrdinal = 0xffff_ffff
