/**
 * The oracle: what every store must answer, computed anew for each question from a plain list of reports, by definitions
 * that follow the sentences of the semantics one by one and know neither state nor index. Slow, and easy to check.
 *
 * This file: the facts, and which of them are executions of the default branch.
 */
import type { Execution, PullRef, Quarantine, QueueEvent, QueuePause, Report, Repository } from "@lazaret/domain"
import type { LoggedEvent } from "@lazaret/store"

/** Everything that was ever written for one repository. */
export interface Facts {
  readonly owner: string
  readonly repository: string
  readonly createdAt: number
  settings: Repository.RepositorySettings
  readonly reports: Array<Report.Report>
  readonly pulls: Map<string, PullRef.PullRef>
  quarantines: ReadonlyArray<Quarantine.Quarantine>
  events: ReadonlyArray<QueueEvent.QueueEvent>
  pause: QueuePause.QueuePause | null
  configuration: string | null
  log: ReadonlyArray<LoggedEvent>
  lastPosition: number
}

/** One execution together with the run that it was part of. */
export interface Run {
  readonly execution: Execution.Execution
  readonly run: Report.RunContext
}

export const DAY = 86_400_000

/** Code-point order, by the code points. */
export const compareText = (a: string, b: string): number => {
  const left = Array.from(a, (character) => character.codePointAt(0) ?? 0)
  const right = Array.from(b, (character) => character.codePointAt(0) ?? 0)
  const differing = left.findIndex((point, index) => point !== right[index])
  if (differing === -1) return left.length - right.length
  return (left[differing] ?? -1) - (right[differing] ?? -1)
}

/** Order of executions: `finished_at`, then execution id (3.2). */
export const inOrder = (a: Run, b: Run): number =>
  a.execution.at - b.execution.at || compareText(a.execution.id, b.execution.id)

const isOfMergeQueue = (branch: string): boolean =>
  ["gh-readonly-queue/", "mergify/merge-queue/", "trunk-merge/"].some((prefix) => branch.startsWith(prefix))

/** The setting, else `main` or `master`, whichever has the earliest execution. */
export const defaultBranchOf = (facts: Facts): string => {
  if (facts.settings.defaultBranch !== null) return facts.settings.defaultBranch
  const earliest = (branch: string) =>
    Math.min(
      ...facts.reports
        .filter(({ run }) => run.branch === branch && run.baseBranch === null)
        .flatMap((report) => report.executions.map((execution) => execution.at))
    )
  return earliest("master") < earliest("main") ? "master" : "main"
}

/** Without a branch the default branch is meant; pull requests and merge queues never count as default branch. */
export const defaultRuns = (facts: Facts): ReadonlyArray<Run> => {
  const branch = defaultBranchOf(facts)
  return facts.reports
    .filter(({ run }) => run.baseBranch === null)
    .filter(({ run }) => run.branch === null || (run.branch === branch && !isOfMergeQueue(run.branch)))
    .flatMap((report) => report.executions.map((execution) => ({ execution, run: report.run })))
}

export interface Identity {
  readonly testName: string
  readonly pipelineName: string
  readonly jobName: string
}

export const identityOf = ({ execution, run }: Run): Identity => ({
  testName: execution.testName,
  pipelineName: run.pipelineName,
  jobName: run.jobName
})

export const isSameIdentity = (a: Identity, b: Identity): boolean =>
  a.testName === b.testName && a.pipelineName === b.pipelineName && a.jobName === b.jobName

export const compareIdentities = (a: Identity, b: Identity): number =>
  compareText(a.testName, b.testName) ||
  compareText(a.pipelineName, b.pipelineName) ||
  compareText(a.jobName, b.jobName)

/** Every identity once, in order. */
export const identitiesOf = (runs: ReadonlyArray<Run>): ReadonlyArray<Identity> =>
  runs
    .map(identityOf)
    .filter((identity, index, all) => all.findIndex((other) => isSameIdentity(identity, other)) === index)
    .toSorted(compareIdentities)

/** The executions of one identity, in order. */
export const runsOf = (runs: ReadonlyArray<Run>, identity: Identity): ReadonlyArray<Run> =>
  runs.filter((run) => isSameIdentity(identityOf(run), identity)).toSorted(inOrder)
