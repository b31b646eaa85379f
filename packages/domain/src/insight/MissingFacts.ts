/** The facts from which missing tests follow: which tests each job run executed. */
import * as TestSet from "../health/TestSet.ts"
import * as Text from "../text/Text.ts"
import * as Instant from "../time/Instant.ts"
import type * as Steps from "./Steps.ts"

/** The tests with a passed or a failed execution in a job run; `at` is when it finished. */
export interface JobRunSet {
  readonly runId: string
  readonly at: Instant.Instant
  readonly commit: string
  readonly ran: TestSet.TestSet
}

/**
 * The latest runs of a job, in any order; each attempt of a run may be one of its own.
 *
 * **Details**
 *
 * - `runs`: those of the default branch. `others`: those of other branches but forks. `own`: those that somebody asks about, which are in
 *   neither of the two lists.
 */
export interface JobHistory {
  readonly pipelineName: string
  readonly jobName: string
  readonly runs: ReadonlyArray<JobRunSet>
  readonly others: ReadonlyArray<JobRunSet>
  readonly own: ReadonlyArray<JobRunSet>
}

/** Tests whose names somebody asks for, and, with a run, how many of them were skipped in it. */
export interface NamesAsked {
  readonly tests: TestSet.TestSet
  readonly runId: string | null
}

/** The names of tests in code-point order, `bounds.names` at most; and how many of the tests the run skipped. */
export interface NamesFound {
  readonly names: ReadonlyArray<string>
  readonly skipped: number
}

/** The value that was made of the jobs of a group, and the names that belong to it. */
export interface Judged<A> {
  readonly value: A
  readonly asked: ReadonlyArray<NamesAsked>
}

/** The same with the names, in the order in which they were asked for. */
export interface Named<A> {
  readonly value: A
  readonly found: ReadonlyArray<NamesFound>
}

/** Judges the jobs of one group (`ShardNames`), whose tests have the same numbers; in steps. */
export type Judge<A> = (group: ReadonlyArray<JobHistory>) => Steps.Steps<Judged<A>>

/**
 * How much of the past a store reads.
 *
 * **Details**
 *
 * - `days`, `runs`: of each job, the latest job runs of the default branch that finished in these days.
 * - `jobs`: those whose last run is the latest. `elsewhere`: the job runs of other branches that a run of another branch is compared with.
 * - `names`: the names of tests that one answer reads. `shardTests`: the tests of all shards of a group that are known by name; a larger
 *   group is read as single jobs.
 * - `settled`: a job run is judged when its last result is older: further parts of it, and its siblings, may come.
 */
export const bounds = {
  days: 30,
  runs: 60,
  jobs: 1000,
  elsewhere: 10,
  names: 20_000,
  shardTests: 200_000,
  settled: 15 * Instant.minute
} as const

/** A run of a job, or of all shards of a group, with all of its attempts; `jobs` counts those that reported. */
export interface UnitRun extends JobRunSet {
  readonly jobs: number
}

/** The runs of jobs by the id of their run, in order of time, then id: what all attempts and jobs executed together. */
export const unitRuns = (histories: ReadonlyArray<ReadonlyArray<JobRunSet>>): ReadonlyArray<UnitRun> => {
  const found = new Map<string, UnitRun>()
  for (const runs of histories) {
    for (const run of attemptsJoined(runs)) {
      const known = found.get(run.runId)
      found.set(run.runId, known === undefined ? { ...run, jobs: 1 } : { ...joined(known, run), jobs: known.jobs + 1 })
    }
  }
  return [...found.values()].sort((a, b) => a.at - b.at || Text.compare(a.runId, b.runId))
}

/** The attempts of each run as one: it finished when its first attempt did. */
const attemptsJoined = (runs: ReadonlyArray<JobRunSet>): ReadonlyArray<JobRunSet> => {
  const found = new Map<string, JobRunSet>()
  for (const run of runs) {
    const known = found.get(run.runId)
    found.set(run.runId, known === undefined ? run : { ...joined(known, run), at: Math.min(known.at, run.at) })
  }
  return [...found.values()]
}

const joined = (a: JobRunSet, b: JobRunSet): JobRunSet => ({
  runId: a.runId,
  at: Math.max(a.at, b.at),
  commit: Text.compare(a.commit, b.commit) <= 0 ? a.commit : b.commit,
  ran: TestSet.union(a.ran, b.ran)
})

/**
 * The units in which a group of jobs is judged: all of its jobs together when they are the shards of one suite, else each alone.
 *
 * **Details**
 *
 * Shards have few tests in common: in the latest runs of the group, the jobs together executed hardly more tests than there are.
 * Jobs of a matrix execute the same tests.
 */
export const unitsOf = (group: ReadonlyArray<JobHistory>): ReadonlyArray<ReadonlyArray<JobHistory>> => {
  if (group.length === 1) return [group]
  const sizes = new Map<string, number>()
  for (const { runs } of group) {
    for (const { ran, runId } of attemptsJoined(runs)) sizes.set(runId, (sizes.get(runId) ?? 0) + TestSet.size(ran))
  }
  const latest = unitRuns(group.map(({ runs }) => runs))
    .filter(({ jobs }) => jobs > 1)
    .slice(-5)
  const all = latest.reduce((sum, { ran }) => sum + TestSet.size(ran), 0)
  const executed = latest.reduce((sum, { runId }) => sum + (sizes.get(runId) ?? 0), 0)
  const areShards = latest.length > 0 && executed <= overlap * all
  return areShards ? [group] : group.map((job) => [job])
}

/** Shards execute at most this many tests for each test that there is. */
const overlap = 1.3
