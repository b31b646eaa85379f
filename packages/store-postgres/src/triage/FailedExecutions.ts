/** Executions with a failed attempt, as triage reads them. */
import { FailureRecords, type Instant } from "@lazaret/domain"
import type { Triages } from "@lazaret/store"
import { Effect } from "effect"
import type { Fragment } from "effect/sql/Statement"
import * as Parameter from "../database/Parameter.ts"
import * as Outcomes from "./Outcomes.ts"
import * as TriageRuns from "./TriageRuns.ts"

/** The failed executions of runs. Those of identities that are not judged are counted in the database. */
export const ofRuns = Effect.fnUntraced(function* (
  place: TriageRuns.Place,
  runs: ReadonlyArray<TriageRuns.NumberedRun>
) {
  const byNo = new Map(runs.map(({ run, runNo }) => [runNo, run]))
  const numbers = [...byNo.keys()]
  const counts = yield* selectCounts(place, numbers)
  const identities = counts.find(({ run_no }) => run_no === null)?.tests ?? 0
  const isBounded = identities > FailureRecords.bounds.failures
  const condition = isBounded ? place.sql`test_no = ANY(${firstTests(place, numbers)})` : place.sql`TRUE`
  const rows = identities === 0 ? [] : yield* selectOfRuns(place, numbers, condition)
  return {
    identities,
    rows: rows.flatMap((row) => {
      const run = byNo.get(row.run_no)
      return run === undefined ? [] : [failedRow(row, run)]
    }),
    silent: new Map(
      counts.flatMap(({ run_no, silent }) => {
        const run = byNo.get(run_no ?? -1)
        return run === undefined ? [] : [[run, silent] as const]
      })
    )
  } satisfies Triages.Failed
})

/** The failed executions without a message (`FailureFacts.isSilent`), and the tests, of each run and, with null, of all. */
const selectCounts = ({ horizon, repositoryId, sql }: TriageRuns.Place, runs: ReadonlyArray<number>) => sql<{
  readonly run_no: number | null
  readonly tests: number
  readonly silent: number
}>`
  SELECT run_no, count(DISTINCT test_no)::int AS tests,
    (count(*) FILTER (WHERE message IS NULL OR btrim(message, E' \\t\\n\\x0b\\f\\r') = ''))::int AS silent
  FROM failed_executions
  WHERE repository_id = ${repositoryId} AND run_no = ANY(${Parameter.int4s(runs)}) AND is_failed
    AND at >= ${Parameter.instant(horizon)}
  GROUP BY GROUPING SETS ((run_no), ())`

/** The first tests, in the order of identities, of those that failed in runs. */
const firstTests = ({ horizon, repositoryId, sql }: TriageRuns.Place, runs: ReadonlyArray<number>) => sql`ARRAY(
  SELECT t.test_no
  FROM (
    SELECT DISTINCT test_no
    FROM failed_executions
    WHERE repository_id = ${repositoryId} AND run_no = ANY(${Parameter.int4s(runs)}) AND is_failed
      AND at >= ${Parameter.instant(horizon)}
  ) f
  JOIN tests t ON t.repository_id = ${repositoryId} AND t.test_no = f.test_no
  JOIN jobs j ON j.repository_id = ${repositoryId} AND j.job_no = t.job_no
  ORDER BY t.test_name COLLATE "C", j.pipeline_name COLLATE "C", j.job_name COLLATE "C"
  LIMIT ${FailureRecords.bounds.failures}
)`

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
  readonly attempt_of: string | null
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
  run,
  ...(row.attempt_of !== null && { attemptOf: row.attempt_of })
})

