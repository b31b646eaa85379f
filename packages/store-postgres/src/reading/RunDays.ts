/** The job runs of the default branch by day. */
import { type HealthStatus, Instant, RunDay } from "@lazaret/domain"
import { jobsAtMost, jobUrlsOf, type LastUpload } from "@lazaret/store"
import { Effect, Option } from "effect"
import type { Where } from "../blocks/BlockRows.ts"
import * as Parameter from "../database/Parameter.ts"
import * as RepositorySettings from "../repository/RepositorySettings.ts"
import type { Days } from "./Windows.ts"

/**
 * The runs of some days.
 *
 * **Gotchas**
 *
 * `statusOf` may know a later upload than the runs: both are read one after the other.
 */
export const select = Effect.fnUntraced(function* (
  where: Where,
  days: Days,
  statusOf: (testNo: number) => HealthStatus.HealthStatus
) {
  const { horizon } = yield* RepositorySettings.select(where.sql, where.repositoryId)
  const start = Math.max(days.first * Instant.day, horizon ?? 0)
  const rows = yield* selectRuns(where, start, (days.last + 1) * Instant.day)
  const red = rows.filter((row) => row.failed > 0 && !row.is_outage)
  const failures = yield* selectFailures(
    where,
    red.map((row) => row.run_no),
    horizon ?? 0
  )
  const statuses = new Map(failures.map((row) => [row.run_no, row.tests.map(statusOf)]))
  return RunDay.count(
    rows.map((row) => ({
      at: row.finished_at,
      failed: row.failed,
      durationUs: row.duration_us,
      isOutage: row.is_outage,
      statuses: statuses.get(row.run_no) ?? []
    })),
    days
  )
})

/** The latest upload, with the jobs of the latest ones. */
export const lastUpload = ({ repositoryId, sql }: Where) =>
  Effect.map(
    sql<{ readonly received_at: Instant.Instant; readonly job_url: string | null }>`
      SELECT received_at, job_url
      FROM uploads
      WHERE repository_id = ${repositoryId}
      ORDER BY upload_no DESC
      LIMIT ${jobsAtMost}`,
    (rows): Option.Option<LastUpload> =>
      Option.map(Option.fromUndefinedOr(rows[0]), (last) => ({
        receivedAt: last.received_at,
        jobUrls: jobUrlsOf(rows.map((row) => row.job_url))
      }))
  )

interface RunRow {
  readonly run_no: number
  readonly finished_at: Instant.Instant
  readonly failed: number
  readonly duration_us: number
  readonly is_outage: boolean
}

/** One range of the index for each job, instead of every run of the repository. */
const selectRuns = ({ repositoryId, sql }: Where, start: Instant.Instant, end: Instant.Instant) => sql<RunRow>`
  SELECT r.run_no, r.finished_at, r.failed, r.duration_us, r.is_outage
  FROM jobs j
  CROSS JOIN LATERAL (
    SELECT run_no, finished_at, failed, duration_us, is_outage
    FROM job_runs
    WHERE repository_id = ${repositoryId} AND job_no = j.job_no AND on_default_branch
      AND finished_at >= ${Parameter.instant(start)} AND finished_at < ${Parameter.instant(end)}
    OFFSET 0
  ) r
  WHERE j.repository_id = ${repositoryId}`

/** The tests that failed in runs, for each run at most one more than flaky tests alone can explain. */
const selectFailures = ({ repositoryId, sql }: Where, runs: ReadonlyArray<number>, horizon: Instant.Instant) => sql<{
  readonly run_no: number
  readonly tests: ReadonlyArray<number>
}>`
  SELECT n.run_no, f.tests
  FROM unnest(${Parameter.int4s(runs)}) AS n (run_no)
  CROSS JOIN LATERAL (
    SELECT array_agg(e.test_no) AS tests
    FROM (
      SELECT test_no
      FROM failed_executions
      WHERE repository_id = ${repositoryId} AND run_no = n.run_no AND is_failed AND at >= ${Parameter.instant(horizon)}
      LIMIT ${RunDay.mostFailures + 1}
    ) e
  ) f
  WHERE f.tests IS NOT NULL`
