/**
 * The facts on one failure: everything that is known when somebody asks whose failure it is.
 *
 * A list may have any order and stands for a set: the verdict is the same. Every count is bounded (`FailureRecords.bounds`).
 */
import type { Instant } from "../time/Instant.ts"
import * as JobRecord from "./JobRecord.ts"

/**
 * The failed execution that the question is about.
 *
 * **Details**
 *
 * - `branch`: the branch of the run; `base`: the branch M that it is compared with. A pull request is compared with its
 *   base branch, a push to the default branch or to a release line with that branch itself, any other push with the
 *   default branch.
 * - `attempts`: how often the job ran the test, at least 1; all of them failed.
 * - `signature`: `Failure.signatureOf`, null for a failure without type and message.
 * - `attemptOf`: the test that it is a proven attempt of (`Execution`); absent where it is one of its own.
 */
export interface FailedExecution {
  readonly id: string
  readonly testName: string
  readonly pipelineName: string
  readonly jobName: string
  readonly at: Instant
  readonly commit: string
  readonly branch: string
  readonly base: string
  readonly isPullRequest: boolean
  readonly runId: string
  readonly attempts: number
  readonly exceptionType: string | null
  readonly message: string | null
  readonly file: string | null
  readonly jobUrl: string | null
  readonly signature: string | null
  readonly attemptOf?: string
}

/**
 * The failed execution of a result in a job run.
 *
 * `result.attempts` counts the reruns in the job and the first attempt; `base` is the branch that the run is compared
 * with.
 */
export const failedExecution = (
  run: Pick<FailedExecution, "pipelineName" | "jobName" | "at" | "commit" | "branch" | "runId" | "jobUrl"> & {
    readonly baseBranch: string | null
  },
  result: Pick<FailedExecution, "id" | "testName" | "attempts" | "exceptionType" | "message" | "file" | "signature"> &
    Pick<FailedExecution, "attemptOf">,
  base: string
): FailedExecution => ({
  id: result.id,
  testName: result.testName,
  pipelineName: run.pipelineName,
  jobName: run.jobName,
  at: run.at,
  commit: run.commit,
  branch: run.branch,
  base,
  isPullRequest: run.baseBranch !== null,
  runId: run.runId,
  attempts: result.attempts,
  exceptionType: result.exceptionType,
  message: result.message,
  file: result.file,
  jobUrl: run.jobUrl,
  signature: result.signature,
  ...(result.attemptOf !== undefined && { attemptOf: result.attemptOf })
})

/** Another execution of the same identity on the same commit, in whatever run. */
export interface Rerun {
  readonly id: string
  readonly runId: string
  readonly at: Instant
  readonly conclusion: "passed" | "failed"
}

/** The latest outcome of the same test on the same commit in another pipeline or job. */
export interface SiblingJob {
  readonly pipelineName: string
  readonly jobName: string
  readonly conclusion: "passed" | "failed"
}

/**
 * The results of the other tests of the same job run.
 *
 * **Details**
 *
 * `silent` counts those of the failed ones that have no message.
 */
export interface JobTotals {
  readonly passed: number
  readonly failed: number
  readonly silent: number
}

/**
 * The current row of the identity on one branch: how it ended there last, and for how long it has been ending like that.
 *
 * **Details**
 *
 * Read from the pushes to `branch` on other commits than the failure's that finished before the failure. `length` counts
 * job runs from the latest one back, `at` and `commit` are those of the latest one, `signature` is that of its failure. The
 * identity passed in a job run when one of its executions passed there. `outcomes` are the latest `FailureRecords.bounds.row` of these job runs, the
 * latest one first.
 */
export interface BranchRow {
  readonly branch: string
  readonly conclusion: "passed" | "failed"
  readonly length: number
  readonly commit: string
  readonly at: Instant
  readonly signature: string | null
  readonly outcomes: ReadonlyArray<BaseOutcome>
}

/** In how many jobs the test passed and failed in its last run on another commit of the base branch. */
export interface PreviousRun {
  readonly branch: string
  readonly passed: number
  readonly failed: number
}

