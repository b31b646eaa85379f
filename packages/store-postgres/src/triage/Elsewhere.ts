/** The same failure on other branches: runs of the same job in which the same tests failed. */
import { type FailureFacts, FailureRecords, Instant } from "@lazaret/domain"
import { Triages } from "@lazaret/store"
import { Effect } from "effect"
import * as Parameter from "../database/Parameter.ts"
import * as TriageRuns from "./TriageRuns.ts"

/** The window of a failure for runs at about the same time; both ends are inclusive. */
interface Near {
  readonly start: Instant.Instant
  readonly end: Instant.Instant
}

const nearOf = (at: Instant.Instant, hours: number): Near => ({
  start: at - hours * Instant.hour,
  end: at + hours * Instant.hour
})

/** A job run with failures: its number, and the numbers of the tests that failed in it. */
export interface FailedRun {
  readonly jobNo: number
  readonly branch: string
  readonly at: Instant.Instant
  readonly tests: ReadonlyArray<number>
}

/** Finds the runs elsewhere in which a test failed. */
export interface RunsElsewhere {
  (run: FailedRun, testNo: number): ReadonlyArray<FailureFacts.JobRunElsewhere>
}

/** The latest runs of the same jobs with failures on other branches within some hours. */
export const runs = Effect.fnUntraced(function* (
  place: TriageRuns.Place,
  failed: ReadonlyArray<FailedRun>,
  hours: number
) {
  const found = new Map<FailedRun, ReadonlyArray<Compared>>()
  for (const run of failed) {
    const near = yield* latestElsewhere(place, run, hours)
    const tests = near.length === 0 ? new Map<number, Set<number>>() : yield* failedTests(place, near, run.tests)
    found.set(
      run,
      near.map((other) => ({ other, failed: tests.get(other.runNo) ?? new Set() }))
    )
  }
  const of: RunsElsewhere = (run, testNo) =>
    (found.get(run) ?? [])
      .filter((compared) => compared.failed.has(testNo))
      .map(({ failed: { size }, other }) => ({
        branch: other.run.branch,
        base: Triages.baseOf(other.run, place),
        commit: other.run.commit,
        at: other.run.at,
        shared: size
      }))
  return of
})

interface Compared {
  readonly other: TriageRuns.NumberedRun
  readonly failed: ReadonlySet<number>
}

const latestElsewhere = (place: TriageRuns.Place, { at, branch, jobNo }: FailedRun, hours: number) => {
  const { end, start } = nearOf(at, hours)
  return TriageRuns.select(
    place,
    place.sql`
      SELECT ${TriageRuns.columns(place.sql)}
      FROM job_runs
      WHERE repository_id = ${place.repositoryId} AND job_no = ${jobNo} AND failed > 0
        AND finished_at BETWEEN ${Parameter.instant(start)} AND ${Parameter.instant(end)}
        AND coalesce(branch, ${Parameter.text(place.defaultBranch)}) <> ${Parameter.text(branch)}
        AND ${TriageRuns.ofNoFork(place)}
      ORDER BY finished_at DESC, run_id COLLATE "C" DESC, run_attempt DESC
      LIMIT ${FailureRecords.bounds.runsElsewhere}`
  )
}

/** The tests, of those given, that failed in runs, by run. */
const failedTests = Effect.fnUntraced(function* (
  place: TriageRuns.Place,
  near: ReadonlyArray<TriageRuns.NumberedRun>,
  tests: ReadonlyArray<number>
) {
  const uploads = yield* TriageRuns.uploadsOf(place, near)
  const start = uploads.reduce((least, { earliestAt }) => Math.min(least, earliestAt), Infinity)
  const end = uploads.reduce((most, { latestAt }) => Math.max(most, latestAt), -Infinity)
  const wanted = new Set(near.map(({ runNo }) => runNo))
  const found = new Map<number, Set<number>>()
  if (uploads.length === 0) return found
  for (const row of yield* selectFailedTests(place, tests, { start, end })) {
    if (!wanted.has(row.run_no)) continue
    found.set(row.run_no, (found.get(row.run_no) ?? new Set()).add(row.test_no))
  }
  return found
})

const selectFailedTests = (
  { horizon, repositoryId, sql }: TriageRuns.Place,
  tests: ReadonlyArray<number>,
  { end, start }: Near
) => sql<{ readonly run_no: number; readonly test_no: number }>`
  SELECT f.run_no, n.test_no
  FROM unnest(${Parameter.int4s(tests)}) AS n (test_no)
  CROSS JOIN LATERAL (
    SELECT run_no
    FROM failed_executions
    WHERE repository_id = ${repositoryId} AND test_no = n.test_no AND is_failed
      AND at BETWEEN ${Parameter.instant(Math.max(start, horizon))} AND ${Parameter.instant(end)}
    OFFSET 0
  ) f`
