/** The facts from which the cost of flaky tests is computed: job runs with their time, and the tests that failed or ran again in them. */
import type { Instant } from "../time/Instant.ts"

/**
 * The source of the time of a job run.
 *
 * **Details**
 *
 * - `platform`: the hosting platform said when the job began and ended.
 * - `reports`: the sum of the durations of its tests; set-up and build are not in it.
 */
export type Source = "platform" | "reports"

/**
 * A test that failed in a job run, or that the job itself ran again.
 *
 * **Details**
 *
 * - `isFailed`: whether an execution failed in the end. `hasPassed`: whether the test also passed on the same code, in this or
 *   another run of the job, earlier or later.
 * - `reruns`: how often the job ran it again by itself. `file`: null where no report names it.
 */
export interface CostTest {
  readonly testName: string
  readonly isFailed: boolean
  readonly hasPassed: boolean
  readonly reruns: number
  readonly file: string | null
}

/**
 * A job run.
 *
 * **Details**
 *
 * - `key`: equal for equal job runs only. `at`: when it finished. `baseBranch`: of a pull request, null for a push.
 * - `isExcused`: whether it is an outage whose failures say nothing about single tests (`Outage.Judgement`).
 * - `passed`, `failed`: its executions. `durationUs`: its time in microseconds, from `source`.
 * - `tests`: each once, in the order of names.
 */
export interface CostRun {
  readonly key: string
  readonly at: Instant
  readonly pipelineName: string
  readonly jobName: string
  readonly runId: string
  readonly runAttempt: number
  readonly commit: string
  readonly branch: string
  readonly baseBranch: string | null
  readonly isExcused: boolean
  readonly passed: number
  readonly failed: number
  readonly durationUs: number
  readonly source: Source
  readonly tests: ReadonlyArray<CostTest>
}

/**
 * The facts of a repository.
 *
 * **Details**
 *
 * `from`: every job run that finished at this instant or later is in `runs`, in any order, but for those of forks.
 */
export interface CostFacts {
  readonly from: Instant
  readonly runs: ReadonlyArray<CostRun>
}

/**
 * How much of the past a store reads: the latest job runs first.
 *
 * **Details**
 *
 * - `runs`: the job runs. `tests`: the tests of all of them; the job run that exceeds this number is the first that is left out.
 * - `testsOfRun`: of one job run at most this many are read, in the order of test numbers of the store.
 */
export const bounds = { runs: 100_000, tests: 200_000, testsOfRun: 50_000 }

/** A text that is equal for job runs of one job on the same code: on one commit, and in one run for a pull request, whose base moves. */
export const codeKey = ({ baseBranch, commit, jobName, pipelineName, runId }: CodeName): string =>
  [pipelineName, jobName, commit, baseBranch === null ? "" : runId].join("\0")

/** The fields that {@link codeKey} reads. */
export type CodeName = Pick<CostRun, "baseBranch" | "commit" | "jobName" | "pipelineName" | "runId">

/** The job runs of each commit. */
export const byCommit = (runs: ReadonlyArray<CostRun>): ReadonlyArray<ReadonlyArray<CostRun>> => [
  ...Map.groupBy(runs, ({ commit }) => commit).values()
]
