/**
 * The records that a store finds on a failure, and the facts that follow from them.
 *
 * A store selects executions; every rule about what they mean is here, so that all stores give the same facts.
 */
import type * as Facts from "./FailureFacts.ts"
import type { Windows } from "./FailurePolicy.ts"
import * as JobRecord from "./JobRecord.ts"
import { jobKey } from "./JobRun.ts"
import * as Report from "../report/Report.ts"
import * as Text from "../text/Text.ts"
import * as Instant from "../time/Instant.ts"

/**
 * How much a store selects.
 *
 * **Details**
 *
 * - `row`: job runs of the identity on the base. A longer row of failures weighs no more.
 * - `unstable`: executions with a failed attempt, per identity.
 * - `commits`: flakes of a test, its failures on other branches, and earlier commits of its branch with failures, that the facts hold.
 * - `next`: job runs of the default branch after a failure on it. Three are enough to distinguish a break from a flake.
 * - `runsElsewhere`: runs of the same job on other branches that are compared.
 * - `failures`: failed identities of a commit or a run that are judged, the first in their order. It bounds the work of one
 *   answer: judging one takes about a tenth of a millisecond.
 */
export const bounds = { row: 31, unstable: 32, commits: 16, next: 3, runsElsewhere: 16, failures: 2000 }

/**
 * The parts of a job run that facts refer to; `branch` is never null, `at` is when the job run finished, and `isOutage` is
 * whether health judges it as one (false when left out), and `failed` is how many executions failed in it, where that is known.
 */
export interface RunRecord extends Pick<
  Report.RunContext,
  "pipelineName" | "jobName" | "runId" | "runAttempt" | "commit" | "baseBranch"
> {
  readonly branch: string
  readonly at: Instant.Instant
  readonly isOutage?: boolean
  readonly failed?: number
}

/** How the test ended in a job run: passed when one of its executions passed, else failed. */
export interface OutcomeRecord {
  readonly conclusion: "passed" | "failed"
  readonly run: RunRecord
}

/** A passed or failed execution of the test with its job run; `signature` is that of its failed attempt. */
export interface ExecutionRecord extends OutcomeRecord {
  readonly id: string
  readonly at: Instant.Instant
  readonly signature: string | null
}

/**
 * The records on one failure.
 *
 * **Details**
 *
 * Everything is about the same test, each record once, in any order.
 *
 * - `job`: what the other tests of the same job run did.
 * - `reruns`: the executions of the identity on the commit of the failure, its own included.
 * - `siblings`: the outcomes in other jobs on the commit of the failure.
 * - `before`: the outcomes in pushes to the base branch and to the default branch, on other commits, in job runs that
 *   finished before the first job of the failure's run: the latest `bounds.row` of the identity, and the latest one of each
 *   other job.
 * - `unstable`: executions with a failed attempt (failed ones, and passes on retry) in every job within {@link memory} of
 *   that moment, the latest `bounds.unstable` of each identity that count ({@link counts}).
 * - `passes`: the outcomes of the same identities that passed, in runs on the commits of these executions.
 * - `elsewhere`: the latest `bounds.runsElsewhere` runs of the same job with failures on other branches that count, within
 *   the same hours; those in which the test failed.
 * - `run`, `totals`, `seen`: as in the facts (`FailureFacts`); not known when left out.
 * - `missing`: tests of the file that the failure stands for, which ran on the reference of its job run and not there
 *   (`UnloadedFiles.confirmed`); 0 when left out.
 * - `next`: the outcomes in the job runs that followed on the default branch (`FailureFacts.next`); none when left out.
 */
export interface FailureRecords {
  readonly failure: Facts.FailedExecution
  readonly defaultBranch: string
  readonly job: Facts.JobTotals
  readonly reruns: ReadonlyArray<ExecutionRecord>
  readonly siblings: ReadonlyArray<OutcomeRecord>
  readonly before: ReadonlyArray<OutcomeRecord>
  readonly unstable: ReadonlyArray<ExecutionRecord>
  readonly passes: ReadonlyArray<OutcomeRecord>
  readonly elsewhere: ReadonlyArray<Facts.JobRunElsewhere>
  readonly run?: JobRecord.JobRunFacts
  readonly totals?: Facts.IdentityTotals | null
  readonly seen?: number | null
  readonly missing?: number
  readonly next?: ReadonlyArray<OutcomeRecord>
}

/**
 * The time in which executions with a failed attempt count as the history of a failure, both ends included: from
 * `memoryDays` before its run until `elsewhereHours` after it. Later ones are left out, so that an answer about an old
 * failure stays what it was.
 */
