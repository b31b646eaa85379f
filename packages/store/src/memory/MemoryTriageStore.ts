/** The records on failures in memory: selected on every read from the job runs and the executions themselves. */
import {
  Failure,
  type FailureFacts,
  type FailureFeatures,
  FailureRecords,
  Instant,
  JobRun as Job,
  Report,
  TestSet,
  Text
} from "@lazaret/domain"
import { Option } from "effect"
import * as JobRun from "../rules/JobRun.ts"
import * as Rule from "../rules/Triage.ts"
import { type TriageRun, TriageStore, type TriageSubject } from "../TriageStore.ts"
import type { StoredExecution } from "./IdentityEntry.ts"
import * as MemoryState from "./MemoryState.ts"
import * as RepositoryEntry from "./RepositoryEntry.ts"

/** The triage port over a memory state. */
export const make = (state: MemoryState.MemoryState): TriageStore["Service"] =>
  TriageStore.of({
    failures: (ref, subject, windows) =>
      MemoryState.read(state, ref, (repository) => {
        const selection = select(repository, windows)
        const runs = runsOf(runsIn(selection), subject)
        if (runs.length === 0) return Option.none()
        const beside = onSameCommits(
          selection,
          runs.map(({ commit }) => commit)
        )
        const questions = Rule.questionsOf(failedIn(selection, runs), beside, selection)
        return Option.some({
          runs,
          expected: expectedBy(selection, runs),
          failures: questions.map((question) => FailureRecords.factsOf(recordsOf(selection, question)))
        })
      }),
    asked: (ref, asked, windows) =>
      MemoryState.read(state, ref, (repository) => {
        const selection = select(repository, windows)
        return Rule.askedOf(asked, onSameCommits(selection, [asked.run.commit]), selection).map((question) => {
          const records = recordsOf(selection, question)
          return FailureRecords.factsOf({ ...records, reruns: Rule.withoutAsked(asked, records.reruns) })
        })
      }),
    signatures: (ref, testName, until) =>
      MemoryState.read(state, ref, (repository) => {
        const selection = select(repository, { elsewhereHours: 0, memoryDays: 0 })
        const unstable = latestUnstable(selection, testName, ({ at, run }) => at <= until && !Report.isFork(run))
        return [...new Set(unstable.flatMap(({ signature }) => signature ?? []))].sort(Text.compare)
      }),
    reruns: (ref, verdicts) =>
      MemoryState.read(state, ref, (repository) => {
        const selection = select(repository, { elsewhereHours: 0, memoryDays: 0 })
        return verdicts.map((verdict) =>
          Rule.rerunsAfter(
            verdict,
            outcomesOf(selection, verdict.testName).filter(
              ({ run }) => run.commit === verdict.commit && isSameJob(run, verdict)
            )
          )
        )
      })
  })

/** A job run as it is stored, and as triage names it. */
interface Named {
  readonly entry: RepositoryEntry.RunEntry
  readonly run: TriageRun
}

/** The selection of one read; `outcomes` and `near` are what was looked for so far. */
interface Selection extends Rule.Branches {
  readonly outcomes: Map<string, ReadonlyArray<Outcome>>
  readonly near: Map<Instant.Instant, ReadonlyArray<Named>>
  readonly entry: RepositoryEntry.RepositoryEntry
  readonly windows: FailureFeatures.Windows
  readonly named: ReadonlyArray<Named>
}

const select = (
  entry: RepositoryEntry.RepositoryEntry = RepositoryEntry.make(),
  windows: FailureFeatures.Windows
): Selection => {
  const { defaultBranch } = entry
  const named: Array<Named> = []
  const bases = new Set<string>()
  for (const runs of entry.jobs.values()) {
    for (const each of runs.values()) {
      const one = namedOf(each, defaultBranch)
      named.push(one)
      if (one.run.baseBranch !== null && !Report.isFork(one.run)) bases.add(one.run.baseBranch)
    }
  }
  return { entry, windows, named, bases, defaultBranch, outcomes: new Map(), near: new Map() }
}

/** Names a run once, until more of it is uploaded. */
const namedOf = (entry: RepositoryEntry.RunEntry, defaultBranch: string): Named => {
  const branch = entry.context.branch ?? defaultBranch
  const known = namedRuns.get(entry)
  if (known?.totals === entry.totals && known.named.run.branch === branch) return known.named
  const named = { entry, run: runOf(entry, defaultBranch) }
  namedRuns.set(entry, { totals: entry.totals, named })
  return named
}

const namedRuns = new WeakMap<RepositoryEntry.RunEntry, { readonly totals: object; readonly named: Named }>()

