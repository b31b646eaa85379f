/** The rules of triage: which failed executions are asked about, and what each is compared with. */
import {
  Failure,
  FailureFacts,
  type FailurePrecision,
  FailureRecords,
  type Instant,
  PullHead,
  Report,
  Repository,
  TestIdentity,
  Text
} from "@lazaret/domain"
import type { AskedFailure, AskedRun, TriageJob, TriageRun, TriageSubject } from "./TriageStore.ts"

/** A failed execution as it is stored, with its job run. */
export interface FailedRow extends AskedFailure {
  readonly id: string
  readonly at: Instant.Instant
  readonly jobUrl: string | null
  readonly signature: string | null
  readonly run: TriageRun
  readonly attemptOf?: string
}

/**
 * A failure with what its records are selected by.
 *
 * **Details**
 *
 * - `run`: its job run. `branches`: the base branch and the default branch, each once.
 * - `asOf`: when the first job of its run finished.
 * - `together`: the names of the judged tests that failed in the same job run, its own included.
 */
export interface Question {
  readonly failure: FailureFacts.FailedExecution
  readonly run: TriageRun
  readonly branches: ReadonlyArray<string>
  readonly asOf: Instant.Instant
  readonly job: FailureFacts.JobTotals
  readonly together: ReadonlySet<string>
}

/** The branches that failures are compared with: the default one, and those that pull requests, not of forks, name as base. */
export interface Branches {
  readonly defaultBranch: string
  readonly bases: ReadonlySet<string>
}

type OnBranch = Pick<Report.RunContext, "branch" | "baseBranch">

/** The branch that a run is compared with (`FailureFacts.FailedExecution`). */
export const baseOf = ({ baseBranch, branch }: OnBranch, { bases, defaultBranch }: Branches): string =>
  baseBranch ?? (branch !== null && bases.has(branch) ? branch : defaultBranch)

/** Whether a run is a push to a branch. */
export const isPushTo = (run: OnBranch, branch: string, defaultBranch: string): boolean =>
  branch === defaultBranch
    ? Repository.isDefaultBranch(run, defaultBranch)
    : run.baseBranch === null && run.branch === branch

/** The runs of a subject: those that count, those of forks that do not, and their commit. */
export interface Taken extends PullHead.Taken<TriageRun> {
  readonly commit: string
}

/** The runs that count among those of a subject, one at least: those of its run, or those on its commits. */
export const takenOf = (runs: ReadonlyArray<TriageRun>, subject: TriageSubject): Taken => {
  switch (subject._tag) {
    case "Commit":
      return { commit: subject.commit, ...PullHead.ofCommit(runs, subject.heads) }
    case "Run": {
      const taken = PullHead.ofRun(runs)
      return { commit: lastOf(taken.counted).commit, ...taken }
    }
    case "Latest": {
      const { counted, forks } = PullHead.ofPull(runs, subject.heads)
      const commit = latestCommit(counted.length > 0 ? counted : forks) ?? ""
      const isOn = (run: TriageRun) => run.commit === commit
      return { commit, counted: counted.filter(isOn), forks: forks.filter(isOn) }
    }
  }
}

/**
 * The failed executions of some runs.
 *
 * **Details**
 *
 * - `identities`: how many identities failed; `rows`: the failed executions of the first `FailureRecords.bounds.failures` of
 *   them.
 * - `silent`: how many executions of each run failed without a message, whatever their identity (`FailureFacts.isSilent`).
 */
export interface Failed {
  readonly identities: number
  readonly rows: ReadonlyArray<FailedRow>
  readonly silent: ReadonlyMap<TriageRun, number>
}

/** The failed executions of some runs, from all of them. */
export const failedOf = (all: ReadonlyArray<FailedRow>): Failed => {
  const identities = [...Map.groupBy(all, (row) => TestIdentity.key(identityOf(row))).values()]
    .flatMap(([row]) => (row === undefined ? [] : [identityOf(row)]))
    .sort(TestIdentity.IdentityOrder)
  const judged = new Set(identities.slice(0, FailureRecords.bounds.failures).map(TestIdentity.key))
  return {
    identities: identities.length,
    rows: all.filter((row) => judged.has(TestIdentity.key(identityOf(row)))),
    silent: silentOf(all)
  }
}

/** One question for each identity: its latest failed execution, a fork's where there is no other; in the order of identities. */
export const questionsOf = (
  { rows, silent }: Failed,
  runs: ReadonlyArray<TriageRun>,
  branches: Branches
): ReadonlyArray<Question> => {
  const latest = new Map<string, FailedRow>()
  for (const row of rows) {
    const key = TestIdentity.key(identityOf(row))
    const other = latest.get(key)
    if (other === undefined || isBefore(other, row)) latest.set(key, row)
  }
  const together = new Map(
    [...Map.groupBy(rows, ({ run }) => run)].map(([run, list]) => [run, togetherOf(run, list, silent)])
  )
  return [...latest.values()]
    .sort((a, b) => TestIdentity.IdentityOrder(identityOf(a), identityOf(b)))
    .map((row) => questionOf(row, together.get(row.run) ?? togetherOf(row.run, [], silent), runs, branches))
}

/** One question for each failure of a job run that no report has brought yet, in the order given. */
export const askedOf = (
  { at, failures, passed, run: asked }: AskedRun,
  runs: ReadonlyArray<TriageRun>,
  branches: Branches
): ReadonlyArray<Question> => {
  const { jobUrl, ...context } = asked
  const branch = asked.branch ?? branches.defaultBranch
  const run = { ...context, branch, at, passed, failed: failures.length }
  const rows = failures.map((failure): FailedRow => {
    const exception = { type: failure.exceptionType, message: failure.message, stacktrace: null }
    return { ...failure, id: "", at, jobUrl, signature: Failure.signatureOf(exception), run }
  })
  const together = togetherOf(run, rows, silentOf(rows))
  return rows.map((row) => questionOf(row, together, [...runs, run], branches))
}