export const memory = (
  asOf: Instant.Instant,
  { elsewhereHours, memoryDays }: Windows
): { readonly start: Instant.Instant; readonly end: Instant.Instant } => ({
  start: asOf - memoryDays * Instant.day,
  end: asOf + elsewhereHours * Instant.hour
})

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

/** The order of job runs: by their end, then by run id, attempt and commit. */
export const compareRuns = (a: RunRecord, b: RunRecord): number =>
  a.at - b.at || Text.compare(a.runId, b.runId) || a.runAttempt - b.runAttempt || Text.compare(a.commit, b.commit)

/** The facts that follow from the records that count ({@link counts}); the order of the records makes no difference. */
export const factsOf = (
  records: FailureRecords,
  quarantine: Facts.QuarantineFact | null = null
): Facts.FailureFacts => {
  const { failure, defaultBranch } = records
  const isSameKind = ({ run }: OutcomeRecord) =>
    (run.baseBranch !== null) === failure.isPullRequest && counts(run, failure)
  const unstable = records.unstable.filter(({ run }) => counts(run, failure))
  const passes = records.passes.filter(({ run }) => counts(run, failure))
  const branches = failure.base === defaultBranch ? [defaultBranch] : [failure.base, defaultBranch]
  const before = records.before.toSorted(order)
  const commits = tallies(
    unstable.filter(({ run }) => run.commit !== failure.commit),
    passes
  )
  const rows = branches.flatMap((branch) => rowOf(failure, branch, before, unstable))
  const unloaded = unloadedOf(records, rows)
  return {
    failure,
    defaultBranch,
    reruns: records.reruns
      .filter((one) => isSameKind(one) && one.id !== failure.id)
      .map(({ conclusion, id, run }) => ({ id, runId: run.runId, at: run.at, conclusion })),
    siblings: latestOfJobs(records.siblings.filter(isSameKind).toSorted(order)).map(({ conclusion, run }) => ({
      pipelineName: run.pipelineName,
      jobName: run.jobName,
      conclusion
    })),
    job: records.job,
    rows: unloaded === null ? rows : [],
    previousRuns: unloaded === null ? branches.flatMap((branch) => previousRunOf(branch, before)) : [],
    test: testRecordOf(failure, commits, defaultBranch),
    earlier: earlierOf(failure, commits),
    elsewhere: records.elsewhere.filter((one) => counts(one, failure)),
    quarantine,
    run: records.run ?? JobRecord.unknownRun,
    totals: records.totals ?? null,
    seen: records.seen ?? null,
    next: (records.next ?? []).toSorted(order).map((outcome) => baseOutcomeOf(outcome, unstable)),
    unloaded
  }
}

/** The file that a failure stands for. A file has no passes: where it failed on the base, a later run without a failure shows that it loads again. */
const unloadedOf = (
  { failure, missing = 0, run }: FailureRecords,
  rows: ReadonlyArray<Facts.BranchRow>
): Facts.UnloadedFile | null => {
  const hasPassed = rows.some(({ outcomes }) => outcomes.some(({ conclusion }) => conclusion === "passed"))
  const loadsAgain = (row: Facts.BranchRow) => run?.record.base.some(({ at }) => at > row.at) === true
  if (missing === 0 || hasPassed || !rows.every(loadsAgain)) return null
  return { file: failure.file ?? failure.testName, tests: missing }
}

const order = (a: OutcomeRecord, b: OutcomeRecord): number => compareRuns(a.run, b.run)

/** The last outcome of each job, from outcomes in order. */
const latestOfJobs = (sorted: ReadonlyArray<OutcomeRecord>): ReadonlyArray<OutcomeRecord> => [
  ...new Map(sorted.map((outcome) => [jobKey(outcome.run), outcome])).values()
]

const rowOf = (
  failure: Facts.FailedExecution,
  branch: string,
  before: ReadonlyArray<OutcomeRecord>,
  unstable: ReadonlyArray<ExecutionRecord>
): ReadonlyArray<Facts.BranchRow> => {
  const own = before.filter(({ run }) => run.branch === branch && jobKey(run) === jobKey(failure)).slice(-bounds.row)
  const last = own.at(-1)
  if (last === undefined) return []
  const { conclusion, run } = last
  const end = own.findLastIndex((outcome) => outcome.conclusion !== conclusion)
  return [
    {
      branch,
      conclusion,
      length: own.length - 1 - end,
      commit: run.commit,
      at: run.at,
      signature: conclusion === "failed" ? signatureIn(run, unstable) : null,
      outcomes: own.toReversed().map((outcome) => baseOutcomeOf(outcome, unstable))
    }
  ]
}

const baseOutcomeOf = (
  { conclusion, run }: OutcomeRecord,
  unstable: ReadonlyArray<ExecutionRecord>
): Facts.BaseOutcome => ({
  conclusion,
  commit: run.commit,
  at: run.at,
  isOutage: run.isOutage ?? false,
  signature: conclusion === "failed" ? signatureIn(run, unstable) : null
})

