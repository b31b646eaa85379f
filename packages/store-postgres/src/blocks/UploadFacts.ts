/** Uploads and commits by number: the names that surrogates replace. */
import type { Instant } from "@lazaret/domain"
import { Effect, Option } from "effect"
import * as Parameter from "../database/Parameter.ts"
import type { Sql } from "../repository/Session.ts"

/** The facts of an upload that are returned with its executions. */
export interface UploadFacts {
  readonly upload_no: number
  readonly report_id: string
  /** Null where a contradiction outlives the run of its upload. */
  readonly run_id: string | null
  readonly job_url: string | null
  readonly framework: string | null
  readonly framework_version: string | null
  readonly language: string | null
}

/** The facts of uploads and the names of commits, each by number, with one statement. */
export const select = Effect.fnUntraced(function* (
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
 * The tables have other keys that begin with the repository. Where most repositories are small, the planner estimates
 * these as cheap as the primary key, and reads the whole repository to find a row. The `ORDER BY` excludes them.
 */
const selectFacts = (
  sql: Sql,
  repositoryId: number,
  uploads: ReadonlyArray<number>,
  commits: ReadonlyArray<number>
) => sql<(UploadFacts & { readonly commit_no: null }) | { readonly commit_no: number; readonly sha: string }>`
  SELECT NULL AS commit_no, NULL AS sha, r.run_id, u.*
  FROM unnest(${Parameter.int4s(uploads)}) AS n (upload_no)
  CROSS JOIN LATERAL (
    SELECT upload_no, run_no, report_id, job_url, framework, framework_version, language
    FROM uploads
    WHERE repository_id = ${repositoryId} AND upload_no BETWEEN n.upload_no AND n.upload_no
    ORDER BY upload_no
    LIMIT 1
  ) u
  LEFT JOIN LATERAL (
    SELECT run_id
    FROM job_runs
    WHERE repository_id = ${repositoryId} AND run_no BETWEEN u.run_no AND u.run_no
    ORDER BY run_no
    LIMIT 1
  ) r ON true
  UNION ALL
  SELECT c.*, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
  FROM unnest(${Parameter.int4s(commits)}) AS n (commit_no)
  CROSS JOIN LATERAL (
    SELECT commit_no, sha
    FROM commits
    WHERE repository_id = ${repositoryId} AND commit_no BETWEEN n.commit_no AND n.commit_no
    ORDER BY commit_no
    LIMIT 1
  ) c`

/** The first instant from `since` on that lies in a report of the default branch; one pass over the uploads of the repository. */
export const firstAt = (sql: Sql, repositoryId: number, since: Instant.Instant) =>
  Effect.map(
    sql<{ readonly at: Instant.Instant | null }>`
      SELECT min(greatest(u.earliest_at, ${Parameter.instant(since)}, r.horizon)) AS at
      FROM repositories r
      JOIN uploads u ON u.repository_id = r.repository_id
      JOIN job_runs j ON j.repository_id = u.repository_id AND j.run_no = u.run_no
      WHERE r.repository_id = ${repositoryId} AND j.on_default_branch AND u.results > 0
        AND u.latest_at >= greatest(${Parameter.instant(since)}, r.horizon)`,
    ([row]) => Option.fromNullishOr(row?.at)
  )
