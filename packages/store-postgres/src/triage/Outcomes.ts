/** How tests ended in job runs, from the packed sets of the tests of each run. */
import type { FailureRecords } from "@lazaret/domain"
import { Effect, Result } from "effect"
import * as TestSets from "../codec/TestSets.ts"
import * as Parameter from "../database/Parameter.ts"
import type { NumberedRun, Place } from "./TriageRuns.ts"

/** Finds how one of the wanted tests ended in a run; null when it neither passed nor failed there. */
export interface Outcomes {
  (run: NumberedRun, testNo: number): FailureRecords.OutcomeRecord | null
}

/**
 * The outcomes of tests in runs.
 *
 * **Details**
 *
 * One row for each run, whatever the number of its tests. Damaged sets, and those of a run that no refold has made yet,
 * count as empty.
 */
export const ofRuns = Effect.fnUntraced(function* (
  place: Place,
  runs: ReadonlyArray<NumberedRun>,
  wanted: Iterable<number>
) {
  const bitsIn = yield* bits(place, [...new Set(runs.map(({ runNo }) => runNo))], wanted)
  const of: Outcomes = ({ run, runNo }, testNo) => {
    const found = bitsIn(runNo, testNo)
    return found === 0 ? null : { conclusion: (found & 1) === 0 ? "failed" : "passed", run }
  }
  return of
})

/** Finds whether one of the wanted tests has a passed (bit 0) and a failed execution (bit 1) in a run, by its number. */
export const bits = Effect.fnUntraced(function* (place: Place, runs: ReadonlyArray<number>, wanted: Iterable<number>) {
  const tests = [...new Set(wanted)].sort((a, b) => a - b)
  const places = new Map(tests.map((testNo, index) => [testNo, index]))
  const sets = new Map<number, Uint8Array>()
  const rows = runs.length === 0 || tests.length === 0 ? [] : yield* select(place, runs)
  for (const [index, row] of rows.entries()) {
    if (index % rowsAtOnce === rowsAtOnce - 1) yield* Effect.yieldNow
    sets.set(
      row.run_no,
      Result.getOrElse(TestSets.lookUp(row.outcomes, tests), () => nowhere)
    )
  }
  return (runNo: number, testNo: number): number => (sets.get(runNo) ?? nowhere)[places.get(testNo) ?? -1] ?? 0
})

const nowhere = new Uint8Array(0)

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
    WHERE repository_id = ${repositoryId} AND run_no BETWEEN n.run_no AND n.run_no
    ORDER BY run_no
    LIMIT 1
  ) r`