/** How the test ended in one job run on a branch; `signature` is that of its failure there. */
export interface BaseOutcome {
  readonly conclusion: "passed" | "failed"
  readonly commit: string
  readonly at: Instant
  readonly isOutage: boolean
  readonly signature: string | null
}

/** How many executions of the identity passed and failed on the default branch, as far as they are retained, before the day of the failure. */
export interface IdentityTotals {
  readonly passed: number
  readonly failed: number
}

/** A file, module or package that did not load: `tests` of it ran on the reference of the job run, and none there. */
export interface UnloadedFile {
  readonly file: string
  readonly tests: number
}

/** A commit on which the test failed and passed in one job; `failures` is how many executions failed with it, null where that is not known. */
export interface Flake {
  readonly commit: string
  readonly jobName: string
  readonly at: Instant
  readonly failures?: number | null
}

/**
 * The other commits of the branch of a failure, where that is not its base, on which the identity failed before and did not pass: how many,
 * and on how many of them with the same signature.
 */
export interface EarlierOnBranch {
  readonly commits: number
  readonly same: number
}

/**
 * The record of the test over all of its jobs: its latest flakes, the latest signatures of their failures, and its latest failures on other
 * branches, the base and the default branch excepted.
 *
 * Sixteen of each are enough: more of them change no verdict.
 */
export interface TestRecord {
  readonly flakes: ReadonlyArray<Flake>
  readonly signatures: ReadonlyArray<string>
  readonly others: ReadonlyArray<OtherFailure>
}

/** A commit of another branch on which the test failed in a job before and never passed there; `isSame`: with the signature of this failure. */
export interface OtherFailure extends Flake {
  readonly branch: string
  readonly isSame: boolean
}

/** A run of the same job on another branch in which the same test failed; `shared` of its failed tests fail here, too. */
export interface JobRunElsewhere {
  readonly branch: string
  readonly base: string
  readonly commit: string
  readonly at: Instant
  readonly shared: number
}

/**
 * An active quarantine that applies to the branch of the failure.
 *
 * **Details**
 *
 * `signatures` are those of the failures that it was made for: known when the quarantine was made or added by hand.
 */
export interface QuarantineFact {
  readonly id: string
  readonly reason: string
  readonly signatures: ReadonlyArray<string>
}

/**
 * Everything known about one failure.
 *
 * **Details**
 *
 * Needed per failure: the executions of its identity on its commit (`reruns`); the latest outcome of its test in the
 * other jobs of its commit (`siblings`); three counts of its job run (`job`); one row per identity and branch, of the base
 * and the default branch (`rows`); the last run of the test on each of the two (`previousRuns`); one record per test
 * (`test`); its failures on earlier commits of its branch (`earlier`); the latest runs of its job (`elsewhere`) on other
 * branches. Facts from forks are facts on failures of that fork only.
 *
 * - `run`: its job run as a whole. `totals`: null where they are not known.
 * - `seen`: in how many job runs on other commits, on whatever branch, a failure of any test had the same signature before this one, at most
 *   `JobRecord.bounds.seen`; null without a signature, and where that is not known.
 * - `next`: of a failure on the default branch alone, how the identity ended in the job runs there that followed, on other commits: of the first
 *   `FailureRecords.bounds.next`, those in which it ran, in their order.
 * - `unloaded`: the file that the failure stands for, when it loads on the base. It has no outcomes of its own there.
 */
export interface FailureFacts {
  readonly failure: FailedExecution
  readonly defaultBranch: string
  readonly reruns: ReadonlyArray<Rerun>
  readonly siblings: ReadonlyArray<SiblingJob>
  readonly job: JobTotals
  readonly rows: ReadonlyArray<BranchRow>
  readonly previousRuns: ReadonlyArray<PreviousRun>
  readonly test: TestRecord
  readonly earlier: EarlierOnBranch
  readonly elsewhere: ReadonlyArray<JobRunElsewhere>
  readonly quarantine: QuarantineFact | null
  readonly run: JobRecord.JobRunFacts
  readonly totals: IdentityTotals | null
  readonly seen: number | null
  readonly next: ReadonlyArray<BaseOutcome>
  readonly unloaded: UnloadedFile | null
}

