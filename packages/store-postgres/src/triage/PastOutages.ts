/** The latest outages of a repository, with the messages of each. */
import { FailureRecords, type Instant, JobRecord, JobRun, Text } from "@lazaret/domain"
import { JobRecords } from "@lazaret/store"
import { Effect } from "effect"
import * as Parameter from "../database/Parameter.ts"
import * as TriageRuns from "./TriageRuns.ts"

/** The time in which outages count; the end is exclusive. */
export interface Span {
  readonly start: Instant.Instant
  readonly before: Instant.Instant
}

/** Finds the latest outages of one of the wanted spans. */
export const select = Effect.fnUntraced(function* (place: TriageRuns.Place, wanted: ReadonlyArray<Span>) {
  const runs = yield* TriageRuns.latestOutages(place, wanted, JobRecord.bounds.outages)
  const counts =
    runs.length === 0
      ? []
      : yield* selectSignatures(
          place,
          runs.map(({ runNo }) => runNo)
        )
  const byRun = Map.groupBy(counts, (row) => row.run_no)
  const sorted = runs
    .toSorted(
      (a, b) => FailureRecords.compareRuns(a.run, b.run) || Text.compare(JobRun.jobKey(a.run), JobRun.jobKey(b.run))
    )
    .map(({ run, runNo }): JobRecord.PastOutage => ({
      at: run.at,
      commit: run.commit,
      pipelineName: run.pipelineName,
      jobName: run.jobName,
      failed: run.failed,
      passed: run.passed,
      signatures: JobRecords.frequent((byRun.get(runNo) ?? []).map(({ count, signature }) => [signature, count]))
    }))
  return ({ before, start }: Span): ReadonlyArray<JobRecord.PastOutage> =>
    sorted.filter(({ at }) => start <= at && at < before).slice(-JobRecord.bounds.outages)
})

const selectSignatures = ({ horizon, repositoryId, sql }: TriageRuns.Place, runs: ReadonlyArray<number>) => sql<{
  readonly run_no: number
  readonly signature: string
  readonly count: number
}>`
  SELECT n.run_no, f.signature, count(*)::int AS count
  FROM unnest(${Parameter.int4s(runs)}) AS n (run_no)
  CROSS JOIN LATERAL (
    SELECT signature
    FROM failed_executions
    WHERE repository_id = ${repositoryId} AND run_no = n.run_no AND is_failed AND signature IS NOT NULL
      AND at >= ${Parameter.instant(horizon)}
    ORDER BY signature
    LIMIT ${JobRecord.bounds.outageFailures}
  ) f
  GROUP BY n.run_no, f.signature`