const runsIn = ({ named }: Selection): ReadonlyArray<TriageRun> => named.map(({ run }) => run)

/** The runs on the commits of some runs. */
const onSameCommits = (selection: Selection, commits: ReadonlyArray<string>): ReadonlyArray<TriageRun> => {
  const wanted = new Set(commits)
  return runsIn(selection).filter(({ commit }) => wanted.has(commit))
}

const runOf = ({ context, totals }: RepositoryEntry.RunEntry, defaultBranch: string): TriageRun => ({
  pipelineName: context.pipelineName,
  jobName: context.jobName,
  runId: context.runId,
  runAttempt: context.runAttempt,
  commit: context.commit,
  branch: context.branch ?? defaultBranch,
  baseBranch: context.baseBranch,
  at: totals.at,
  passed: totals.passed,
  failed: totals.failed
})

const runsOf = (runs: ReadonlyArray<TriageRun>, subject: TriageSubject): ReadonlyArray<TriageRun> => {
  if (subject._tag === "Run") return runs.filter(({ runId }) => runId === subject.runId)
  const commit =
    subject._tag === "Commit"
      ? subject.commit
      : Rule.latestCommit(runs.filter((run) => subject.commits.includes(run.commit)))
  return runs.filter((run) => run.commit === commit)
}

const runWith = ({ defaultBranch, entry }: Selection, { run }: StoredExecution): Named | undefined => {
  const found = entry.jobs.get(Job.jobKey(run))?.get(JobRun.key(run))
  return found === undefined ? undefined : namedOf(found, defaultBranch)
}

const failedIn = (selection: Selection, runs: ReadonlyArray<TriageRun>): ReadonlyArray<Rule.FailedRow> => {
  const wanted = new Set(runs)
  return selection.named.flatMap(({ entry, run }) =>
    wanted.has(run)
      ? entry.executions.filter(({ conclusion }) => conclusion === "failed").map((one) => rowOf(one, run))
      : []
  )
}

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
  run
})

const signatureOf = ({ fact: { exception } }: StoredExecution): string | null => {
  if (exception === null) return null
  const known = signatures.get(exception)
  if (known !== undefined) return known
  const signature = Failure.signatureOf(exception)
  signatures.set(exception, signature)
  return signature
}

/** Signatures cost much more than everything else of a read. */
const signatures = new WeakMap<object, string | null>()

/** The jobs of the last runs on the base branches of these runs. */
const expectedBy = (selection: Selection, all: ReadonlyArray<TriageRun>) => {
  const runs = FailureRecords.ownOf(all)
  const asOf = Math.min(...runs.map(({ at }) => at))
  const commits = new Set(runs.map(({ commit }) => commit))
  const pipelines = Map.groupBy(runs, ({ pipelineName }) => pipelineName)
  return Rule.jobsOfLast(
    [...pipelines].flatMap(([pipelineName, ofPipeline]) => {
      const base = Rule.baseOf(Rule.lastOf(ofPipeline), selection)
      const before = runsIn(selection).filter(
        (run) =>
          run.pipelineName === pipelineName &&
          run.at < asOf &&
          !commits.has(run.commit) &&
          Rule.isPushTo(run, base, selection.defaultBranch)
      )
      return lastOfJobs(before)
    })
  )
}

const lastOfJobs = (runs: ReadonlyArray<TriageRun>): ReadonlyArray<TriageRun> => [
  ...new Map(runs.toSorted(FailureRecords.compareRuns).map((run) => [run.jobName, run])).values()
]

const recordsOf = (selection: Selection, question: Rule.Question): FailureRecords.FailureRecords => {
  const { asOf, failure, job } = question
  const outcomes = outcomesOf(selection, failure.testName)
  const since = asOf - selection.windows.memoryDays * Instant.day
  const unstable = latestUnstable(
    selection,
    failure.testName,
    ({ at, run }) => at >= since && FailureRecords.counts(run, failure)
  )
  const commits = new Set(unstable.map(({ run }) => `${Job.jobKey(run)}\0${run.commit}`))
  const onCommit = outcomes.filter(({ run }) => run.commit === failure.commit)
  return {
    failure,
    defaultBranch: selection.defaultBranch,
    job,
    reruns: onCommit.filter(({ run }) => isSameJob(run, failure)).flatMap((one) => executionsIn(one, failure.testName)),
    siblings: onCommit.filter(({ run }) => !isSameJob(run, failure)),
    before: beforeOf(selection, question, outcomes),
    unstable,
    passes: outcomes.filter(
      ({ conclusion, run }) => conclusion === "passed" && commits.has(`${Job.jobKey(run)}\0${run.commit}`)
    ),
    sightings: sightingsOf(selection, failure),
    elsewhere: elsewhereOf(selection, question)
  }
}

