/** Commits and the outcomes of their job runs: the list from which people find their commit or pull request. */
import { compareRuns, ownOf, type RunRecord } from "./FailureRecords.ts"
import { jobKey } from "./JobRun.ts"
import * as Report from "../report/Report.ts"
import * as Text from "../text/Text.ts"
import * as Instant from "../time/Instant.ts"

/** A job run with the number of its passed and failed executions. */
export interface CountedRun extends RunRecord {
  readonly passed: number
  readonly failed: number
}

/**
 * A commit and the outcomes of its jobs.
 *
 * **Details**
 *
 * Counts the latest run of each job: a rerun that passes replaces the failed one. Runs of forks count only where the
 * repository has none of its own.
 */
export interface CommitSummary {
  readonly commit: string
  /** The branch of the latest run; of a pull request's run where there is one. */
  readonly branch: string
  /** The base branch of a pull request; null for a push. */
  readonly baseBranch: string | null
  /** Whether every run of the commit is of a fork. */
  readonly isFork: boolean
  /** When the latest job run finished. */
  readonly at: Instant.Instant
  /** The ids of the runs, the latest first. */
  readonly runIds: ReadonlyArray<string>
  readonly jobs: number
  readonly failedJobs: number
  readonly passed: number
  readonly failed: number
}

/** The bounds of the list: the latest commits, whose latest job run finished within `days` days. */
export const bounds = { commits: 1000, days: 30 }

/**
 * The commits of job runs, the latest first, at most `bounds.commits`; those that finished at the same instant in the order of
 * their hashes.
 *
 * @example
 * ```ts
 * import { CommitSummary } from "@lazaret/domain"
 *
 * const run = {
 *   pipelineName: "CI", jobName: "unit", runId: "7", commit: "4f1c", branch: "main", baseBranch: null, passed: 40
 * }
 * const [commit] = CommitSummary.of([
 *   { ...run, runAttempt: 1, at: 1, failed: 2 },
 *   { ...run, runAttempt: 2, at: 2, failed: 0 }
 * ])
 * commit?.failedJobs // => 0
 * ```
 */
export const of = (runs: ReadonlyArray<CountedRun>): ReadonlyArray<CommitSummary> =>
  [...Map.groupBy(runs, ({ commit }) => commit).values()]
    .flatMap((ofCommit) => summaryOf(ofCommit))
    .sort(compare)
    .slice(0, bounds.commits)

/** The order of the list. */
export const compare = (a: CommitSummary, b: CommitSummary): number => b.at - a.at || Text.compare(a.commit, b.commit)

/**
 * The latest commit of each pull request, in the order given: those of one branch and base branch are one pull request.
 */
export const pullRequests = (commits: ReadonlyArray<CommitSummary>): ReadonlyArray<CommitSummary> => {
  const seen = new Set<string>()
  return commits.filter(({ baseBranch, branch }) => {
    const key = `${branch}\0${baseBranch}`
    const isLatest = baseBranch !== null && !seen.has(key)
    seen.add(key)
    return isLatest
  })
}

const summaryOf = (runs: ReadonlyArray<CountedRun>): ReadonlyArray<CommitSummary> => {
  const own = ownOf(runs).toSorted((a, b) => compareRuns(a, b) || Text.compare(jobKey(a), jobKey(b)))
  const latest = own.at(-1)
  if (latest === undefined) return []
  const named = own.findLast(({ baseBranch }) => baseBranch !== null) ?? latest
  const jobs = [...new Map(own.map((run) => [jobKey(run), run])).values()]
  return [
    {
      commit: latest.commit,
      branch: named.branch,
      baseBranch: named.baseBranch,
      isFork: Report.isFork(latest),
      at: runs.reduce((last, { at }) => Math.max(last, at), 0),
      runIds: [...new Set(own.toReversed().map(({ runId }) => runId))],
      jobs: jobs.length,
      failedJobs: jobs.filter(({ failed }) => failed > 0).length,
      passed: sum(jobs, ({ passed }) => passed),
      failed: sum(jobs, ({ failed }) => failed)
    }
  ]
}

const sum = (runs: ReadonlyArray<CountedRun>, count: (run: CountedRun) => number): number =>
  runs.reduce((total, run) => total + count(run), 0)
