/** The job runs of a repository in memory: by key, in the order in which they finished, by commit and by run id. */
import { FailureRecords, type Instant, Report } from "@lazaret/domain"
import type * as JobRun from "../report/JobRun.ts"
import type { RunEntry } from "./RepositoryEntry.ts"

/** The runs of one pipeline and job; `ordered` is in the order in which they finished. */
export interface JobRuns {
  readonly byKey: Map<string, RunEntry>
  readonly ordered: Array<RunEntry>
}

/** The runs of a repository; `bases` are the base branches that runs of no fork name. */
export interface RunIndex {
  readonly byJob: Map<string, JobRuns>
  readonly byCommit: Map<string, Array<RunEntry>>
  readonly byRunId: Map<string, Array<RunEntry>>
  readonly bases: Set<string>
}

/** No runs. */
export const make = (): RunIndex => ({ byJob: new Map(), byCommit: new Map(), byRunId: new Map(), bases: new Set() })

/** The runs of a pipeline and job (`RepositoryEntry.jobKey`); they are added when it is new. */
export const jobOf = ({ byJob }: RunIndex, jobKey: string): JobRuns => {
  const known = byJob.get(jobKey)
  if (known !== undefined) return known
  const made: JobRuns = { byKey: new Map(), ordered: [] }
  byJob.set(jobKey, made)
  return made
}

/** Adds a new run of a job. */
export const add = (index: RunIndex, job: JobRuns, run: RunEntry): void => {
  job.byKey.set(run.key, run)
  insert(job.ordered, run)
  name(index, run)
}

/** Replaces the totals of a run, by which it is ordered. */
export const update = ({ ordered }: JobRuns, run: RunEntry, totals: JobRun.RunTotals): void => {
  ordered.splice(ordered.lastIndexOf(run), 1)
  run.totals = totals
  insert(ordered, run)
}

/** Removes the runs for which a condition holds. */
export const remove = (index: RunIndex, isRemoved: (job: JobRuns, run: RunEntry) => boolean): void => {
  index.byCommit.clear()
  index.byRunId.clear()
  index.bases.clear()
  for (const job of index.byJob.values()) {
    const kept = job.ordered.filter((run) => !isRemoved(job, run))
    job.byKey.clear()
    job.ordered.length = 0
    for (const run of kept) {
      job.byKey.set(run.key, run)
      job.ordered.push(run)
      name(index, run)
    }
  }
}

/** The number of runs of a job that finished before an instant: those at the beginning of `ordered`. */
export const countBefore = ({ ordered }: JobRuns, instant: Instant.Instant): number => {
  let [low, high] = [0, ordered.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ordered[middle]?.totals.at ?? Infinity) < instant) low = middle + 1
    else high = middle
  }
  return low
}

/** The runs of a job that finished from an instant on, the first of them first. */
export const since = (job: JobRuns, instant: Instant.Instant): ReadonlyArray<RunEntry> =>
  job.ordered.slice(countBefore(job, instant))

/** The runs of a job that finished before an instant, the last of them first. */
export function* before(job: JobRuns, instant: Instant.Instant): Generator<RunEntry> {
  for (let index = countBefore(job, instant) - 1; index >= 0; index--) {
    const run = job.ordered[index]
    if (run !== undefined) yield run
  }
}

const insert = (ordered: Array<RunEntry>, run: RunEntry): void => {
  const index = ordered.findLastIndex((other) => compare(other, run) <= 0)
  ordered.splice(index + 1, 0, run)
}

const compare = (a: RunEntry, b: RunEntry): number => FailureRecords.compareRuns(recordOf(a), recordOf(b))

const recordOf = ({ context, totals }: RunEntry) => ({ ...context, branch: context.branch ?? "", at: totals.at })

const name = ({ bases, byCommit, byRunId }: RunIndex, run: RunEntry): void => {
  const { baseBranch, commit, runId } = run.context
  push(byCommit, commit, run)
  push(byRunId, runId, run)
  if (baseBranch !== null && !Report.isFork(run.context)) bases.add(baseBranch)
}

const push = (lists: Map<string, Array<RunEntry>>, key: string, run: RunEntry): void => {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [run])
  else list.push(run)
}
