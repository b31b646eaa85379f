/** The records of jobs: their latest runs on the default branch and on others. */
import { type Instant, JobRecord, Text } from "@lazaret/domain"
import { Effect } from "effect"
import * as Parameter from "../database/Parameter.ts"
import * as Outcomes from "./Outcomes.ts"
import * as TriageRuns from "./TriageRuns.ts"

/** A job, the time in which its runs count (the end is exclusive), and the commit and the branch that are left out. */
export interface Wanted {
  readonly jobNo: number
  readonly start: Instant.Instant
  readonly before: Instant.Instant
  readonly notCommit: number
  readonly notBranch: string
}

/** The record of each job, in order. */
export const select = Effect.fnUntraced(function* (place: TriageRuns.Place, wanted: ReadonlyArray<Wanted>) {
  if (wanted.length === 0) return []
  const rows = Map.groupBy(yield* selectBase(place, wanted), ({ index }) => index)
  const others = new Map((yield* selectOthers(place, wanted)).map((row) => [row.index, row]))
  const failures = yield* failuresIn(
    place,
    [...rows.values()].flat().flatMap(({ failed, run_no }) => (failed > 0 && failed <= mostFailures ? [run_no] : []))
  )
  return wanted.map((_, index): JobRecord.JobRecord => {
    const { red, runs } = others.get(index + 1) ?? { red: 0, runs: 0 }
    return { base: (rows.get(index + 1) ?? []).map((row) => baseRunOf(row, failures)), others: { runs, red } }
  })
})

const mostFailures = JobRecord.bounds.failuresOfRun

const baseRunOf = (row: BaseRow, failures: ReadonlyMap<number, ReadonlyArray<string>>): JobRecord.BaseRun => ({
  at: row.finished_at,
  commit: row.sha,
  passed: row.passed,
  failed: row.failed,
  isOutage: row.is_outage,
  failures: row.failed > mostFailures ? null : (failures.get(row.run_no) ?? [])
})

/** The names of the tests that failed in runs and did not pass in the same run, in code-point order. */
const failuresIn = Effect.fnUntraced(function* (place: TriageRuns.Place, red: ReadonlyArray<number>) {
  const runs = [...new Set(red)]
  const failed = runs.length === 0 ? [] : yield* selectFailed(place, runs)
  const tests = [...new Set(failed.map((row) => row.test_no))]
  const bitsIn = yield* Outcomes.bits(place, runs, tests)
  const names = tests.length === 0 ? [] : yield* selectNames(place, tests)
  const byNo = new Map(names.map((row) => [row.test_no, row.test_name]))
  const kept = failed.filter((row) => (bitsIn(row.run_no, row.test_no) & 1) === 0)
  return new Map(
    [...Map.groupBy(kept, (row) => row.run_no)].map(([runNo, list]) => [
      runNo,
      list.flatMap((row) => byNo.get(row.test_no) ?? []).sort(Text.compare)
    ])
  )
})

interface BaseRow {
  readonly index: number
  readonly run_no: number
  readonly finished_at: Instant.Instant
  readonly passed: number
  readonly failed: number
  readonly is_outage: boolean
  readonly sha: string
}

const selectBase = ({ repositoryId, sql }: TriageRuns.Place, wanted: ReadonlyArray<Wanted>) => sql<BaseRow>`
  SELECT n.index::int AS index, r.run_no, r.finished_at, r.passed, r.failed, r.is_outage, c.sha
  FROM unnest(
    ${Parameter.int4s(wanted.map(({ jobNo }) => jobNo))},
    ${Parameter.instants(wanted.map(({ start }) => start))},
    ${Parameter.instants(wanted.map(({ before }) => before))},
    ${Parameter.int4s(wanted.map(({ notCommit }) => notCommit))}
  ) WITH ORDINALITY AS n (job_no, start_at, before, not_commit, index)
  CROSS JOIN LATERAL (
    SELECT run_no, commit_no, finished_at, passed, failed, is_outage
    FROM job_runs
    WHERE repository_id = ${repositoryId} AND job_no = n.job_no AND on_default_branch AND finished_at >= n.start_at
      AND finished_at < n.before AND commit_no <> n.not_commit
    ORDER BY finished_at DESC, run_id COLLATE "C" DESC, run_attempt DESC
    LIMIT ${JobRecord.bounds.runs}
  ) r
  CROSS JOIN LATERAL (
    SELECT sha
    FROM commits
    WHERE repository_id = ${repositoryId} AND commit_no BETWEEN r.commit_no AND r.commit_no
    ORDER BY commit_no
    LIMIT 1
  ) c`

const selectOthers = (place: TriageRuns.Place, wanted: ReadonlyArray<Wanted>) => place.sql<{
  readonly index: number
  readonly runs: number
  readonly red: number
}>`
  SELECT n.index::int AS index, count(*)::int AS runs, (count(*) FILTER (WHERE r.failed > 0))::int AS red
  FROM unnest(
    ${Parameter.int4s(wanted.map(({ jobNo }) => jobNo))},
    ${Parameter.instants(wanted.map(({ start }) => start))},
    ${Parameter.instants(wanted.map(({ before }) => before))},
    ${Parameter.texts(wanted.map(({ notBranch }) => notBranch))}
  ) WITH ORDINALITY AS n (job_no, start_at, before, not_branch, index)
  CROSS JOIN LATERAL (
    SELECT failed
    FROM job_runs
    WHERE repository_id = ${place.repositoryId} AND job_no = n.job_no AND NOT on_default_branch
      AND finished_at >= n.start_at AND finished_at < n.before AND run_attempt = 1
      AND coalesce(branch, ${Parameter.text(place.defaultBranch)}) <> n.not_branch AND ${TriageRuns.ofNoFork(place)}
    ORDER BY finished_at DESC, run_id COLLATE "C" DESC
    LIMIT ${JobRecord.bounds.others}
  ) r
  GROUP BY n.index`

const selectFailed = ({ horizon, repositoryId, sql }: TriageRuns.Place, runs: ReadonlyArray<number>) => sql<{
  readonly run_no: number
  readonly test_no: number
}>`
  SELECT DISTINCT n.run_no, f.test_no
  FROM unnest(${Parameter.int4s(runs)}) AS n (run_no)
  CROSS JOIN LATERAL (
    SELECT test_no
    FROM failed_executions
    WHERE repository_id = ${repositoryId} AND run_no = n.run_no AND is_failed AND at >= ${Parameter.instant(horizon)}
    OFFSET 0
  ) f`

/** The names of tests, by number. */
export const selectNames = ({ repositoryId, sql }: TriageRuns.Place, tests: ReadonlyArray<number>) => sql<{
  readonly test_no: number
  readonly test_name: string
}>`
  SELECT t.test_no, t.test_name
  FROM unnest(${Parameter.int4s(tests)}) AS n (test_no)
  CROSS JOIN LATERAL (
    SELECT test_no, test_name
    FROM tests
    WHERE repository_id = ${repositoryId} AND test_no BETWEEN n.test_no AND n.test_no
    ORDER BY test_no
    LIMIT 1
  ) t`