/** How a test ended in a run, with the run as it is stored. */
interface Outcome extends FailureRecords.OutcomeRecord, Named {
  readonly run: TriageRun
}

const outcomesOf = (selection: Selection, testName: string): ReadonlyArray<Outcome> => {
  const known = selection.outcomes.get(testName)
  if (known !== undefined) return known
  const number = selection.entry.numbers.get(testName) ?? -1
  const found: Array<Outcome> = []
  for (const { entry, run } of number < 0 ? [] : runsWith(selection, testName)) {
    const hasPassed = TestSet.has(entry.passed, number)
    if (hasPassed || TestSet.has(entry.failed, number)) {
      found.push({ conclusion: hasPassed ? "passed" : "failed", entry, run })
    }
  }
  selection.outcomes.set(testName, found)
  return found
}

/** The runs that may have a test. A run keeps the tests of its dropped executions: then every run may. */
const runsWith = (selection: Selection, testName: string): Iterable<Named> => {
  const { entry, named } = selection
  if (Number.isFinite(entry.horizon)) return named
  const found = new Set<Named>()
  for (const { main, other } of entry.tests.get(testName) ?? []) {
    for (const list of [main, other]) {
      for (const execution of list) {
        const one = runWith(selection, execution)
        if (one !== undefined) found.add(one)
      }
    }
  }
  return found
}

type Jobbed = Parameters<typeof Job.jobKey>[0]

const isSameJob = (a: Jobbed, b: Jobbed): boolean => a.jobName === b.jobName && a.pipelineName === b.pipelineName

type Executions = ReadonlyArray<FailureRecords.ExecutionRecord>

const executionsIn = ({ entry, run }: Outcome, testName: string): Executions =>
  entry.executions.filter(({ fact }) => fact.testName === testName).flatMap((execution) => recordOf(execution, run))

const recordOf = (execution: StoredExecution, run: FailureRecords.RunRecord): Executions => {
  const { at, conclusion, id } = execution
  return conclusion === "skipped" ? [] : [{ id, at, conclusion, signature: signatureOf(execution), run }]
}

const beforeOf = (
  { defaultBranch }: Selection,
  { asOf, branches, failure }: Rule.Question,
  outcomes: ReadonlyArray<Outcome>
): ReadonlyArray<FailureRecords.OutcomeRecord> =>
  branches.flatMap((branch) => {
    const onBranch = outcomes.filter(
      ({ run }) => run.commit !== failure.commit && run.at < asOf && Rule.isPushTo(run, branch, defaultBranch)
    )
    return [...Map.groupBy(onBranch, ({ run }) => Job.jobKey(run))].flatMap(([job, list]) =>
      list
        .toSorted((a, b) => FailureRecords.compareRuns(a.run, b.run))
        .slice(job === Job.jobKey(failure) ? -FailureRecords.bounds.row : -1)
    )
  })

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

const sightingsOf = (
  selection: Selection,
  { at, branch, signature }: FailureFacts.FailedExecution
): ReadonlyArray<FailureFacts.Sighting> => {
  if (signature === null) return []
  const near = nearTo(selection, at).filter(
    ({ entry, run }) =>
      run.branch !== branch &&
      entry.executions.some((one) => one.conclusion === "failed" && signatureOf(one) === signature)
  )
  const sorted = near.map(({ run }) => run).sort(FailureRecords.compareRuns)
  return [...new Map(sorted.map((run) => [run.branch, run])).values()].map((run) => ({
    branch: run.branch,
    base: Rule.baseOf(run, selection),
    commit: run.commit,
    at: run.at
  }))
}

/** The runs with failures at about the same time. */
const nearTo = ({ named, near, windows }: Selection, at: Instant.Instant): ReadonlyArray<Named> => {
  const known = near.get(at)
  if (known !== undefined) return known
  const span = windows.elsewhereHours * Instant.hour
  const found = named.filter(({ run }) => run.failed > 0 && Math.abs(run.at - at) <= span)
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
      const names = new Set(
        entry.executions.filter(({ conclusion }) => conclusion === "failed").map(({ fact }) => fact.testName)
      )
      if (!names.has(failure.testName)) return []
      const shared = [...together].filter((name) => names.has(name)).length
      return [{ branch: run.branch, base: Rule.baseOf(run, selection), commit: run.commit, at: run.at, shared }]
    })
