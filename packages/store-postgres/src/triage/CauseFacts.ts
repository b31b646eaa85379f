/** The facts on causes in PostgreSQL: the latest job runs with failures, and the tests that failed in them. */
import { type CauseFacts, Report, type Instant, Steps } from "@lazaret/domain"
import { type CauseStore, FailedRuns, Slices } from "@lazaret/store"
import { Effect } from "effect"
import * as Parameter from "../database/Parameter.ts"
import * as Snapshot from "../reading/Snapshot.ts"
import * as RunNames from "../repository/RunNames.ts"
import * as TriageRuns from "./TriageRuns.ts"

/** The facts on causes over a reader. */
export const make =
  (reader: Snapshot.Reader): CauseStore["Service"]["facts"] =>
  (ref) =>
    Snapshot.ofRepository<CauseFacts.CauseFacts>(
      reader,
      "CauseStore.facts",
      ref,
      { runs: [], exceptions: new Map() },
      (id) => Effect.flatMap(TriageRuns.placeOf(reader.client.sql, id), select)
    )

const select = Effect.fnUntraced(function* (place: TriageRuns.Place) {
  const rows = FailedRuns.within(yield* selectRuns(place), ({ failed }) => failed)
  const failures: Array<FailureRow> = []
  for (let start = 0; start < rows.length; start += runsAtOnce) {
    const numbers = rows.slice(start, start + runsAtOnce).map(({ run_no }) => run_no)
    failures.push(...(yield* selectFailures(place, numbers)))
    yield* Effect.yieldNow
  }
  const names = yield* namesOf(place, failures)
  yield* Effect.yieldNow
  const byRun = Map.groupBy(failures, ({ run_no }) => run_no)
  yield* Effect.yieldNow
  const known = rows.map((row) => ({ row, failed: byRun.get(row.run_no) ?? [] }))
  const runs = yield* Slices.steps(
    Steps.mapSteps(known, perFailure, ({ failed, row }) => runOf(row, failed, { names, place }))
  )
  yield* Effect.yieldNow
  return { runs, exceptions: yield* exceptionsOf(place, failures, new Set(FailedRuns.wanted(runs))) }
})

/** The size of a step over the failures of job runs: some milliseconds. */
const perFailure = {
  most: 5000,
  weightOf: ({ failed }: { readonly failed: ReadonlyArray<FailureRow> }) => 1 + failed.length
}

const runsAtOnce = 500

interface RunRow {
  readonly run_no: number
  readonly run_id: string
  readonly run_attempt: number
  readonly branch: string | null
  readonly finished_at: Instant.Instant
  readonly on_default_branch: boolean
  readonly excused: boolean
  readonly failed: number
  readonly ordinal: number
  readonly sha: string
  readonly pipeline_name: string
  readonly job_name: string
}

/** The latest job runs with failures, the last one first, each with its place among those of its job and branch. */
const selectRuns = (place: TriageRuns.Place) => {
  const { defaultBranch, horizon, repositoryId, sql } = place
  const most = sql.literal(String(FailedRuns.mostRuns))
  return sql<RunRow>`
    SELECT r.*, c.sha, j.pipeline_name, j.job_name
    FROM (
      SELECT *
      FROM (
        SELECT run_no, job_no, commit_no, run_id, run_attempt, branch, finished_at, on_default_branch, excused, failed,
          (row_number() OVER (
            PARTITION BY job_no, coalesce(branch, ${Parameter.text(defaultBranch)})
            ORDER BY finished_at, run_id COLLATE "C", run_attempt, run_no
          ))::int AS ordinal
        FROM job_runs
        WHERE repository_id = ${repositoryId} AND ${TriageRuns.ofNoFork(place)} AND finished_at >= (
          SELECT min(finished_at)
          FROM (
            SELECT finished_at
            FROM job_runs
            WHERE repository_id = ${repositoryId} AND failed > 0 AND ${TriageRuns.ofNoFork(place)}
              AND finished_at >= ${Parameter.instant(horizon)}
            ORDER BY finished_at DESC
            LIMIT ${most}
          ) latest
        )
      ) numbered
      WHERE failed > 0
    ) r
    ${RunNames.joined({ sql, repositoryId })}
    ORDER BY r.finished_at DESC, r.run_id COLLATE "C" DESC, r.run_attempt DESC, c.sha COLLATE "C" DESC,
      j.pipeline_name COLLATE "C" DESC, j.job_name COLLATE "C" DESC
    LIMIT ${most}`
}

