/** The stored cost of a repository: the counts of each week, and the part of each test in them. */
import { Schema } from "effect"

const Counts = Schema.Struct({ all: Schema.Int, red: Schema.Int, byFlakes: Schema.Int, withGate: Schema.Int })

/**
 * Schema of how many job runs, commits or pull requests there are, and how many were red.
 *
 * **Details**
 *
 * - `byFlakes`: of the red ones, those that only flakes made red. `withGate`: of these, those that stay red with the recommended gate and automatic
 *   quarantine (`GateReplay`).
 */
export type Counts = typeof Counts.Type

/**
 * Schema of the counts of a week.
 *
 * **Details**
 *
 * - `start`: Monday at midnight, UTC. A job run is of the week in which it finished, a commit of that of its first job run, a pull
 *   request of that of its last one. Times are in microseconds.
 * - `runUs`: the time of all job runs. `platformRuns`: those whose time the hosting platform said.
 * - `judgedUs`: of the time of job runs that only flakes made red, the part where no rerun proves it.
 * - `outageRuns`, `outageUs`: job runs that an outage made red, their time, and that of jobs that ran again for them.
 * - `letPass`: job runs that were red for another reason and that these would have let pass.
 * - `waits`: commits that waited for a green job run. `evictions`, `queueReruns`: of the merge queue.
 */
export const Week = Schema.Struct({
  start: Schema.Int,
  runs: Counts,
  commits: Counts,
  pulls: Counts,
  runUs: Schema.Int,
  platformRuns: Schema.Int,
  judgedUs: Schema.Int,
  outageRuns: Schema.Int,
  outageUs: Schema.Int,
  letPass: Schema.Int,
  waits: Schema.Int,
  evictions: Schema.Int,
  queueReruns: Schema.Int
})

/** The counts of a week. */
export type Week = typeof Week.Type

/** Schema of a test that costs, its cause and its file; null where they are not known. */
export const Test = Schema.Struct({
  testName: Schema.String,
  causeId: Schema.NullOr(Schema.String),
  file: Schema.NullOr(Schema.String)
})

/** A test that costs. */
export type Test = typeof Test.Type

/**
 * Schema of the part of a test in a week: the places of both, microseconds by kind, and its part of the job runs that only flakes made
 * red, in millionths. The place of the tests that are not listed is -1.
 */
export const Cell = Schema.Struct({
  week: Schema.Int,
  test: Schema.Int,
  failed: Schema.Int,
  repeated: Schema.Int,
  retried: Schema.Int,
  waiting: Schema.Int,
  runs: Schema.Int
})

/** The part of a test in a week. */
export type Cell = typeof Cell.Type

/**
 * Schema of the stored result of a computation.
 *
 * **Details**
 *
 * - `from`: job runs from before are not counted. `weeks`: the last {@link weeks}, the oldest first.
 * - `tests`: those that cost most, at most {@link mostTests}, with at most {@link mostText} characters of names and files. The cells of
 *   the others are summed up, so that nothing is missing.
 * - `causes`: the names of the causes of these tests.
 */
export const CostKnown = Schema.Struct({
  from: Schema.Int,
  weeks: Schema.Array(Week),
  tests: Schema.Array(Test),
  causes: Schema.Array(Schema.Struct({ causeId: Schema.String, name: Schema.String })),
  cells: Schema.Array(Cell)
})

/** The stored result of a computation. */
export type CostKnown = typeof CostKnown.Type

/** How many weeks are counted, this one included. */
export const weeks = 12

/** How many tests are listed. */
export const mostTests = 1000

/** How many characters their names and files have together. */
export const mostText = 2_000_000

/** The place of the tests that are not listed. */
export const others = -1
