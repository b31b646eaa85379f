/** The job runs of a repository that are outages. */
import type { Instant } from "@lazaret/domain"
import { mostOutages, Outages, type OutageRun } from "@lazaret/store"
import { Effect } from "effect"
import type { Where } from "../blocks/BlockRows.ts"
import * as Parameter from "../database/Parameter.ts"
import * as RepositorySettings from "../repository/RepositorySettings.ts"
import * as RunNames from "../repository/RunNames.ts"

interface Row {
  readonly pipeline_name: string
  readonly job_name: string
  readonly run_id: string
  readonly run_attempt: number
  readonly sha: string
  readonly finished_at: Instant.Instant
  readonly hit: number
  readonly passed_before: number
  readonly excused: boolean
}

/** The kept outages, the latest first. */
export const select = Effect.fnUntraced(function* (where: Where) {
  const { horizon } = yield* RepositorySettings.select(where.sql, where.repositoryId)
  return (yield* selectRows(where, horizon ?? 0)).map(outageOf).sort(Outages.order).slice(0, mostOutages)
})

/** With those that finished at the same instant as the last of them. */
const selectRows = ({ repositoryId, sql }: Where, start: Instant.Instant) => sql<Row>`
  SELECT j.pipeline_name, j.job_name, r.run_id, r.run_attempt, c.sha, r.finished_at, r.hit, r.passed_before, r.excused
  FROM (
    SELECT job_no, commit_no, run_id, run_attempt, finished_at, hit, passed_before, excused
    FROM job_runs
    WHERE repository_id = ${repositoryId} AND is_outage AND on_default_branch
      AND finished_at >= ${Parameter.instant(start)}
    ORDER BY finished_at DESC
    FETCH FIRST ${sql.literal(String(mostOutages))} ROWS WITH TIES
  ) r
  ${RunNames.joined({ sql, repositoryId })}`

const outageOf = (row: Row): OutageRun => ({
  pipelineName: row.pipeline_name,
  jobName: row.job_name,
  runId: row.run_id,
  runAttempt: row.run_attempt,
  commit: row.sha,
  at: row.finished_at,
  failed: row.hit,
  passedBefore: row.passed_before,
  excused: row.excused
})
