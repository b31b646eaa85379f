/**
 * How tests ended in job runs of branches other than the default one. Those of forks are counted apart.
 *
 * Nothing here moves health; it says where else a test runs and fails.
 */
import * as Report from "../report/Report.ts"
import * as TestIdentity from "../report/TestIdentity.ts"
import { counted } from "./FailureEvidence.ts"
import { compareRuns, type RunRecord } from "./FailureRecords.ts"

/**
 * How far a store looks back.
 *
 * **Details**
 *
 * - `days`: job runs that finished earlier are left out.
 * - `runsPerJob`: of each job the latest runs of other branches are read, whether or not the test ran in them.
 */
export const bounds = { days: 30, runsPerJob: 200 }

/** How a test ended in a job run of another branch: passed when one of its executions passed, else failed. */
export interface BranchRun {
  readonly testName: string
  readonly conclusion: "passed" | "failed"
  readonly run: RunRecord
}

/** In how many job runs of how many other branches an identity passed and failed, and its latest run there. */
export interface BranchTotals extends TestIdentity.TestIdentity {
  readonly passed: number
  readonly failed: number
  readonly branches: number
  readonly last: BranchRun
}

/** The runs of the repository itself, and those of forks. */
export const partition = <Run extends Pick<BranchRun, "run">>(
  runs: ReadonlyArray<Run>
): { readonly own: ReadonlyArray<Run>; readonly forks: ReadonlyArray<Run> } => ({
  own: runs.filter(({ run }) => !Report.isFork(run)),
  forks: runs.filter(({ run }) => Report.isFork(run))
})

/** The totals of each identity without forks, in the order of identities; the order of the runs makes no difference. */
export const totals = (runs: ReadonlyArray<BranchRun>): ReadonlyArray<BranchTotals> =>
  [...Map.groupBy(partition(runs).own, (one) => TestIdentity.key(identityOf(one))).values()]
    .flatMap((list) => {
      const last = list.toSorted((a, b) => compareRuns(a.run, b.run)).at(-1)
      return last === undefined ? [] : [{ ...identityOf(last), ...tally(list), last }]
    })
    .sort(TestIdentity.IdentityOrder)

/**
 * One sentence about the runs of one test on other branches; null without such runs.
 *
 * @example
 * ```ts
 * import { BranchRun } from "@lazaret/domain"
 *
 * BranchRun.sentence([], true) // => null
 * BranchRun.sentence([], false) // => "It has not run on the default branch, and in no job run of another branch in the last 30 days."
 * ```
 */
export const sentence = (runs: ReadonlyArray<BranchRun>, hasRunOnDefaultBranch: boolean): string | null => {
  const { forks, own } = partition(runs)
  const sentences = [
    ...(hasRunOnDefaultBranch ? [] : [own.length === 0 ? neverRun : "It has not run on the default branch."]),
    ...(own.length === 0
      ? []
      : [`It ${outcomeOf(own)} of ${counted(tally(own).branches, "other branch", "es")} ${span}.`]),
    ...(forks.length === 0 ? [] : [`Apart from that, it ${outcomeOf(forks)} of forks.`])
  ]
  return sentences.length === 0 ? null : sentences.join(" ")
}

const span = `in the last ${bounds.days} days`

const neverRun = `It has not run on the default branch, and in no job run of another branch ${span}.`

const outcomeOf = (runs: ReadonlyArray<BranchRun>): string => {
  const { failed, passed } = tally(runs)
  return failed === 0
    ? `passed in ${counted(passed, "job run")}`
    : `failed in ${failed} of ${counted(passed + failed, "job run")}`
}

const tally = (runs: ReadonlyArray<BranchRun>) => {
  const failed = runs.filter(({ conclusion }) => conclusion === "failed").length
  return { passed: runs.length - failed, failed, branches: new Set(runs.map(({ run }) => run.branch)).size }
}

const identityOf = ({ run: { jobName, pipelineName }, testName }: BranchRun): TestIdentity.TestIdentity => ({
  testName,
  pipelineName,
  jobName
})
