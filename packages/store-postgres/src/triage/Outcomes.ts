/** How tests ended in job runs, from the packed sets of the tests of each run. */
import { type FailureRecords, TestSet } from "@lazaret/domain"
import { Effect, Result } from "effect"
import * as TestSets from "../codec/TestSets.ts"
import * as Parameter from "../database/Parameter.ts"
import type { NumberedRun, Place } from "./TriageRuns.ts"

/** Finds how a test ended in a run; null when it neither passed nor failed there. */
export interface Outcomes {
  (run: NumberedRun, testNo: number): FailureRecords.OutcomeRecord | null
}

/**
 * The outcomes in runs.
 *
 * **Details**
 *
 * One row for each run, whatever the number of its tests. Damaged sets, and those of a run that no refold has made yet,
 * count as empty.
 */
export const ofRuns = Effect.fnUntraced(function* (place: Place, runs: ReadonlyArray<NumberedRun>) {
  const sets = new Map<number, TestSets.TestSets>()
  const rows = runs.length === 0 ? [] : yield* select(place, [...new Set(runs.map(({ runNo }) => runNo))])
  for (const [index, row] of rows.entries()) {
    if (index % rowsAtOnce === rowsAtOnce - 1) yield* Effect.yieldNow
    sets.set(
      row.run_no,
      Result.getOrElse(TestSets.decode(row.outcomes), () => TestSets.empty)
    )
  }
  const of: Outcomes = ({ run, runNo }, testNo) => {
    const [passed, failed] = sets.get(runNo) ?? TestSets.empty
    if (TestSet.has(passed, testNo)) return { conclusion: "passed", run }
    return TestSet.has(failed, testNo) ? { conclusion: "failed", run } : null
  }
  return of
})

/** Unpacking some sets of 50,000 tests takes milliseconds: other fibers run in between. */
const rowsAtOnce = 32

const select = ({ repositoryId, sql }: Place, runs: ReadonlyArray<number>) => sql<{
  readonly run_no: number
  readonly outcomes: Uint8Array
}>`
  SELECT r.run_no, r.outcomes
  FROM unnest(${Parameter.int4s(runs)}) AS n (run_no)
  CROSS JOIN LATERAL (
    SELECT run_no, outcomes
    FROM job_runs
    WHERE repository_id = ${repositoryId} AND run_no BETWEEN n.run_no AND n.run_no AND outcomes IS NOT NULL
    ORDER BY run_no
    LIMIT 1
  ) r`
