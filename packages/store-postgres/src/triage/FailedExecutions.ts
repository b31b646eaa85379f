/** Executions with a failed attempt, as triage reads them. */
import { FailureRecords, type Instant } from "@lazaret/domain"
import type { Triages } from "@lazaret/store"
import { Effect } from "effect"
import type { Fragment } from "effect/sql/Statement"
import * as Parameter from "../database/Parameter.ts"
import * as TriageExecutions from "./TriageExecutions.ts"
import * as TriageRuns from "./TriageRuns.ts"

/** A failed execution of a run, with the number of its test. */
export interface NumberedFailure {
  readonly testNo: number
  readonly row: Triages.FailedRow
}

/** The failed executions of runs. */
export const ofRuns = Effect.fnUntraced(function* (
  place: TriageRuns.Place,
  runs: ReadonlyArray<TriageRuns.NumberedRun>
) {
  const byNo = new Map(runs.map(({ run, runNo }) => [runNo, run]))
  const rows = runs.length === 0 ? [] : yield* selectOfRuns(place, [...byNo.keys()])
  return rows.flatMap((row): ReadonlyArray<NumberedFailure> => {
    const run = byNo.get(row.run_no)
    return run === undefined ? [] : [{ testNo: row.test_no, row: failedRow(row, run) }]
  })
})

interface Row {
  readonly run_no: number
  readonly test_no: number
  readonly at: Instant.Instant
  readonly execution_id: string
  readonly reruns: number
  readonly signature: string | null
  readonly exception_type: string | null
  readonly message: string | null
  readonly filepath: string | null
  readonly test_name: string
  readonly job_url: string | null
}

const failedRow = (row: Row, run: Triages.FailedRow["run"]): Triages.FailedRow => ({
  id: row.execution_id,
  testName: row.test_name,
  at: row.at,
  attempts: row.reruns + 1,
  exceptionType: row.exception_type,
  message: row.message,
  file: row.filepath,
  jobUrl: row.job_url,
  signature: row.signature,
  run
})

const selectOfRuns = ({ horizon, repositoryId, sql }: TriageRuns.Place, runs: ReadonlyArray<number>) => sql<Row>`
  SELECT f.*, t.test_name, u.job_url
  FROM unnest(${Parameter.int4s(runs)}) AS n (run_no)
  CROSS JOIN LATERAL (
    SELECT run_no, test_no, at, execution_id, upload_no, reruns, signature, exception_type, message, filepath
    FROM failed_executions
    WHERE repository_id = ${repositoryId} AND run_no = n.run_no AND is_failed AND at >= ${Parameter.instant(horizon)}
    OFFSET 0
  ) f
  CROSS JOIN LATERAL (
    SELECT test_name
    FROM tests
    WHERE repository_id = ${repositoryId} AND test_no BETWEEN f.test_no AND f.test_no
    ORDER BY test_no
    LIMIT 1
  ) t
  CROSS JOIN LATERAL (
    SELECT job_url
    FROM uploads
    WHERE repository_id = ${repositoryId} AND upload_no BETWEEN f.upload_no AND f.upload_no
    ORDER BY upload_no
    LIMIT 1
  ) u`

/** A test, the instant from which on its executions count, and the branch of the only fork that counts, or ''. */
export interface Since {
  readonly testNo: number
  readonly since: Instant.Instant
  readonly fork: string
}

/** A text that is equal for the same test, instant and fork only. */
export const key = ({ fork, since, testNo }: Since): string => `${testNo} ${since} ${fork}`

/**
 * The latest executions with a failed attempt of tests, and every other execution of them on the same commits, by
 * {@link key}.
 */
export const unstable = Effect.fnUntraced(function* (place: TriageRuns.Place, wanted: ReadonlyArray<Since>) {
  const rows = wanted.length === 0 ? [] : yield* selectUnstable(place, wanted)
  const numbered = yield* TriageRuns.ofNumbers(place, [...new Set(rows.map((row) => row.run_no))])
  const byNo = new Map(numbered.map((run) => [run.runNo, run]))
  const failures = rows.flatMap((row) => {
    const run = byNo.get(row.run_no)
    return run === undefined ? [] : [{ ...row, run }]
  })
  const executions = yield* onCommits(place, failures)
  return new Map(
    [...Map.groupBy(failures, (row) => key({ testNo: row.test_no, since: row.since, fork: row.fork }))].map(
      ([name, list]) => [name, signed(executions.get(list[0]?.test_no ?? -1) ?? [], list)]
    )
  )
})