const selectOfRuns = (
  { horizon, repositoryId, sql }: TriageRuns.Place,
  runs: ReadonlyArray<number>,
  condition: Fragment
) => sql<Row>`
  SELECT f.*, t.test_name, u.job_url
  FROM unnest(${Parameter.int4s(runs)}) AS n (run_no)
  CROSS JOIN LATERAL (
    SELECT run_no, test_no, at, execution_id, upload_no, reruns, signature, exception_type, message, filepath, attempt_of
    FROM failed_executions
    WHERE repository_id = ${repositoryId} AND run_no = n.run_no AND is_failed AND at >= ${Parameter.instant(horizon)}
      AND ${condition}
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

/** A test, the time in which its executions count, and the branch of the only fork that counts, or ''. */
export interface History {
  readonly testNo: number
  readonly start: Instant.Instant
  readonly end: Instant.Instant
  readonly fork: string
}

/** A text that is equal for the same test, time and fork only. */
export const key = ({ end, fork, start, testNo }: History): string => `${testNo} ${start} ${end} ${fork}`

/** The latest executions with a failed attempt of a test, and the outcomes of the same test that passed on their commits. */
export interface Unstable {
  readonly unstable: ReadonlyArray<FailureRecords.ExecutionRecord>
  readonly passes: ReadonlyArray<FailureRecords.OutcomeRecord>
}

/** The latest executions with a failed attempt of tests, by {@link key}. */
export const unstable = Effect.fnUntraced(function* (place: TriageRuns.Place, wanted: ReadonlyArray<History>) {
  const rows = wanted.length === 0 ? [] : yield* selectUnstable(place, wanted)
  const numbered = yield* TriageRuns.ofNumbers(place, [...new Set(rows.map((row) => row.run_no))])
  const byNo = new Map(numbered.map((run) => [run.runNo, run]))
  const commits = new Map(numbered.map(({ commitNo, jobNo }) => [`${jobNo} ${commitNo}`, { jobNo, commitNo }]))
  const beside = yield* TriageRuns.ofJobsOnCommits(place, [...commits.values()])
  const onCommit = Map.groupBy(beside, ({ commitNo, jobNo }) => `${jobNo} ${commitNo}`)
  const outcomeIn = yield* Outcomes.ofRuns(
    place,
    beside,
    rows.map((row) => row.test_no)
  )
  const groups = Map.groupBy(rows, (row) =>
    key({ testNo: row.test_no, start: row.start_at, end: row.end_at, fork: row.fork })
  )
  return new Map(
    [...groups].map(([name, list]): readonly [string, Unstable] => {
      const runs = list.flatMap((row) => byNo.get(row.run_no) ?? [])
      const places = new Set(runs.map(({ commitNo, jobNo }) => `${jobNo} ${commitNo}`))
      const outcomes = [...places]
        .flatMap((one) => onCommit.get(one) ?? [])
        .flatMap((run) => outcomeIn(run, list[0]?.test_no ?? -1) ?? [])
      return [
        name,
        {
          unstable: list.flatMap((row) => executionOf(row, byNo)),
          passes: outcomes.filter(({ conclusion }) => conclusion === "passed")
        }
      ]
    })
  )
})

type Numbered = ReadonlyMap<number, TriageRuns.NumberedRun>

const executionOf = (row: ExecutionRow, runs: Numbered): ReadonlyArray<FailureRecords.ExecutionRecord> => {
  const run = runs.get(row.run_no)?.run
  const { at, execution_id: id, is_failed, signature } = row
  return run === undefined ? [] : [{ id, at, conclusion: is_failed ? "failed" : "passed", signature, run }]
}

interface ExecutionRow {
  readonly test_no: number
  readonly run_no: number
  readonly at: Instant.Instant
  readonly execution_id: string
  readonly is_failed: boolean
  readonly signature: string | null
}

interface UnstableRow extends ExecutionRow {
  readonly start_at: Instant.Instant
  readonly end_at: Instant.Instant
  readonly fork: string
}

const selectUnstable = (place: TriageRuns.Place, wanted: ReadonlyArray<History>) => place.sql<UnstableRow>`
  SELECT n.test_no, n.start_at, n.end_at, n.fork, f.run_no, f.at, f.execution_id, f.is_failed, f.signature
  FROM unnest(
    ${Parameter.int4s(wanted.map(({ testNo }) => testNo))},
    ${Parameter.instants(wanted.map(({ start }) => start))},
    ${Parameter.instants(wanted.map(({ end }) => end))},
    ${Parameter.texts(wanted.map(({ fork }) => fork))}
  ) AS n (test_no, start_at, end_at, fork)
  CROSS JOIN LATERAL (
    SELECT run_no, at, execution_id, is_failed, signature
    FROM failed_executions e
    WHERE repository_id = ${place.repositoryId} AND test_no = n.test_no AND at BETWEEN n.start_at AND n.end_at
      AND at >= ${Parameter.instant(place.horizon)} AND ${ofRun(place, place.sql`(branch = n.fork OR ${TriageRuns.ofNoFork(place)})`)}
    ORDER BY at DESC, execution_id COLLATE "C" DESC
    LIMIT ${FailureRecords.bounds.unstable}
  ) f`

/**
 * Whether the run of a failed execution `e` meets a condition: one entry of the key is read for each execution on the way to
 * the limit, never all runs.
 */
export const ofRun = ({ repositoryId, sql }: TriageRuns.Place, condition: Fragment) => sql`(
  SELECT ${condition}
  FROM job_runs
  WHERE repository_id = ${repositoryId} AND run_no BETWEEN e.run_no AND e.run_no
  ORDER BY run_no
  LIMIT 1
)`

/** The executions with a failed attempt of tests in runs, by number of the test. */
export const inRuns = Effect.fnUntraced(function* (
  place: TriageRuns.Place,
  tests: ReadonlyArray<number>,
  uploads: ReadonlyArray<TriageRuns.RunUpload>
) {
  const runs = new Map(uploads.map(({ of }) => [of.runNo, of]))
  const rows = tests.length === 0 || runs.size === 0 ? [] : yield* selectInRuns(place, tests, uploads)
  return Map.groupBy(
    rows.flatMap((row) => executionOf(row, runs).map((execution) => ({ testNo: row.test_no, execution }))),
    ({ testNo }) => testNo
  )
})

const selectInRuns = (
  { horizon, repositoryId, sql }: TriageRuns.Place,
  tests: ReadonlyArray<number>,
  uploads: ReadonlyArray<TriageRuns.RunUpload>
) => {
  const start = uploads.reduce((least, { earliestAt }) => Math.min(least, earliestAt), Infinity)
  const end = uploads.reduce((most, { of: { run } }) => Math.max(most, run.at), -Infinity)
  return sql<ExecutionRow>`
    SELECT n.test_no, f.run_no, f.at, f.execution_id, f.is_failed, f.signature
    FROM unnest(${Parameter.int4s(tests)}) AS n (test_no)
    CROSS JOIN LATERAL (
      SELECT run_no, at, execution_id, is_failed, signature
      FROM failed_executions
      WHERE repository_id = ${repositoryId} AND test_no = n.test_no
        AND at BETWEEN ${Parameter.instant(Math.max(start, horizon))} AND ${Parameter.instant(end)}
        AND run_no = ANY(${Parameter.int4s([...new Set(uploads.map(({ of }) => of.runNo))])})
      OFFSET 0
    ) f`
}

/** The latest executions of a test up to an instant. */
export interface Until {
  readonly testNo: number
  readonly until: Instant.Instant
}

/** The signatures of tests up to an instant of each, without those of forks, in any order and possibly several times. */
export const signatures = (place: TriageRuns.Place, wanted: ReadonlyArray<Until>) => place.sql<{
  readonly index: number
  readonly signature: string | null
}>`
  SELECT n.index::int AS index, f.signature
  FROM unnest(
    ${Parameter.int4s(wanted.map(({ testNo }) => testNo))},
    ${Parameter.instants(wanted.map(({ until }) => until))}
  ) WITH ORDINALITY AS n (test_no, until, index)
  CROSS JOIN LATERAL (
    SELECT signature
    FROM failed_executions e
    WHERE repository_id = ${place.repositoryId} AND test_no = n.test_no AND at <= n.until
      AND at >= ${Parameter.instant(place.horizon)} AND ${ofRun(place, TriageRuns.ofNoFork(place))}
    ORDER BY at DESC, execution_id COLLATE "C" DESC
    LIMIT ${FailureRecords.bounds.unstable}
  ) f`
