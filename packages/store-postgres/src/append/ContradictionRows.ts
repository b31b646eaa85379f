/** The rows that the contradictions on other branches (`Contradictions`) are derived from and kept in. */
import type { Instant } from "@lazaret/domain"
import * as Parameter from "../database/Parameter.ts"
import type { Session } from "../repository/Session.ts"

/** The attempts of one run of a job on a branch that is not the default branch. */
export interface Group {
  readonly jobNo: number
  readonly commitNo: number
  readonly runId: string
  readonly branch: string | null
  readonly baseBranch: string | null
}

/** Runs of the default branch that were judged: those of other branches that finished after `from`, up to `end`, follow. */
export interface Judged {
  readonly jobNo: number
  readonly from: Instant.Instant
  readonly end: Instant.Instant
}

/** A contradiction of a test, as it is stored. */
export interface Derived {
  readonly testNo: number
  readonly at: Instant.Instant
  readonly uploadNo: number
  readonly ordinal: number
  readonly openedAt: Instant.Instant
}

/** The columns of a group. */
export interface GroupRow {
  readonly job_no: number
  readonly commit_no: number
  readonly run_id: string
  readonly branch: string | null
  readonly base_branch: string | null
}

/** The group in a row. */
export const groupOf = (row: GroupRow): Group => ({
  jobNo: row.job_no,
  commitNo: row.commit_no,
  runId: row.run_id,
  branch: row.branch,
  baseBranch: row.base_branch
})

/** The groups with a failed attempt. */
export const selectGroups = ({ horizon, repositoryId, sql }: Session) => sql<GroupRow>`
  SELECT DISTINCT r.job_no, r.commit_no, r.run_id, r.branch, r.base_branch
  FROM job_runs r
  WHERE r.repository_id = ${repositoryId} AND NOT r.on_default_branch
    AND r.finished_at >= ${Parameter.instant(horizon ?? 0)} AND r.run_no IN (
      SELECT f.run_no
      FROM failed_executions f
      WHERE f.repository_id = ${repositoryId}
    )`

/** The groups of runs in which tests failed. */
export const selectConcerned = ({ repositoryId, sql }: Session, judged: ReadonlyArray<Judged>) => sql<GroupRow>`
  SELECT DISTINCT r.job_no, r.commit_no, r.run_id, r.branch, r.base_branch
  FROM unnest(
    ${Parameter.int4s(judged.map(({ jobNo }) => jobNo))},
    ${Parameter.instants(judged.map(({ from }) => from))},
    ${Parameter.instants(judged.map(({ end }) => (Number.isFinite(end) ? end : farthest)))}
  ) AS n (job_no, start_at, end_at)
  CROSS JOIN LATERAL (
    SELECT job_no, commit_no, run_id, branch, base_branch
    FROM job_runs
    WHERE repository_id = ${repositoryId} AND job_no = n.job_no AND failed > 0 AND NOT on_default_branch
      AND finished_at > n.start_at AND finished_at <= n.end_at
    OFFSET 0
  ) r`

/** The last instant that a `Date` has. */
const farthest: Instant.Instant = 8_640_000_000_000_000

interface RunRow extends GroupRow {
  readonly run_no: number
  readonly finished_at: Instant.Instant
  readonly failed: number
  readonly own_failed: number
  readonly outcomes: Uint8Array
}

/** The job runs of groups; those of other runs of the same job and commit are among them. */
export const selectRuns = ({ repositoryId, sql }: Session, groups: ReadonlyArray<Group>) => sql<RunRow>`
  SELECT r.*
  FROM (
    SELECT DISTINCT job_no, commit_no
    FROM unnest(
      ${Parameter.int4s(groups.map(({ jobNo }) => jobNo))},
      ${Parameter.int4s(groups.map(({ commitNo }) => commitNo))}
    ) AS u (job_no, commit_no)
  ) n
  CROSS JOIN LATERAL (
    SELECT run_no, job_no, commit_no, run_id, branch, base_branch, finished_at, failed, own_failed, outcomes
    FROM job_runs
    WHERE repository_id = ${repositoryId} AND commit_no = n.commit_no AND job_no = n.job_no AND NOT on_default_branch
    OFFSET 0
  ) r`

/** The tests that failed and passed inside of job runs. */
export const selectFlaky = ({ repositoryId, sql }: Session, runs: ReadonlyArray<number>) => sql<{
  readonly run_no: number
  readonly test_no: number
}>`
  SELECT n.run_no, f.test_no
  FROM unnest(${Parameter.int4s(runs)}) AS n (run_no)
  CROSS JOIN LATERAL (
    SELECT test_no
    FROM failed_executions
    WHERE repository_id = ${repositoryId} AND run_no = n.run_no AND NOT is_failed
    OFFSET 0
  ) f`

