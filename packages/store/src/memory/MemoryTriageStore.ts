/** The records on failures in memory: selected on every read from the job runs and the executions themselves. */
import {
  CommitSummary,
  type FailureFacts,
  FailureRecords,
  Instant,
  JobRun as Job,
  Report,
  TestSet,
  Text
} from "@lazaret/domain"
import { Option } from "effect"
import * as Rule from "../failure/Triage.ts"
import { type TriageRun, TriageStore, type TriageSubject } from "../failure/TriageStore.ts"
import * as JobRun from "../report/JobRun.ts"
import type { StoredExecution } from "./IdentityEntry.ts"
import * as MemoryJobRuns from "./MemoryJobRuns.ts"
import * as MemoryState from "./MemoryState.ts"
import type * as RepositoryEntry from "./RepositoryEntry.ts"
import * as RunIndex from "./RunIndex.ts"
import {
  failedIn,
  isSameJob,
  type Named,
  namedOf,
  onCommits,
  runWith,
  select,
  type Selection,
  signatureOf
} from "./TriageSelection.ts"

/** The triage port over a memory state. */
export const make = (state: MemoryState.MemoryState): TriageStore["Service"] =>
  TriageStore.of({
    failures: (ref, subject, windows) =>
      MemoryState.read(state, ref, (repository) => {
        const selection = select(repository, windows)
        const all = ofSubject(selection, subject)
        if (all.length === 0) return Option.none()
        const taken = Rule.takenOf(
          all.map(({ run }) => run),
          subject
        )
        const runs = taken.counted
        const named = all.filter(({ run }) => runs.includes(run))
        const beside = onCommits(
          selection,
          runs.map(({ commit }) => commit)
        )
        const failed = Rule.failedOf(rowsOf(named))
        const questions = Rule.questionsOf(
          failed,
          beside.map(({ run }) => run),
          selection
        )
        return Option.some({
          identities: failed.identities,
          commit: taken.commit,
          runs,
          forks: taken.forks,
          expected: expectedBy(selection, runs),
          failures: questions.map((question) => FailureRecords.factsOf(recordsOf(selection, question)))
        })
      }),
    asked: (ref, asked, windows) =>
      MemoryState.read(state, ref, (repository) => {
        const selection = select(repository, windows)
        const beside = onCommits(selection, [asked.run.commit]).map(({ run }) => run)
        return Rule.askedOf(asked, beside, selection).map((question) => {
          const records = recordsOf(selection, question)
          return FailureRecords.factsOf({ ...records, reruns: Rule.withoutAsked(asked, records.reruns) })
        })
      }),
    signatures: (ref, wanted) =>
      MemoryState.read(state, ref, (repository) => {
        const selection = select(repository, { elsewhereHours: 0, memoryDays: 0 })
        return wanted.map(({ testName, until }) => {
          const unstable = latestUnstable(selection, testName, ({ at, run }) => at <= until && !Report.isFork(run))
          return [...new Set(unstable.flatMap(({ signature }) => signature ?? []))].sort(Text.compare)
        })
      }),
    commits: (ref, since) =>
      MemoryState.read(state, ref, (repository) => {
        if (repository === undefined) return []
        const runs = [...repository.runs.byCommit.values()]
          .flat()
          .map((run) => namedOf(run, repository.defaultBranch).run)
        return CommitSummary.of(runs).filter(({ at }) => at >= since)
      }),
    reruns: (ref, verdicts) =>
      MemoryState.read(state, ref, (repository) => {
        const selection = select(repository, { elsewhereHours: 0, memoryDays: 0 })
        return verdicts.map((verdict) =>
          Rule.rerunsAfter(
            verdict,
            outcomesOn(selection, verdict.testName, [verdict.commit]).filter(({ run }) => isSameJob(run, verdict))
          )
        )
      })
  })

const ofSubject = (selection: Selection, subject: TriageSubject): ReadonlyArray<Named> => {
  const { defaultBranch, entry } = selection
  switch (subject._tag) {
    case "Commit":
      return onCommits(selection, [subject.commit])
    case "Run":
      return (entry.runs.byRunId.get(subject.runId) ?? []).map((run) => namedOf(run, defaultBranch))
    case "Latest":
      return onCommits(selection, subject.commits)
  }
}

const rowsOf = (runs: ReadonlyArray<Named>): ReadonlyArray<Rule.FailedRow> =>
  runs.flatMap(({ entry, run }) => failedIn(entry).map((one) => rowOf(one, run)))

const rowOf = (execution: StoredExecution, run: TriageRun): Rule.FailedRow => ({
  id: execution.id,
  testName: execution.fact.testName,
  at: execution.at,
  attempts: execution.reruns + 1,
  exceptionType: execution.exceptionType,
  message: execution.fact.exception?.message ?? null,
  file: execution.fact.filepath,
  jobUrl: execution.jobUrl,
  signature: signatureOf(execution),
  run,
  ...(execution.fact.attemptOf !== undefined && { attemptOf: execution.fact.attemptOf })
})

