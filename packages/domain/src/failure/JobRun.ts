/** Job runs: the results of one job as facts on failures need them. */
import type { JobTotals } from "./FailureFacts.ts"
import type { Instant } from "../time/Instant.ts"
import * as TestIdentity from "../execution/TestIdentity.ts"

/**
 * One result of a job run. Skipped tests are left out.
 *
 * `reruns` is how often the job ran the test again; `flaky` is whether it failed and passed among them.
 */
export interface TestResult {
  readonly id: string
  readonly testName: string
  readonly conclusion: "passed" | "failed"
  readonly flaky: boolean
  readonly reruns: number
  readonly exceptionType: string | null
  readonly message: string | null
  readonly file: string | null
  readonly signature: string | null
}

/**
 * The results of one job run.
 *
 * **Details**
 *
 * - `branch` is never null: null means the default branch in a report, and its name here.
 * - `baseBranch`: named for a pull request.
 * - `isFork`: the upload came from a fork without a key; it is recorded for failures of the same fork's branch alone.
 * - `at`: when the job run finished.
 */
export interface JobRun {
  readonly pipelineName: string
  readonly jobName: string
  readonly jobUrl: string | null
  readonly runId: string
  readonly commit: string
  readonly branch: string
  readonly baseBranch: string | null
  readonly isFork: boolean
  readonly at: Instant
  readonly results: ReadonlyArray<TestResult>
}

/** A text that is equal for runs of the same job of the same pipeline only. */
export const jobKey = (run: Pick<JobRun, "pipelineName" | "jobName">): string => `${run.pipelineName}\0${run.jobName}`

/** A text that is equal for results of the same identity only. */
export const identityKey = (run: JobRun, { testName }: Pick<TestResult, "testName">): string =>
  TestIdentity.key({ testName, pipelineName: run.pipelineName, jobName: run.jobName })

/** What the tests of a job run did. */
export const totalsOf = (run: JobRun): JobTotals => {
  const failed = run.results.filter(({ conclusion }) => conclusion === "failed")
  return {
    passed: run.results.length - failed.length,
    failed: failed.length,
    silent: failed.filter(isSilent).length
  }
}

/** Whether a failure has no message. */
export const isSilent = ({ message }: TestResult): boolean => message === null || message.trim() === ""