/** The signature of the last failure of a job run. */
const signatureIn = (run: RunRecord, unstable: ReadonlyArray<ExecutionRecord>): string | null =>
  unstable
    .filter((one) => Report.runKey(one.run) === Report.runKey(run) && one.run.commit === run.commit)
    .toSorted((a, b) => a.at - b.at || Text.compare(a.id, b.id))
    .at(-1)?.signature ?? null

const previousRunOf = (branch: string, before: ReadonlyArray<OutcomeRecord>): ReadonlyArray<Facts.PreviousRun> => {
  const latest = latestOfJobs(before.filter(({ run }) => run.branch === branch)).toSorted(order)
  const last = latest.at(-1)?.run
  if (last === undefined) return []
  const together = latest.filter(({ run }) => run.commit === last.commit && run.runId === last.runId)
  const failed = together.filter(({ conclusion }) => conclusion === "failed").length
  return [{ branch, passed: together.length - failed, failed }]
}

/** The results of one identity on one commit, or in one run of a pull request on it. */
interface Tally {
  readonly branch: string
  readonly jobName: string
  readonly job: string
  readonly commit: string
  at: Instant.Instant
  hasPassed: boolean
  failures: number | null
  readonly signatures: Set<string>
}

/** The base branch is merged into each run of a pull request, so that two runs on one commit may be on different code. */
const tallyKey = (run: RunRecord): string =>
  `${jobKey(run)}\0${run.commit}\0${run.baseBranch === null ? "" : run.runId}`

const tallies = (
  unstable: ReadonlyArray<ExecutionRecord>,
  passes: ReadonlyArray<OutcomeRecord>
): ReadonlyArray<Tally> => {
  const found = new Map<string, Tally>()
  for (const { conclusion, run, signature } of unstable) {
    const tally = found.get(tallyKey(run)) ?? emptyTally(run)
    found.set(tallyKey(run), tally)
    tally.at = Math.max(tally.at, run.at)
    if (run.failed !== undefined) tally.failures = Math.max(tally.failures ?? 0, run.failed)
    if (conclusion === "passed") tally.hasPassed = true
    if (signature !== null) tally.signatures.add(signature)
  }
  for (const { run } of passes) {
    const tally = found.get(tallyKey(run))
    if (tally === undefined) continue
    tally.at = Math.max(tally.at, run.at)
    tally.hasPassed = true
  }
  return [...found.values()].sort(
    (a, b) => a.at - b.at || Text.compare(a.commit, b.commit) || Text.compare(a.job, b.job)
  )
}

const emptyTally = (run: RunRecord): Tally => ({
  branch: run.branch,
  jobName: run.jobName,
  job: jobKey(run),
  commit: run.commit,
  at: run.at,
  hasPassed: false,
  failures: null,
  signatures: new Set()
})

/** A pass on a commit with a failed attempt is a flake; a failure without one, on another branch, may be one. */
const testRecordOf = (
  failure: Facts.FailedExecution,
  commits: ReadonlyArray<Tally>,
  defaultBranch: string
): Facts.TestRecord => {
  const flakes = commits.filter(({ hasPassed }) => hasPassed).slice(-bounds.commits)
  const isOther = ({ at, branch, hasPassed }: Tally) =>
    !hasPassed && branch !== failure.branch && branch !== failure.base && branch !== defaultBranch && at < failure.at
  return {
    flakes: flakes.map(({ at, commit, failures, jobName }) => ({ commit, jobName, at, failures })),
    signatures: [...new Set(flakes.flatMap(({ signatures }) => [...signatures]))].sort(Text.compare),
    others: commits
      .filter(isOther)
      .slice(-bounds.commits)
      .map(({ at, branch, commit, failures, jobName, signatures }) => ({
        branch,
        commit,
        jobName,
        at,
        failures,
        isSame: failure.signature !== null && signatures.has(failure.signature)
      }))
  }
}

const earlierOf = (failure: Facts.FailedExecution, commits: ReadonlyArray<Tally>): Facts.EarlierOnBranch => {
  const isEarlier = ({ at, branch, job }: Tally) =>
    branch === failure.branch && branch !== failure.base && job === jobKey(failure) && at < failure.at
  const earlier = commits.filter((tally) => isEarlier(tally) && !tally.hasPassed).slice(-bounds.commits)
  const countOf = (some: ReadonlyArray<Tally>) => new Set(some.map(({ commit }) => commit)).size
  const same = earlier.filter(({ signatures }) => failure.signature !== null && signatures.has(failure.signature))
  return { commits: countOf(earlier), same: countOf(same) }
}
