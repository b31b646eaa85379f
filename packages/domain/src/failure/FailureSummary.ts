/** The summary of the verdicts of a run, a commit or a pull request. */
import { type FailureVerdict, listed, type Verdict } from "./FailureVerdict.ts"
import { counted } from "./FailureEvidence.ts"
import * as CiRun from "./CiRun.ts"
import { jobKey } from "./JobRun.ts"
import * as Instant from "../time/Instant.ts"

/**
 * The summary of verdicts.
 *
 * **Details**
 *
 * - `conclusion`: `success` without failures, `neutral` when none of them blocks, else `failure`.
 * - `unjudged`: failures beyond `FailureRecords.bounds.failures`. They count in nothing else, and block.
 * - `complete`: no job of the commit is known to be running or missing.
 * - `sentence`: one sentence that says what to do.
 */
export interface FailureSummary {
  readonly counts: { readonly [V in Verdict]: number }
  readonly blocking: number
  readonly unjudged: number
  readonly conclusion: "success" | "neutral" | "failure"
  readonly complete: boolean
  readonly sentence: string
}

/** The summary of verdicts, in any order, and of a number of failures that were not judged. */
export const of = (
  verdicts: Iterable<Pick<FailureVerdict, "verdict" | "isBlocking">>,
  complete: boolean,
  unjudged = 0
): FailureSummary => {
  const counts = { flaky: 0, broken_on_base: 0, outage: 0, new_failure: 0, new_test: 0, undecided: 0 }
  let blocking = 0
  let total = 0
  for (const { isBlocking, verdict } of verdicts) {
    counts[verdict] += 1
    total += 1
    if (isBlocking) blocking += 1
  }
  const conclusion = total === 0 ? "success" : blocking + unjudged === 0 ? "neutral" : "failure"
  return {
    counts,
    blocking,
    unjudged,
    conclusion,
    complete,
    sentence: `${sentenceOf(counts, total, blocking)}${restOf(total, unjudged)}${complete ? "" : unfinished}`
  }
}

/** The summary with a sentence on tests that did not run; where the gate blocks such runs, that is the conclusion. */
export const withMissing = (summary: FailureSummary, sentence: string, isBlocking: boolean): FailureSummary => ({
  ...summary,
  conclusion: isBlocking ? "failure" : summary.conclusion,
  sentence: `${summary.sentence} ${sentence}${isBlocking ? " The gate does not let such a run pass." : ""}`
})

/** The summary where only runs of forks are known, which count for nothing (`PullHead`): it concludes nothing. */
export const ofForksOnly = (): FailureSummary => ({
  ...of([], false),
  conclusion: "neutral",
  sentence:
    "Only runs of forks are known of this commit. They count for a pull request when the hosting platform names their " +
    "repository and commit as its head."
})

/** A job of the last run of the base, and how long after the first job of that run it finished, in milliseconds. */
export interface ExpectedJob extends Job {
  readonly after: number
}

/** How long a missing job is waited for at least and at most, in milliseconds. */
const patience = { least: 10 * Instant.minute, most: 2 * Instant.hour }

/**
 * Whether no job is known to be running or missing.
 *
 * **Details**
 *
 * Expected are the jobs of the last run of the same pipelines on the base branch. Of a pipeline whose runs the CI system reports
 * (`ciRuns`), missing jobs are waited for until the run is over, and a new attempt until one of its jobs has reported. Without
 * expected jobs the end of the run is waited for. Else a missing job is waited for twice as long after the first result as it
 * took on the base, at least 10 minutes; and no job longer than two hours after the last result. A job that did not run until
 * then was left out on purpose (our choice).
 */
export const isComplete = (
  expected: ReadonlyArray<ExpectedJob>,
  runs: ReadonlyArray<CiRun.Reported & { readonly at: Instant.Instant }>,
  now: Instant.Instant,
  ciRuns: ReadonlyArray<CiRun.CiRun> = []
): boolean => {
  const seen = new Set(runs.map(jobKey))
  const first = runs.reduce((earliest, { at }) => Math.min(earliest, at), Infinity)
  const last = runs.reduce((latest, { at }) => Math.max(latest, at), -Infinity)
  const isOverdue = ({ after }: ExpectedJob) => now - first > Math.max(patience.least, 2 * after)
  const isPipelineComplete = (name: string): boolean => {
    const jobs = expected.filter(({ pipelineName }) => pipelineName === name)
    const missing = jobs.filter((job) => !seen.has(jobKey(job)))
    switch (CiRun.standing(name, ciRuns, runs, now)) {
      case "rerunning":
        return false
      case "running":
        return jobs.length > 0 && missing.length === 0
      case "over":
        return true
      case "unknown":
        return now - last > patience.most || missing.every(isOverdue)
    }
  }
  return [...new Set([...expected, ...runs].map(({ pipelineName }) => pipelineName))].every(isPipelineComplete)
}

type Job = Parameters<typeof jobKey>[0]

const unfinished = " Jobs are still running."

const restOf = (total: number, unjudged: number): string =>
  unjudged === 0
    ? ""
    : ` ${counted(unjudged, "more failure")} ${unjudged === 1 ? "blocks" : "block"} unjudged: too many failed, so only the first ${total} by name are judged.`

const nouns: { readonly [V in Verdict]: string } = {
  new_failure: "probably caused by this change",
  new_test: "in new tests",
  undecided: "undecided",
  broken_on_base: "broken on the base branch",
  outage: "from an outage",
  flaky: "flaky"
}

const sentenceOf = (counts: FailureSummary["counts"], total: number, blocking: number): string => {
  if (total === 0) return "No test failed."
  const parts = listed.filter((verdict) => counts[verdict] > 0).map((verdict) => `${counts[verdict]} ${nouns[verdict]}`)
  const block =
    blocking === 0
      ? "none blocks"
      : blocking === total
        ? total === 1
          ? "it blocks"
          : "all block"
        : `${blocking} ${blocking === 1 ? "blocks" : "block"}`
  return `${counted(total, "failure")}: ${parts.join(", ")}; ${block}.`
}