/** The jobs of the last runs on the base branches of these runs. */
const expectedBy = (selection: Selection, all: ReadonlyArray<TriageRun>) => {
  if (all.length === 0) return []
  const runs = FailureRecords.ownOf(all)
  const asOf = Math.min(...runs.map(({ at }) => at))
  const commits = new Set(runs.map(({ commit }) => commit))
  const pipelines = Map.groupBy(runs, ({ pipelineName }) => pipelineName)
  return Rule.jobsOfLast(
    [...selection.entry.runs.byJob.values()].flatMap((job) => {
      const ofPipeline = pipelines.get(job.ordered[0]?.context.pipelineName ?? "")
      if (ofPipeline === undefined) return []
      const base = Rule.baseOf(Rule.lastOf(ofPipeline), selection)
      return lastPushes(selection, job, {
        branch: base,
        before: asOf,
        count: 1,
        isWanted: ({ context }) => !commits.has(context.commit)
      }).map(({ run }) => run)
    })
  )
}

/** A query for the last pushes to a branch that finished before an instant. */
interface Pushes {
  readonly branch: string
  readonly before: Instant.Instant
  readonly count: number
  readonly isWanted: (run: RepositoryEntry.RunEntry) => boolean
}

const lastPushes = (
  { defaultBranch }: Selection,
  job: RunIndex.JobRuns,
  { before, branch, count, isWanted }: Pushes
): ReadonlyArray<Named> => {
  const found: Array<Named> = []
  for (let index = RunIndex.countBefore(job, before) - 1; index >= 0 && found.length < count; index--) {
    const entry = job.ordered[index]
    if (entry === undefined || !isWanted(entry)) continue
    const named = namedOf(entry, defaultBranch)
    if (Rule.isPushTo(named.run, branch, defaultBranch)) found.push(named)
  }
  return found
}

const recordsOf = (selection: Selection, question: Rule.Question): FailureRecords.FailureRecords => {
  const { asOf, failure, job } = question
  const { start, end } = FailureRecords.memory(asOf, selection.windows)
  const unstable = latestUnstable(
    selection,
    failure.testName,
    ({ at, run }) => start <= at && at <= end && FailureRecords.counts(run, failure)
  )
  const commits = new Set(unstable.map(({ run }) => `${Job.jobKey(run)}\0${run.commit}`))
  const onCommit = outcomesOn(selection, failure.testName, [failure.commit])
  const { facts, unloaded } = MemoryJobRuns.knownOf(selection, question)
  return {
    failure,
    defaultBranch: selection.defaultBranch,
    job,
    reruns: onCommit
      .filter(({ run }) => isSameJob(run, failure))
      .flatMap((one) => executionsIn(selection, one, failure.testName)),
    siblings: onCommit.filter(({ run }) => !isSameJob(run, failure)),
    before: beforeOf(selection, question),
    unstable,
    passes: outcomesOn(
      selection,
      failure.testName,
      unstable.map(({ run }) => run.commit)
    ).filter(({ conclusion, run }) => conclusion === "passed" && commits.has(`${Job.jobKey(run)}\0${run.commit}`)),
    elsewhere: elsewhereOf(selection, question),
    run: facts,
    missing: unloaded.get(failure.testName) ?? 0,
    next: nextOf(selection, question),
    totals: MemoryJobRuns.totalsBefore(selection, failure, asOf),
    seen: MemoryJobRuns.seenBefore(selection, failure)
  }
}

/** How a test ended in a run, with the run as it is stored. */
interface Outcome extends FailureRecords.OutcomeRecord, Named {
  readonly run: TriageRun
}

const outcomesOn = (selection: Selection, testName: string, commits: Iterable<string>): ReadonlyArray<Outcome> =>
  onCommits(selection, commits).flatMap((named) => outcomeIn(selection, testName, named) ?? [])

const outcomeIn = ({ entry: { numbers } }: Selection, testName: string, { entry, run }: Named): Outcome | null => {
  const number = numbers.get(testName)
  if (number === undefined) return null
  if (TestSet.has(entry.passed, number)) return { conclusion: "passed", entry, run }
  return TestSet.has(entry.failed, number) ? { conclusion: "failed", entry, run } : null
}

type Executions = ReadonlyArray<FailureRecords.ExecutionRecord>

/** The executions of a test in a run, found from its identities: the run has those of all its tests. */
const executionsIn = ({ entry: { tests } }: Selection, { entry, run }: Outcome, testName: string): Executions =>
  (tests.get(testName) ?? [])
    .filter(({ identity }) => isSameJob(identity, run))
    .flatMap(({ main, other }) => [...main, ...other])
    .filter((execution) => JobRun.key(execution.run) === entry.key)
    .flatMap((execution) => recordOf(execution, run))