interface FailureRow {
  readonly run_no: number
  readonly test_no: number
  readonly signature: string | null
  readonly frame: string | null
}

const selectFailures = ({ horizon, repositoryId, sql }: TriageRuns.Place, runs: ReadonlyArray<number>) =>
  sql<FailureRow>`
    SELECT f.run_no, f.test_no, f.signature, f.frame
    FROM unnest(${Parameter.int4s(runs)}) AS n (run_no)
    CROSS JOIN LATERAL (
      SELECT DISTINCT run_no, test_no, signature, frame
      FROM failed_executions
      WHERE repository_id = ${repositoryId} AND run_no = n.run_no AND is_failed AND at >= ${Parameter.instant(horizon)}
      ORDER BY test_no
      LIMIT ${sql.literal(String(FailedRuns.mostFailuresOfRun))}
    ) f`

/** The names of tests, each read once. */
export const namesOf = Effect.fnUntraced(function* (
  { repositoryId, sql }: TriageRuns.Place,
  failures: ReadonlyArray<Pick<FailureRow, "test_no">>
) {
  const tests = [...new Set(failures.map(({ test_no }) => test_no))]
  yield* Effect.yieldNow
  const rows = yield* sql<{ readonly test_no: number; readonly test_name: string }>`
    SELECT test_no, test_name
    FROM tests
    WHERE repository_id = ${repositoryId} AND test_no = ANY(${Parameter.int4s(tests)})`
  const names = new Map<number, string>()
  yield* Slices.visit(rows, namesAtOnce, ({ test_name, test_no }) => names.set(test_no, test_name))
  return names
})

const namesAtOnce = 10_000

interface Known {
  readonly names: ReadonlyMap<number, string>
  readonly place: TriageRuns.Place
}

function* runOf(
  row: RunRow,
  failures: ReadonlyArray<FailureRow>,
  { names, place }: Known
): Steps.Steps<CauseFacts.FailedRun> {
  const { job_name: jobName, pipeline_name: pipelineName, run_attempt: runAttempt, run_id: runId } = row
  return {
    key: Report.runKey({ pipelineName, jobName, runId, runAttempt }),
    at: row.finished_at,
    pipelineName,
    jobName,
    branch: row.branch ?? place.defaultBranch,
    commit: row.sha,
    ordinal: row.ordinal,
    isOnDefault: row.on_default_branch,
    isExcused: row.on_default_branch && row.excused,
    failed: yield* FailedRuns.distinct(
      failures.flatMap(({ frame, signature, test_no }) => {
        const testName = names.get(test_no)
        return testName === undefined ? [] : [{ testName, signature, frame }]
      })
    )
  }
}

/** The messages of failures with the wanted signatures, from one job run with each. */
const exceptionsOf = Effect.fnUntraced(function* (
  { repositoryId, sql }: TriageRuns.Place,
  failures: ReadonlyArray<FailureRow>,
  wanted: ReadonlySet<string>
) {
  const places = new Map<string, number>()
  for (const { run_no, signature } of failures) {
    if (signature !== null && wanted.has(signature)) places.set(signature, run_no)
  }
  const rows = yield* sql<{
    readonly signature: string
    readonly exception_type: string | null
    readonly message: string | null
  }>`
    SELECT f.signature, f.exception_type, f.message
    FROM unnest(${Parameter.uuids([...places.keys()])}, ${Parameter.int4s([...places.values()])}) AS n (signature, run_no)
    CROSS JOIN LATERAL (
      SELECT signature, exception_type, left(message, ${sql.literal(String(FailedRuns.messageLength))}) AS message
      FROM failed_executions
      WHERE repository_id = ${repositoryId} AND run_no = n.run_no AND signature = n.signature AND is_failed
      LIMIT 1
    ) f`
  return new Map(rows.map((row) => [row.signature, FailedRuns.exceptionOf(row.exception_type, row.message)] as const))
})
