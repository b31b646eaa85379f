/** The tests that job runs executed, in memory: selected on every read. */
import { Instant, MissingFacts, Report, Repository, Steps, TestSet, Text } from "@lazaret/domain"
import * as JobHistories from "../insight/JobHistories.ts"
import type { MissingQuery, MissingStore } from "../insight/MissingStore.ts"
import * as MemoryState from "./MemoryState.ts"
import type * as RepositoryEntry from "./RepositoryEntry.ts"
import type { JobRuns } from "./RunIndex.ts"

/** The histories over a memory state. */
export const make =
  (state: MemoryState.MemoryState): MissingStore["Service"]["histories"] =>
  (ref, query, judge) =>
    MemoryState.read(state, ref, (repository) =>
      repository === undefined ? [] : groupsOf(repository, query).map((group) => judged(repository, group, judge))
    )

/** A job with its runs. */
interface Job extends JobHistories.Job {
  readonly all: JobRuns
}

interface Group {
  readonly jobs: ReadonlyArray<Job>
  readonly histories: ReadonlyArray<MissingFacts.JobHistory>
}

const groupsOf = (repository: RepositoryEntry.RepositoryEntry, query: MissingQuery): ReadonlyArray<Group> => {
  const since = Math.max(repository.horizon, query.now - MissingFacts.bounds.days * Instant.day)
  const jobs = [...repository.runs.byJob].map(([key, all]) => {
    const [pipelineName = "", jobName = ""] = key.split("\0")
    return { pipelineName, jobName, all }
  })
  return JobHistories.groupsOf(JobHistories.latest(jobs, ({ all }) => lastOf(repository, all, since)))
    .map((group) => ({ jobs: group, histories: group.map((job) => historyOf(repository, job, { query, since })) }))
    .filter(({ histories }) => query.runs === null || histories.some(({ own }) => own.length > 0))
}

const isBase = (repository: RepositoryEntry.RepositoryEntry, { context }: RepositoryEntry.RunEntry): boolean =>
  Repository.isDefaultBranch(context, repository.defaultBranch)

const lastOf = (
  repository: RepositoryEntry.RepositoryEntry,
  { ordered }: JobRuns,
  since: Instant.Instant
): Instant.Instant | null =>
  ordered.reduce<number | null>(
    (last, run) => (run.totals.at >= since && isBase(repository, run) ? Math.max(last ?? 0, run.totals.at) : last),
    null
  )

const historyOf = (
  repository: RepositoryEntry.RepositoryEntry,
  { all, jobName, pipelineName }: Job,
  { query: { runs: asked }, since }: { readonly query: MissingQuery; readonly since: Instant.Instant }
): MissingFacts.JobHistory => {
  const isAsked = ({ context }: RepositoryEntry.RunEntry) =>
    asked !== null && context.commit === asked.commit && asked.runIds.includes(context.runId)
  const isInTime = ({ totals: { at } }: RepositoryEntry.RunEntry) =>
    at >= since && (asked === null || at < asked.before)
  const others = all.ordered.filter((run) => !isAsked(run) && isInTime(run))
  const latest = (runs: ReadonlyArray<RepositoryEntry.RunEntry>, most: number) =>
    runs.toSorted(inTime).slice(-most).map(setOf)
  const isElsewhere = (run: RepositoryEntry.RunEntry) => !isBase(repository, run) && !Report.isFork(run.context)
  return {
    pipelineName,
    jobName,
    runs: latest(
      others.filter((run) => isBase(repository, run)),
      MissingFacts.bounds.runs
    ),
    others: asked === null ? [] : latest(others.filter(isElsewhere), MissingFacts.bounds.elsewhere),
    own: all.ordered.filter(isAsked).map(setOf)
  }
}

const inTime = (a: RepositoryEntry.RunEntry, b: RepositoryEntry.RunEntry): number =>
  a.totals.at - b.totals.at ||
  Text.compare(a.context.runId, b.context.runId) ||
  a.context.runAttempt - b.context.runAttempt

const setOf = ({ context, failed, passed, totals }: RepositoryEntry.RunEntry): MissingFacts.JobRunSet => ({
  runId: context.runId,
  at: totals.at,
  commit: context.commit,
  ran: TestSet.union(passed, failed)
})

const judged = <A>(
  repository: RepositoryEntry.RepositoryEntry,
  { histories, jobs }: Group,
  judge: MissingFacts.Judge<A>
): MissingFacts.Named<A> => {
  const { asked, value } = Steps.finish(judge(histories))
  return { value, found: asked.map((each) => namesIn(repository, jobs, each)) }
}

const namesIn = (
  { numbers, runs }: RepositoryEntry.RepositoryEntry,
  jobs: ReadonlyArray<Job>,
  { runId, tests }: MissingFacts.NamesAsked
): MissingFacts.NamesFound => {
  const isAsked = (name: string) => TestSet.has(tests, numbers.get(name) ?? -1)
  const skipped = (runId === null ? [] : (runs.byRunId.get(runId) ?? []))
    .filter(({ context }) =>
      jobs.some((job) => job.jobName === context.jobName && job.pipelineName === context.pipelineName)
    )
    .flatMap(({ executions }) => executions.filter(({ conclusion }) => conclusion === "skipped"))
    .map(({ fact }) => fact.testName)
  return {
    names: JobHistories.namesOf([...numbers.keys()].filter((name) => !name.startsWith("\0") && isAsked(name))),
    skipped: new Set(skipped.filter(isAsked)).size
  }
}
