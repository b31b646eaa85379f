/**
 * The records that a store finds on a failure, and the facts that follow from them.
 *
 * A store selects executions; every rule about what they mean is here, so that all stores give the same facts.
 */
import type * as Facts from "./FailureFacts.ts"
import { jobKey } from "./JobRun.ts"
import * as Report from "../execution/Report.ts"
import * as Text from "../execution/Text.ts"
import type { Instant } from "../time/Instant.ts"

/**
 * How much a store selects.
 *
 * **Details**
 *
 * - `row`: executions of the identity on the base. A longer row of failures weighs no more (`FailureFeatures`).
 * - `unstable`: executions with a failed attempt, per identity.
 * - `commits`: flakes of a test, and real failures of an identity, that the facts hold.
 * - `runsElsewhere`: runs of the same job on other branches that are compared.
 */
export const bounds = { row: 31, unstable: 32, commits: 16, runsElsewhere: 16 }

/** The parts of a job run that facts refer to; `branch` is never null, and `at` is when the job run finished. */
export interface RunRecord extends Pick<
  Report.RunContext,
  "pipelineName" | "jobName" | "runId" | "runAttempt" | "commit" | "baseBranch"
> {
  readonly branch: string
  readonly at: Instant
}

/** A passed or failed execution of the test with its job run; `signature` is that of its failed attempt. */
export interface ExecutionRecord {
  readonly id: string
  readonly at: Instant
  readonly conclusion: "passed" | "failed"
  readonly flaky: boolean
  readonly signature: string | null
  readonly run: RunRecord
}

/**
 * The records on one failure.
 *
 * **Details**
 *
 * Executions are those of the same test, each once, in any order.
 *
 * - `job`: what the other tests of the same job run did.
 * - `onCommit`: on the commit of the failure, in every job.
 * - `before`: pushes to the base branch and to the default branch, on other commits, in job runs that finished before the
 *   first job of the failure's run: the latest `bounds.row` of the identity, and the latest one of each other job.
 * - `unstable`: executions with a failed attempt (failed ones, and passes on retry) in every job since
 *   `FailurePolicy.memoryDays` before that moment, the latest `bounds.unstable` of each identity that count ({@link counts});
 *   and all other executions of these identities on the commits of these executions.
 * - `sightings`: per branch other than the failure's, the latest job run in which any test failed with the same signature
 *   and which finished within `FailurePolicy.elsewhereHours` before or after the failure.
 * - `elsewhere`: the latest `bounds.runsElsewhere` runs of the same job with failures on other branches that count, within
 *   the same hours; those in which the test failed.
 */
export interface FailureRecords {
  readonly failure: Facts.FailedExecution
  readonly defaultBranch: string
  readonly job: Facts.JobTotals
  readonly onCommit: ReadonlyArray<ExecutionRecord>
  readonly before: ReadonlyArray<ExecutionRecord>
  readonly unstable: ReadonlyArray<ExecutionRecord>
  readonly sightings: ReadonlyArray<Facts.Sighting>
  readonly elsewhere: ReadonlyArray<Facts.JobRunElsewhere>
}

interface OnBranch {
  readonly branch: string
}

/** Whether a run says something about a failure: what a fork reports (`Report.isFork`) does about the same branch alone. */
export const counts = (run: OnBranch, failure: OnBranch): boolean =>
  run.branch === failure.branch || !Report.isFork(run)

/** The runs of the repository itself; those of forks where there are no others. */
export const ownOf = <Run extends OnBranch>(runs: ReadonlyArray<Run>): ReadonlyArray<Run> => {
  const own = runs.filter((run) => !Report.isFork(run))
  return own.length > 0 ? own : runs
}

/** The order of executions for facts: by the end of the job run, then of the execution, then by id. */
export const order = (a: ExecutionRecord, b: ExecutionRecord): number =>
  a.run.at - b.run.at || a.at - b.at || Text.compare(a.id, b.id)

/** The facts that follow from the records that count ({@link counts}); the order of the records makes no difference. */
export const factsOf = (
  records: FailureRecords,
  quarantine: Facts.QuarantineFact | null = null
): Facts.FailureFacts => {
  const { failure, defaultBranch } = records
  const onCommit = records.onCommit.filter(
    ({ run }) => (run.baseBranch !== null) === failure.isPullRequest && counts(run, failure)
  )
  const unstable = records.unstable.filter(({ run }) => counts(run, failure))
  const branches = failure.base === defaultBranch ? [defaultBranch] : [failure.base, defaultBranch]
  const before = records.before.toSorted(order)
  const commits = tallies(unstable.filter(({ run }) => run.commit !== failure.commit))
  return {
    failure,
    defaultBranch,
    reruns: onCommit
      .filter(({ id, run }) => jobKey(run) === jobKey(failure) && id !== failure.id)
      .map(({ conclusion, id, run }) => ({ id, runId: run.runId, at: run.at, conclusion })),
    siblings: siblingsOf(failure, onCommit),
    job: records.job,
    rows: branches.flatMap((branch) => rowOf(failure, branch, before, unstable)),
    previousRuns: branches.flatMap((branch) => previousRunOf(branch, before)),
    test: testRecordOf(commits),
    realFailures: realFailuresOf(failure, commits),
    sightings: records.sightings.filter((one) => counts(one, failure)),
    elsewhere: records.elsewhere.filter((one) => counts(one, failure)),
    quarantine
  }
}