/** A contradiction as its row has it. */
export interface StoredRow {
  readonly test_no: number
  readonly run_hash: Uint8Array
  readonly at: Instant.Instant
  readonly upload_no: number
  readonly ordinal: number
  readonly opened_at: Instant.Instant
}

const bytesOf = (key: string): Uint8Array => Buffer.from(key, "hex")

/** The contradictions of groups, which `keys` name. */
export const selectStored = ({ repositoryId, sql }: Session, keys: ReadonlyArray<string>) => sql<StoredRow>`
  SELECT c.*
  FROM unnest(${Parameter.byteas(keys.map(bytesOf))}) AS n (run_hash)
  CROSS JOIN LATERAL (
    SELECT test_no, run_hash, at, upload_no, ordinal, opened_at
    FROM branch_contradictions
    WHERE repository_id = ${repositoryId} AND run_hash = n.run_hash
    OFFSET 0
  ) c`

interface UploadRow {
  readonly upload_no: number
  readonly report_id: string
  readonly earliest_at: Instant.Instant
  readonly latest_at: Instant.Instant
}

/** The uploads of job runs, with the bounds of their instants. */
export const selectUploads = ({ repositoryId, sql }: Session, runs: ReadonlyArray<number>) => sql<UploadRow>`
  SELECT u.*
  FROM unnest(${Parameter.int4s(runs)}) AS n (run_no)
  CROSS JOIN LATERAL (
    SELECT upload_no, report_id, earliest_at, latest_at
    FROM uploads
    WHERE repository_id = ${repositoryId} AND run_no = n.run_no
    OFFSET 0
  ) u`

interface ChunkRow {
  readonly block_no: number
  readonly at: Instant.Instant
  readonly upload_no: number
  readonly payload: Uint8Array
}

/** The bounds of all uploads restrict the search to their weekly partitions. */
export const selectChunks = (
  { repositoryId, sql }: Session,
  blocks: ReadonlyArray<number>,
  uploads: ReadonlyArray<UploadRow>
) => sql<ChunkRow>`
  SELECT b.block_no, c.at, u.upload_no, c.payload
  FROM unnest(${Parameter.int4s(blocks)}) AS b (block_no)
  CROSS JOIN unnest(
    ${Parameter.int4s(uploads.map((row) => row.upload_no))},
    ${Parameter.instants(uploads.map((row) => row.earliest_at))},
    ${Parameter.instants(uploads.map((row) => row.latest_at))}
  ) AS u (upload_no, start_at, end_at)
  CROSS JOIN LATERAL (
    SELECT at, payload
    FROM result_chunks
    WHERE repository_id = ${repositoryId} AND block_no = b.block_no AND at BETWEEN u.start_at AND u.end_at
      AND upload_no = u.upload_no
      AND at BETWEEN ${Parameter.instant(uploads.reduce((least, row) => Math.min(least, row.earliest_at), Infinity))}
        AND ${Parameter.instant(uploads.reduce((most, row) => Math.max(most, row.latest_at), -Infinity))}
    OFFSET 0
  ) c`

/** Removes contradictions of a group. */
export const remove = ({ repositoryId, sql }: Session, key: string, rows: ReadonlyArray<StoredRow>) => sql`
  DELETE FROM branch_contradictions
  WHERE repository_id = ${repositoryId} AND run_hash = ${Parameter.bytea(bytesOf(key))}
    AND test_no = ANY(${Parameter.int4s(rows.map(({ test_no }) => test_no))})`

/** Adds contradictions to a group. */
export const insert = (
  { repositoryId, sql }: Session,
  key: string,
  group: Group,
  derived: ReadonlyArray<Derived>
) => sql`
  INSERT INTO branch_contradictions (
    repository_id, test_no, run_hash, at, upload_no, ordinal, commit_no, run_id, branch, base_branch, opened_at
  )
  SELECT ${repositoryId}, n.test_no, ${Parameter.bytea(bytesOf(key))}, n.at, n.upload_no, n.ordinal, ${group.commitNo}::int,
    ${Parameter.text(group.runId)}, ${Parameter.text(group.branch)}, ${Parameter.text(group.baseBranch)}, n.opened_at
  FROM unnest(
    ${Parameter.int4s(derived.map(({ testNo }) => testNo))},
    ${Parameter.instants(derived.map(({ at }) => at))},
    ${Parameter.int4s(derived.map(({ uploadNo }) => uploadNo))},
    ${Parameter.int4s(derived.map(({ ordinal }) => ordinal))},
    ${Parameter.instants(derived.map(({ openedAt }) => openedAt))}
  ) AS n (test_no, at, upload_no, ordinal, opened_at)
  ORDER BY n.test_no`

/** Removes the rows of branches of which the runs are of the default branch now. */
export const removeStrays = ({ defaultBranch, repositoryId, sql }: Session) => sql`
  DELETE FROM branch_contradictions
  WHERE repository_id = ${repositoryId} AND base_branch IS NULL AND branch = ${defaultBranch}`