const recordOf = (execution: StoredExecution, run: FailureRecords.RunRecord): Executions => {
  const { at, conclusion, id } = execution
  return conclusion === "skipped" ? [] : [{ id, at, conclusion, signature: signatureOf(execution), run }]
}

const beforeOf = (
  selection: Selection,
  { asOf, branches, failure }: Rule.Question
): ReadonlyArray<FailureRecords.OutcomeRecord> => {
  const number = selection.entry.numbers.get(failure.testName)
  if (number === undefined) return []
  const isWanted = ({ context, failed, passed }: RepositoryEntry.RunEntry) =>
    (TestSet.has(passed, number) || TestSet.has(failed, number)) && context.commit !== failure.commit
  return jobsWith(selection, failure.testName).flatMap(([name, job]) => {
    const count = name === Job.jobKey(failure) ? FailureRecords.bounds.row : 1
    return branches
      .flatMap((branch) => lastPushes(selection, job, { branch, before: asOf, count, isWanted }))
      .flatMap((named) => outcomeIn(selection, failure.testName, named) ?? [])
  })
}

/** The outcomes in the job runs that followed on the default branch. */
const nextOf = (selection: Selection, question: Rule.Question): ReadonlyArray<FailureRecords.OutcomeRecord> => {
  const { failure } = question
  const { defaultBranch, entry } = selection
  const job = entry.runs.byJob.get(Job.jobKey(failure))
  if (job === undefined || !Rule.isFollowed(question, selection)) return []
  const later: Array<Named> = []
  for (const run of RunIndex.since(job, failure.at + 1)) {
    if (later.length === FailureRecords.bounds.next) break
    const named = namedOf(run, defaultBranch)
    if (run.context.commit !== failure.commit && Rule.isPushTo(named.run, defaultBranch, defaultBranch))
      later.push(named)
  }
  return later.flatMap((named) => outcomeIn(selection, failure.testName, named) ?? [])
}

/** The jobs that may have a test. A run keeps the tests of its dropped executions: then every job may. */
const jobsWith = ({ entry: { horizon, runs, tests } }: Selection, testName: string) => {
  const jobs = [...runs.byJob]
  if (Number.isFinite(horizon)) return jobs
  const names = new Set((tests.get(testName) ?? []).map(({ identity }) => Job.jobKey(identity)))
  return jobs.filter(([name]) => names.has(name))
}

/** The latest executions with a failed attempt of each identity of a test, among those that count. */
const latestUnstable = (
  selection: Selection,
  testName: string,
  isCounted: (execution: FailureRecords.ExecutionRecord) => boolean
): Executions =>
  (selection.entry.tests.get(testName) ?? []).flatMap(({ main, other }) =>
    [...main, ...other]
      .filter(({ conclusion, flaky }) => flaky || conclusion === "failed")
      .flatMap((execution) => {
        const run = runWith(selection, execution)?.run
        return run === undefined ? [] : recordOf(execution, run).filter(isCounted)
      })
      .sort((a, b) => a.at - b.at || Text.compare(a.id, b.id))
      .slice(-FailureRecords.bounds.unstable)
  )

/** The runs with failures at about the same time. */
const nearTo = ({ defaultBranch, entry, near, windows }: Selection, at: Instant.Instant): ReadonlyArray<Named> => {
  const known = near.get(at)
  if (known !== undefined) return known
  const span = windows.elsewhereHours * Instant.hour
  const found = [...entry.runs.byJob.values()].flatMap((job) =>
    job.ordered
      .slice(RunIndex.countBefore(job, at - span), RunIndex.countBefore(job, at + span + 1))
      .filter(({ totals }) => totals.failed > 0)
      .map((run) => namedOf(run, defaultBranch))
  )
  near.set(at, found)
  return found
}

const elsewhereOf = (
  selection: Selection,
  { together, failure }: Rule.Question
): ReadonlyArray<FailureFacts.JobRunElsewhere> =>
  nearTo(selection, failure.at)
    .filter(({ run }) => isSameJob(run, failure) && run.branch !== failure.branch && !Report.isFork(run))
    .sort((a, b) => FailureRecords.compareRuns(a.run, b.run))
    .slice(-FailureRecords.bounds.runsElsewhere)
    .flatMap(({ entry, run }) => {
      const names = new Set(failedIn(entry).map(({ fact }) => fact.testName))
      if (!names.has(failure.testName)) return []
      const shared = [...together].filter((name) => names.has(name)).length
      return [{ branch: run.branch, base: Rule.baseOf(run, selection), commit: run.commit, at: run.at, shared }]
    })