type Failure = UnstableRow & { readonly run: TriageRuns.NumberedRun }

/** The executions on the commits of these failures, with the signatures of the failures. */
const signed = (
  executions: ReadonlyArray<FailureRecords.ExecutionRecord>,
  failures: ReadonlyArray<Failure>
): ReadonlyArray<FailureRecords.ExecutionRecord> => {
  const signatures = new Map(failures.map((row) => [row.execution_id, row.signature]))
  const commits = new Set(failures.map(({ run }) => run.run.commit))
  return executions
    .filter(({ run }) => commits.has(run.commit))
    .map((execution) => ({ ...execution, signature: signatures.get(execution.id) ?? null }))
}

/** Every execution of the tests of failures, in the same jobs and on the same commits. */
const onCommits = Effect.fnUntraced(function* (place: TriageRuns.Place, failures: ReadonlyArray<Failure>) {
  const places = Map.groupBy(failures, ({ run }) => `${run.jobNo} ${run.commitNo}`)
  const runs = yield* TriageRuns.ofJobsOnCommits(
    place,
    [...places.values()].flatMap(([first]) => (first === undefined ? [] : [first.run]))
  )
  const uploads = Map.groupBy(yield* TriageRuns.uploadsOf(place, runs), ({ of }) => `${of.jobNo} ${of.commitNo}`)
  return yield* TriageExecutions.inUploads(
    place,
    [...places].map(([name, list]) => ({
      tests: new Set(list.map((row) => row.test_no)),
      uploads: uploads.get(name) ?? []
    }))
  )
})

interface UnstableRow {
  readonly test_no: number
  readonly since: Instant.Instant
  readonly fork: string
  readonly run_no: number
  readonly execution_id: string
  readonly signature: string | null
}

const selectUnstable = (place: TriageRuns.Place, wanted: ReadonlyArray<Since>) => place.sql<UnstableRow>`
  SELECT n.test_no, n.since, n.fork, f.run_no, f.execution_id, f.signature
  FROM unnest(
    ${Parameter.int4s(wanted.map(({ testNo }) => testNo))},
    ${Parameter.instants(wanted.map(({ since }) => since))},
    ${Parameter.texts(wanted.map(({ fork }) => fork))}
  ) AS n (test_no, since, fork)
  CROSS JOIN LATERAL (
    SELECT run_no, execution_id, signature
    FROM failed_executions e
    WHERE repository_id = ${place.repositoryId} AND test_no = n.test_no AND at >= n.since
      AND at >= ${Parameter.instant(place.horizon)} AND ${ofRun(place, place.sql`(branch = n.fork OR ${TriageRuns.ofNoFork(place)})`)}
    ORDER BY at DESC, execution_id COLLATE "C" DESC
    LIMIT ${FailureRecords.bounds.unstable}
  ) f`

/**
 * Whether the run of a failed execution `e` meets a condition: one entry of the key is read for each execution on the way to
 * the limit, never all runs.
 */
const ofRun = ({ repositoryId, sql }: TriageRuns.Place, condition: Fragment) => sql`(
  SELECT ${condition}
  FROM job_runs
  WHERE repository_id = ${repositoryId} AND run_no BETWEEN e.run_no AND e.run_no
  ORDER BY run_no
  LIMIT 1
)`

/** The signatures of tests up to an instant, without those of forks, in any order and possibly several times. */
export const signatures = (place: TriageRuns.Place, tests: ReadonlyArray<number>, until: Instant.Instant) => place.sql<{
  readonly signature: string | null
}>`
  SELECT f.signature
  FROM unnest(${Parameter.int4s(tests)}) AS n (test_no)
  CROSS JOIN LATERAL (
    SELECT signature
    FROM failed_executions e
    WHERE repository_id = ${place.repositoryId} AND test_no = n.test_no AND at <= ${Parameter.instant(until)}
      AND at >= ${Parameter.instant(place.horizon)} AND ${ofRun(place, TriageRuns.ofNoFork(place))}
    ORDER BY at DESC, execution_id COLLATE "C" DESC
    LIMIT ${FailureRecords.bounds.unstable}
  ) f`