/** Whether the runs that followed say something about a failure: it is on the default branch. */
export const isFollowed = ({ failure }: Question, { defaultBranch }: Branches): boolean =>
  !failure.isPullRequest && failure.branch === defaultBranch

/** The first job runs after one, of runs of its job and branch on other commits that finished later. */
export const firstOf = <Run extends { readonly run: FailureRecords.RunRecord }>(
  later: ReadonlyArray<Run>
): ReadonlyArray<Run> =>
  later.toSorted((a, b) => FailureRecords.compareRuns(a.run, b.run)).slice(0, FailureRecords.bounds.next)

/** The reruns without the executions that report the asked failures themselves: the same job run, failed. */
export const withoutAsked = (
  { run }: AskedRun,
  reruns: ReadonlyArray<FailureRecords.ExecutionRecord>
): ReadonlyArray<FailureRecords.ExecutionRecord> =>
  reruns.filter((one) => one.conclusion === "passed" || Report.runKey(one.run) !== Report.runKey(run))

/** The later job runs on the same code among the outcomes of an identity on the commit of a verdict. */
export const rerunsAfter = (
  { at, runId }: FailurePrecision.FirstVerdict,
  onCommit: ReadonlyArray<FailureRecords.OutcomeRecord>
): FailurePrecision.Reruns => {
  const later = onCommit.filter(
    ({ run }) => run.at > at && !Report.isFork(run) && (runId === null ? run.baseBranch === null : run.runId === runId)
  )
  const passed = later.filter(({ conclusion }) => conclusion === "passed").length
  return { passed, failed: later.length - passed }
}

/** The jobs of the last of some runs that began together, from the latest run of each job. */
export const jobsOfLast = (latest: ReadonlyArray<FailureRecords.RunRecord>): ReadonlyArray<TriageJob> =>
  [...Map.groupBy(latest, ({ pipelineName }) => pipelineName).values()].flatMap((runs) => {
    const last = lastOf(runs)
    const together = runs.filter(({ commit, runId }) => commit === last.commit && runId === last.runId)
    const start = Math.min(...together.map(({ at }) => at))
    return together
      .map(({ at, jobName, pipelineName }) => ({ pipelineName, jobName, after: at - start }))
      .sort((a, b) => Text.compare(a.jobName, b.jobName))
  })

/** The last of some runs, one at least. */
export const lastOf = <Run extends FailureRecords.RunRecord>(runs: ReadonlyArray<Run>): Run =>
  runs.reduce((a, b) => (FailureRecords.compareRuns(a, b) < 0 ? b : a))

/** The commit of which a run, of a pull request and of no fork where there is one, finished last; null without runs. */
export const latestCommit = (runs: ReadonlyArray<FailureRecords.RunRecord>): string | null => {
  const pulls = runs.filter(({ baseBranch }) => baseBranch !== null)
  const among = FailureRecords.ownOf(pulls.length > 0 ? pulls : runs)
  return among.length === 0 ? null : lastOf(among).commit
}

interface Together {
  readonly run: TriageRun
  readonly silent: number
  readonly names: ReadonlySet<string>
}

const togetherOf = (run: TriageRun, rows: ReadonlyArray<FailedRow>, silent: Failed["silent"]): Together => ({
  run,
  silent: silent.get(run) ?? 0,
  names: new Set(rows.map(({ testName }) => testName))
})

const silentOf = (rows: ReadonlyArray<FailedRow>): Failed["silent"] =>
  new Map(
    [...Map.groupBy(rows.filter(FailureFacts.isSilent), ({ run }) => run)].map(([run, { length }]) => [run, length])
  )

const questionOf = (
  row: FailedRow,
  { names, run, silent }: Together,
  runs: ReadonlyArray<TriageRun>,
  branches: Branches
): Question => {
  const base = baseOf(run, branches)
  return {
    failure: failureOf(row, base),
    run,
    branches: base === branches.defaultBranch ? [base] : [base, branches.defaultBranch],
    asOf: runs.reduce((least, other) => (isTogether(other, run) ? Math.min(least, other.at) : least), run.at),
    job: {
      passed: run.passed,
      failed: Math.max(0, run.failed - 1),
      silent: silent - (FailureFacts.isSilent(row) ? 1 : 0)
    },
    together: names
  }
}

const isTogether = (a: TriageRun, b: TriageRun): boolean =>
  a.runId === b.runId && a.runAttempt === b.runAttempt && a.commit === b.commit && FailureRecords.counts(a, b)

const failureOf = ({ jobUrl, run, ...row }: FailedRow, base: string): FailureFacts.FailedExecution =>
  FailureFacts.failedExecution({ ...run, jobUrl }, row, base)

const identityOf = ({ run: { jobName, pipelineName }, testName }: FailedRow): TestIdentity.TestIdentity => ({
  testName,
  pipelineName,
  jobName
})

const isBefore = (a: FailedRow, b: FailedRow): boolean =>
  Report.isFork(a.run) === Report.isFork(b.run) ? isLater(b, a) : Report.isFork(a.run)

const isLater = (a: FailedRow, b: FailedRow): boolean =>
  a.run.at !== b.run.at ? a.run.at > b.run.at : a.at !== b.at ? a.at > b.at : Text.compare(a.id, b.id) > 0
