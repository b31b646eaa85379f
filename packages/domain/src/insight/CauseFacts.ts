/** The facts from which failures are grouped by cause: failed job runs with the tests that failed in them. */
import * as Steps from "./Steps.ts"
import * as Text from "../text/Text.ts"
import type { Instant } from "../time/Instant.ts"

/**
 * A test that failed in a job run.
 *
 * **Details**
 *
 * - `testName`: a test is one in all jobs. `signature`: of its failure (`Failure.signatureOf`), null for a silent one.
 * - `frame`: the innermost frame of own code outside of the test (`StackFrame.placeOf`), null where it is not known.
 */
export interface FailedTest {
  readonly testName: string
  readonly signature: string | null
  readonly frame: string | null
}

/**
 * A job run in which tests failed.
 *
 * **Details**
 *
 * - `key`: equal for equal job runs only.
 * - `ordinal`: its place among the job runs of its pipeline, job and branch, red or not: consecutive numbers are consecutive job
 *   runs. `branch`: null where it is not known.
 * - `isOnDefault`: whether it is a run of the default branch. `isExcused`: whether it is an outage whose failures say nothing about
 *   single tests (`Outage.Judgement`).
 */
export interface FailedRun {
  readonly key: string
  readonly at: Instant
  readonly pipelineName: string
  readonly jobName: string
  readonly branch: string | null
  readonly commit: string
  readonly ordinal: number
  readonly isOnDefault: boolean
  readonly isExcused: boolean
  readonly failed: ReadonlyArray<FailedTest>
}

/** The exception type and the message of the failures with a signature; the message of one of them. */
export interface Exception {
  readonly exceptionType: string | null
  readonly message: string | null
}

/**
 * The facts of a repository.
 *
 * **Details**
 *
 * `runs`: in any order. `exceptions`: by signature.
 */
export interface CauseFacts {
  readonly runs: ReadonlyArray<FailedRun>
  readonly exceptions: ReadonlyMap<string, Exception>
}

/**
 * How much of the past a store reads: the latest failures first.
 *
 * **Details**
 *
 * - `runs`, `failures`: the job runs with failures, and the failures in them. The job run that exceeds the second number is the last one.
 * - `failuresOfRun`: of one job run at most this many are read, in the order of test numbers of the store.
 * - `messages`: of the most frequent signatures; `message`: the first characters of each.
 */
export const bounds = { runs: 10_000, failures: 200_000, failuresOfRun: 50_000, messages: 5000, message: 8000 }

/**
 * Each job run once, in the order of time, then key; in each of them every test once, in the order of names.
 *
 * **Details**
 *
 * Of several failures of a test in one job run, the one with the smallest known signature and frame counts.
 */
export function* inOrder(runs: ReadonlyArray<FailedRun>): Steps.Steps<ReadonlyArray<FailedRun>> {
  const sorted = runs.toSorted((a, b) => a.at - b.at || Text.compare(a.key, b.key))
  const distinct = sorted.filter((run, index) => index === 0 || run.key !== sorted[index - 1]?.key)
  return yield* Steps.mapSteps(distinct, perFailure, function* (run) {
    return { ...run, failed: yield* onePerTest(run.failed) }
  })
}

/** The size of steps over the failures of job runs. */
export const perFailure = { most: 10_000, weightOf: ({ failed }: FailedRun): number => failed.length }

function* onePerTest(failed: ReadonlyArray<FailedTest>): Steps.Steps<ReadonlyArray<FailedTest>> {
  const found = new Map<string, FailedTest>()
  yield* Steps.map(failed, perTest, (each) => {
    const other = found.get(each.testName)
    if (other === undefined || Text.compare(spelled(each), spelled(other)) < 0) found.set(each.testName, each)
  })
  return yield* Steps.sorted([...found.values()], (a, b) => Text.compare(a.testName, b.testName))
}

const perTest = Steps.ofItems(10_000)

const last = "\u{10FFFF}"
const spelled = ({ frame, signature }: FailedTest): string => `${signature ?? last}\0${frame ?? last}`

/** Text that is equal for job runs that follow each other: those of one pipeline, job and branch. */
export const streamOf = ({ branch, jobName, pipelineName }: FailedRun): string =>
  `${pipelineName}\0${jobName}\0${branch ?? "\0"}`