/** Facts on a test that has never been seen before, in no other job and on no other branch. */
export const of = (failure: FailedExecution, known: Partial<Omit<FailureFacts, "failure">> = {}): FailureFacts => ({
  failure,
  defaultBranch: "main",
  reruns: [],
  siblings: [],
  job: { passed: 0, failed: 0, silent: 0 },
  rows: [],
  previousRuns: [],
  test: { flakes: [], signatures: [], others: [] },
  earlier: { commits: 0, same: 0 },
  elsewhere: [],
  quarantine: null,
  run: JobRecord.unknownRun,
  totals: null,
  seen: null,
  next: [],
  unloaded: null,
  ...known
})

/** Whether a failure is on the branch that it is compared with, such as a push to the default branch. */
export const isOnBase = ({ base, branch, isPullRequest }: FailedExecution): boolean => !isPullRequest && branch === base

/** The row that stands for the base: that of the base branch, else that of the default branch, else null. */
export const baseRow = (facts: FailureFacts): BranchRow | null => onBase(facts, facts.rows)

/** The previous run of the test: that on the base branch, else that on the default branch, else null. */
export const previousRun = (facts: FailureFacts): PreviousRun | null => onBase(facts, facts.previousRuns)

/**
 * The reruns that prove that the same code passes: in the same run, or on a push anywhere on the same commit.
 *
 * **Details**
 *
 * Two runs of one pull request may be on different code, because the base branch is merged into each of them.
 */
export const provingReruns = (facts: FailureFacts): ReadonlyArray<Rerun> =>
  facts.reruns.filter(({ conclusion, runId }) => conclusion === "passed" && isSameCode(facts.failure, runId))

/** How many sibling jobs pass and fail. */
export const siblingCounts = (facts: FailureFacts): { readonly passed: number; readonly failed: number } => {
  const failed = facts.siblings.filter(({ conclusion }) => conclusion === "failed").length
  return { failed, passed: facts.siblings.length - failed }
}

/** How often the identity ran on the default branch before, as far as that is known; null where nothing is. */
export const executionsOnBase = ({ rows, totals }: FailureFacts): number | null => {
  const listed = Math.max(0, ...rows.map(({ outcomes }) => outcomes.length))
  return totals === null && listed === 0 ? null : Math.max(listed, totals === null ? 0 : totals.passed + totals.failed)
}

/** The runs of the same job on unrelated branches at about the same time in which the same test failed. */
export const unrelatedRuns = (
  facts: FailureFacts,
  { elsewhereHours }: { readonly elsewhereHours: number }
): ReadonlyArray<JobRunElsewhere> =>
  facts.elsewhere.filter(
    (run) =>
      isUnrelated(facts.failure, run) &&
      run.commit !== facts.failure.commit &&
      Math.abs(run.at - facts.failure.at) <= elsewhereHours * 3_600_000
  )

/** How many attempts on the same code failed, this failure's included. */
export const failedAttempts = (facts: FailureFacts): number =>
  facts.failure.attempts +
  facts.reruns.filter(({ conclusion, runId }) => conclusion === "failed" && isSameCode(facts.failure, runId)).length

/** Whether a failure has no message: null, or ASCII white space alone, so that every engine counts the same. */
export const isSilent = ({ message }: Pick<FailedExecution, "message">): boolean =>
  message === null || /^[\t\n\v\f\r ]*$/.test(message)

/**
 * Whether a commit of another branch shares no change with the failure's, as far as the names of the branches say.
 *
 * **Details**
 *
 * Related are the same branch, the base of one another, and a pull request that is stacked on the other.
 */
export const isUnrelated = (
  failure: Pick<FailedExecution, "branch" | "base">,
  other: { readonly branch: string; readonly base: string }
): boolean => other.branch !== failure.branch && other.branch !== failure.base && other.base !== failure.branch

const isSameCode = (failure: FailedExecution, runId: string): boolean =>
  !failure.isPullRequest || runId === failure.runId

const onBase = <A extends { readonly branch: string }>(facts: FailureFacts, rows: ReadonlyArray<A>): A | null =>
  rows.find(({ branch }) => branch === facts.failure.base) ??
  rows.find(({ branch }) => branch === facts.defaultBranch) ??
  null
