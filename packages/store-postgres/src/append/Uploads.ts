/** Uploads: what all executions of a report have in common beside their run. */
import { type Execution, Report } from "@lazaret/domain"
import { Effect } from "effect"
import * as Parameter from "../Parameter.ts"
import type { NewReport } from "./Claim.ts"
import type { Run } from "./Runs.ts"
import type { Session, Sql } from "./Session.ts"

/** A report with its number and its run. */
export interface Upload extends NewReport {
  readonly uploadNo: number
  readonly run: Run
}

/** The ordinal in the id of an execution, null when it is not `{report id}.{ordinal}` (`Report.make`). */
export const ordinalOf = (report: Report.Report, { id }: Execution.Execution): number | null => {
  const start = report.id.length + 1
  if (id[start - 1] !== "." || !id.startsWith(report.id)) return null
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

/** The facts of an upload that executions are shown with. */
export interface UploadFacts {
  readonly upload_no: number
  readonly report_id: string
  readonly job_url: string | null
  readonly framework: string | null
  readonly framework_version: string | null
  readonly language: string | null
}

/** The facts of uploads and the names of commits, each by number, in one look. */
export const facts = Effect.fnUntraced(function* (
  sql: Sql,
  repositoryId: number,
  uploads: Iterable<number>,
  commits: Iterable<number> = []
) {
  const [uploadNos, commitNos] = [[...uploads], [...commits]]
  const found = { uploads: new Map<number, UploadFacts>(), commits: new Map<number, string>() }
  if (uploadNos.length === 0 && commitNos.length === 0) return found
  for (const row of yield* selectFacts(sql, repositoryId, uploadNos, commitNos)) {
    if (row.commit_no === null) found.uploads.set(row.upload_no, row)
    else found.commits.set(row.commit_no, row.sha)
  }
  return found
})

/**
 * Both tables have other keys that begin with the repository. Where most repositories are small, every one of them looks as
 * good as the primary key, and reads the whole repository to find a row: only the order tells them apart.
 */
const selectFacts = (
  sql: Sql,
  repositoryId: number,
  uploads: ReadonlyArray<number>,
  commits: ReadonlyArray<number>
) => sql<(UploadFacts & { readonly commit_no: null }) | { readonly commit_no: number; readonly sha: string }>`
  SELECT NULL AS commit_no, NULL AS sha, u.*
  FROM unnest(${Parameter.int4s(uploads)}) AS n (upload_no)
  CROSS JOIN LATERAL (
    SELECT upload_no, report_id, job_url, framework, framework_version, language
    FROM uploads
    WHERE repository_id = ${repositoryId} AND upload_no BETWEEN n.upload_no AND n.upload_no
    ORDER BY upload_no
    LIMIT 1
  ) u
  UNION ALL
  SELECT c.*, NULL, NULL, NULL, NULL, NULL, NULL
  FROM unnest(${Parameter.int4s(commits)}) AS n (commit_no)
  CROSS JOIN LATERAL (
    SELECT commit_no, sha
    FROM commits
    WHERE repository_id = ${repositoryId} AND commit_no BETWEEN n.commit_no AND n.commit_no
    ORDER BY commit_no
    LIMIT 1
  ) c`

const maximumOrdinal = 0xffff_ffff
