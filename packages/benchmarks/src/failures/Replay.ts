/**
 * Replays real history run by run: every failure with the facts that were known when its run ended.
 *
 * The facts come from the fold and the look-up of the domain, the same code that a service uses. A prediction sees the runs
 * that ended before, and the other jobs of the same run.
 */
import { Failure, type FailureFacts, FailureHistory, FailureLookup, type JobRun } from "@lazaret/domain"
import type { HistoryRun } from "./History.ts"

/** What a failure turned out to be: the same commit passed as well, or it was run at least twice and never passed. */
export type Truth = "flaky" | "persistent" | null

/**
 * One failure of the history.
 *
 * `isFirstSight` is whether the identity had not run on the commit before.
 */
export interface ReplayedFailure {
  readonly at: string
  readonly commit: string
  readonly job: string
  readonly test: string
  readonly truth: Truth
  readonly isFirstSight: boolean
  readonly facts: FailureFacts.FailureFacts
}

/** Every failure of the history in order. */
export const replay = (runs: ReadonlyArray<HistoryRun>): ReadonlyArray<ReplayedFailure> => {
  const truths = truthsOf(runs)
  const seen = new Set<string>()
  const failures: Array<ReplayedFailure> = []
  let history = FailureHistory.empty("main")
  runs.forEach((run, index) => {
    const jobs = jobRunsOf(run, index)
    const beside = FailureLookup.gather(jobs)
    for (const job of jobs) {
      for (const result of job.results) {
        if (result.conclusion === "passed") continue
        const key = `${result.testName}\0${job.jobName}\0${run.commit}`
        failures.push({
          at: run.at,
          commit: run.commit,
          job: job.jobName,
          test: result.testName,
          truth: truths.get(key) ?? null,
          isFirstSight: !seen.has(key),
          facts: FailureLookup.factsOf(history, job, result, beside)
        })
      }
    }
    for (const job of jobs) {
      for (const { testName } of job.results) seen.add(`${testName}\0${job.jobName}\0${run.commit}`)
      history = FailureHistory.record(history, job)
    }
  })
  return failures
}

/** The job runs of one run of the history. */
const jobRunsOf = (run: HistoryRun, index: number): ReadonlyArray<JobRun.JobRun> =>
  Object.entries(run.jobs).map(([jobName, results]) => ({
    pipelineName: "CI",
    jobName,
    jobUrl: null,
    runId: String(index),
    commit: run.commit,
    branch: "main",
    baseBranch: null,
    isFork: false,
    at: Date.parse(run.at),
    results: results.map(([testName, outcome, message], ordinal) => ({
      id: `${index}.${jobName}.${ordinal}`,
      testName,
      conclusion: outcome === "p" ? "passed" : "failed",
      flaky: false,
      reruns: 0,
      exceptionType: null,
      message,
      file: null,
      signature: outcome === "p" ? null : Failure.signatureOf({ type: null, message, stacktrace: null })
    }))
  }))

const truthsOf = (runs: ReadonlyArray<HistoryRun>): ReadonlyMap<string, Truth> => {
  const counts = new Map<string, { passed: number; failed: number }>()
  for (const run of runs) {
    for (const [job, results] of Object.entries(run.jobs)) {
      for (const [test, outcome] of results) {
        const key = `${test}\0${job}\0${run.commit}`
        const count = counts.get(key) ?? { passed: 0, failed: 0 }
        counts.set(key, count)
        if (outcome === "p") count.passed += 1
        else count.failed += 1
      }
    }
  }
  return new Map(
    [...counts].map(([key, { failed, passed }]): readonly [string, Truth] => [
      key,
      failed > 0 && passed > 0 ? "flaky" : failed >= 2 ? "persistent" : null
    ])
  )
}
