/**
 * Decides which runs are excused: outages whose predecessor was no outage (`Outage.excused`).
 *
 * The verdict on a run depends only on the run and its predecessor. A new or changed run can therefore change its own
 * verdict and those of later runs, but not that of an earlier run.
 */
import type { Instant, Outage } from "@lazaret/domain"
import { JobRun } from "@lazaret/store"
import { Effect } from "effect"
import * as Parameter from "../database/Parameter.ts"
import type * as Runs from "./Runs.ts"
import type { Session } from "../repository/Session.ts"

/** A changed verdict on a run. */
export interface VerdictChange {
  readonly runNo: number
  readonly excused: boolean
}

/** Judges the runs of a job, starting at the first changed run; writes the changed verdicts and yields them. */
export const judge = Effect.fnUntraced(function* (session: Session, jobNo: number, changed: ReadonlyArray<Runs.Run>) {
  const instants = changed.map((run) => Math.min(run.before ?? run.finishedAt, run.finishedAt))
  const from = Math.min(...instants)
  const later = yield* selectFrom(session, jobNo, from)
  const earlier = JobRun.needsPredecessors(later.map(judgedOf), session.policies.outage)
    ? yield* predecessors(session, jobNo, from, firstPage)
    : []
  const changes = changesAmong(session, earlier, later)
  yield* save(session, changes)
  return changes
})

/** Judges every run of a repository, writes the changed verdicts, and yields them. */
export const judgeAll = Effect.fnUntraced(function* (session: Session) {
  const changes: Array<VerdictChange> = []
  for (const { job_no } of yield* selectJobs(session)) {
    changes.push(...changesAmong(session, [], yield* selectFrom(session, job_no, 0)))
  }
  for (const { run_no } of yield* selectExcusedElsewhere(session)) changes.push({ runNo: run_no, excused: false })
  yield* save(session, changes)
  return changes
})

/** The runs of a repository: all of them, or those with the given numbers. */
export const selectAll = (session: Pick<Session, "sql" | "repositoryId">, runs?: ReadonlyArray<number>) => {
  const { repositoryId, sql } = session
  const among = runs === undefined ? sql`` : sql`AND n.run_no = ANY(${Parameter.int4s(runs)})`
  return sql<RunRow>`
    ${columns(session)}
    WHERE n.repository_id = ${repositoryId} ${among}`
}

/** The runs of the default branch that finished before an instant. */
export const selectAllBefore = (session: Session, before: Instant.Instant) => session.sql<RunRow>`
  ${columns(session)}
  WHERE n.repository_id = ${session.repositoryId} AND n.on_default_branch
    AND n.finished_at < ${Parameter.instant(before)}`

/** The judgements of `later` that are not as stored. `earlier` are runs before them, enough to hold their predecessors. */
const changesAmong = (
  session: Session,
  earlier: ReadonlyArray<RunRow>,
  later: ReadonlyArray<RunRow>
): ReadonlyArray<VerdictChange> =>
  JobRun.judge(earlier.map(totalsOf), later.map(judgedOf), session.policies.outage).map(({ excused, run }) => ({
    runNo: run.runNo,
    excused
  }))

const judgedOf = (row: RunRow) => ({ ...totalsOf(row), excused: row.excused, runNo: row.run_no })

/** The runs before an instant, back to the second distinct commit. They hold the predecessor of every later run. */
const predecessors: (
  session: Session,
  jobNo: number,
  before: Instant.Instant,
  limit: number
) => Effect.Effect<ReadonlyArray<RunRow>, Effect.Error<ReturnType<typeof selectBefore>>> = Effect.fnUntraced(
  function* (session, jobNo, before, limit) {
    const rows = yield* selectBefore(session, jobNo, before, limit)
    const isEnough = rows.length < limit || new Set(rows.map((row) => row.sha)).size > 1
    return isEnough ? rows : yield* predecessors(session, jobNo, before, limit * 8)
  }
)

const firstPage = 8

/** A run as it is stored. */
export interface RunRow {
  readonly run_no: number
  readonly job_no: number
  readonly run_id: string
  readonly run_attempt: number
  readonly sha: string
  readonly branch: string | null
  readonly base_branch: string | null
  readonly pipeline_name: string
  readonly job_name: string
  readonly on_default_branch: boolean
  readonly excused: boolean
  readonly finished_at: Instant.Instant
  readonly passed: number
  readonly failed: number
  readonly is_partial: boolean
}

/** The totals of a run. */
export const totalsOf = (row: RunRow): Outage.RunTotals => ({
  key: keyOf(row),
  at: row.finished_at,
  commit: row.sha,
  passed: row.passed,
  failed: row.failed
})

/** What a run is known by (`JobRun.key`). */
export const keyOf = (row: RunRow): string =>
  JobRun.key({
    pipelineName: row.pipeline_name,
    jobName: row.job_name,
    runId: row.run_id,
    runAttempt: row.run_attempt,
    commit: row.sha,
    branch: row.branch,
    baseBranch: row.base_branch
  })

const columns = ({ sql }: Pick<Session, "sql">) => sql`
  SELECT n.run_no, n.job_no, n.run_id, n.run_attempt, c.sha, n.branch, n.base_branch, j.pipeline_name, j.job_name,
    n.on_default_branch, n.excused, n.finished_at, n.passed, n.failed, n.is_partial
  FROM job_runs n
  JOIN commits c ON c.repository_id = n.repository_id AND c.commit_no = n.commit_no
  JOIN jobs j ON j.repository_id = n.repository_id AND j.job_no = n.job_no`

const selectFrom = (session: Session, jobNo: number, from: Instant.Instant) => session.sql<RunRow>`
  ${columns(session)}
  WHERE n.repository_id = ${session.repositoryId} AND n.job_no = ${jobNo} AND n.on_default_branch
    AND n.finished_at >= ${Parameter.instant(from)}`

const selectBefore = (session: Session, jobNo: number, before: Instant.Instant, limit: number) => session.sql<RunRow>`
  ${columns(session)}
  WHERE n.repository_id = ${session.repositoryId} AND n.job_no = ${jobNo} AND n.on_default_branch
    AND n.finished_at < ${Parameter.instant(before)}
  ORDER BY n.finished_at DESC
  LIMIT ${limit}`

const selectJobs = ({ repositoryId, sql }: Session) => sql<{ readonly job_no: number }>`
  SELECT job_no
  FROM jobs
  WHERE repository_id = ${repositoryId}
  ORDER BY job_no`

const selectExcusedElsewhere = ({ repositoryId, sql }: Session) => sql<{ readonly run_no: number }>`
  SELECT run_no
  FROM job_runs
  WHERE repository_id = ${repositoryId} AND excused AND NOT on_default_branch`

const save = ({ repositoryId, sql }: Session, changes: ReadonlyArray<VerdictChange>) =>
  changes.length === 0
    ? Effect.void
    : sql`
        UPDATE job_runs r
        SET excused = m.excused
        FROM unnest(
          ${Parameter.int4s(changes.map((each) => each.runNo))},
          ${Parameter.bools(changes.map((each) => each.excused))}
        ) AS m (run_no, excused)
        WHERE r.repository_id = ${repositoryId} AND r.run_no = m.run_no`