const siblingsOf = (
  failure: Facts.FailedExecution,
  onCommit: ReadonlyArray<ExecutionRecord>
): ReadonlyArray<Facts.SiblingJob> => {
  const others = onCommit.filter(({ run }) => jobKey(run) !== jobKey(failure))
  return latestOfJobs(others.toSorted(order)).map(({ conclusion, run: { jobName, pipelineName } }) => ({
    pipelineName,
    jobName,
    conclusion
  }))
}

/** The last execution of each job, from executions in order. */
const latestOfJobs = (sorted: ReadonlyArray<ExecutionRecord>): ReadonlyArray<ExecutionRecord> => [
  ...new Map(sorted.map((execution) => [jobKey(execution.run), execution])).values()
]

const rowOf = (
  failure: Facts.FailedExecution,
  branch: string,
  before: ReadonlyArray<ExecutionRecord>,
  unstable: ReadonlyArray<ExecutionRecord>
): ReadonlyArray<Facts.BranchRow> => {
  const own = before.filter(({ run }) => run.branch === branch && jobKey(run) === jobKey(failure)).slice(-bounds.row)
  const last = own.at(-1)
  if (last === undefined) return []
  const { conclusion, run } = last
  const end = own.findLastIndex((execution) => execution.conclusion !== conclusion)
  const signature = unstable.find(({ id }) => id === last.id)?.signature
  return [
    {
      branch,
      conclusion,
      length: own.length - 1 - end,
      commit: run.commit,
      at: run.at,
      signature: conclusion === "failed" ? (signature ?? null) : null
    }
  ]
}

const previousRunOf = (branch: string, before: ReadonlyArray<ExecutionRecord>): ReadonlyArray<Facts.PreviousRun> => {
  const latest = latestOfJobs(before.filter(({ run }) => run.branch === branch)).toSorted(order)
  const last = latest.at(-1)?.run
  if (last === undefined) return []
  const together = latest.filter(({ run }) => run.commit === last.commit && run.runId === last.runId)
  const failed = together.filter(({ conclusion }) => conclusion === "failed").length
  return [{ branch, passed: together.length - failed, failed }]
}

/** What one identity did on one commit, or in one run of a pull request on it. */
interface Tally {
  readonly jobName: string
  readonly job: string
  readonly commit: string
  readonly isPush: boolean
  at: Instant
  passed: number
  failed: number
  hasFlaked: boolean
  readonly signatures: Set<string>
}

/** The base branch is merged into each run of a pull request, so that two runs on one commit may be on different code. */
const tallies = (executions: ReadonlyArray<ExecutionRecord>): ReadonlyArray<Tally> => {
  const found = new Map<string, Tally>()
  for (const { conclusion, flaky, run, signature } of executions.toSorted(order)) {
    const isPush = run.baseBranch === null
    const key = `${jobKey(run)}\0${run.commit}\0${isPush ? "" : run.runId}`
    const tally = found.get(key) ?? emptyTally(run, isPush)
    found.set(key, tally)
    tally.at = Math.max(tally.at, run.at)
    tally[conclusion] += 1
    tally.hasFlaked ||= flaky
    if (signature !== null) tally.signatures.add(signature)
  }
  return [...found.values()].sort(
    (a, b) => a.at - b.at || Text.compare(a.commit, b.commit) || Text.compare(a.job, b.job)
  )
}

const emptyTally = (run: RunRecord, isPush: boolean): Tally => ({
  jobName: run.jobName,
  job: jobKey(run),
  commit: run.commit,
  isPush,
  at: run.at,
  passed: 0,
  failed: 0,
  hasFlaked: false,
  signatures: new Set()
})

const testRecordOf = (commits: ReadonlyArray<Tally>): Facts.TestRecord => {
  const flakes = commits
    .filter(({ failed, hasFlaked, passed }) => hasFlaked || (failed > 0 && passed > 0))
    .slice(-bounds.commits)
  return {
    flakes: flakes.map(({ at, commit, jobName }) => ({ commit, jobName, at })),
    signatures: [...new Set(flakes.flatMap(({ signatures }) => [...signatures]))].sort(Text.compare)
  }
}

const realFailuresOf = (
  failure: Facts.FailedExecution,
  commits: ReadonlyArray<Tally>
): ReadonlyArray<Facts.RealFailure> =>
  commits
    .filter(
      ({ failed, hasFlaked, isPush, job, passed }) =>
        isPush && job === jobKey(failure) && failed >= 2 && passed === 0 && !hasFlaked
    )
    .slice(-bounds.commits)
    .map(({ at, commit }) => ({ commit, at }))
