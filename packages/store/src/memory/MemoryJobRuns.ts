/** The facts on the job runs of failures in memory: the record of their job, outages before them, and what is said of them. */
import {
  FailureRecords,
  Instant,
  JobRecord,
  JobRun as Job,
  Report,
  Repository,
  TestSet,
  Text,
  UnloadedFiles
} from "@lazaret/domain"
import type { FailureFacts } from "@lazaret/domain"
import * as JobRecords from "../failure/JobRecords.ts"
import type * as Rule from "../failure/Triage.ts"
import type { StoredExecution } from "./IdentityEntry.ts"
import * as RepositoryEntry from "./RepositoryEntry.ts"
import * as RunIndex from "./RunIndex.ts"
import * as Selection from "./TriageSelection.ts"

/** The facts on the job run of a failure, and the missing tests of files that may not have loaded. */
export interface KnownRun {
  readonly facts: JobRecord.JobRunFacts
  readonly unloaded: UnloadedFiles.Counts
}

/** The facts for a failure. Questions about one job run share them. */
export const knownOf = (selection: Selection.Selection, question: Rule.Question): KnownRun => {
  const known = selection.jobRuns.get(question.together)
  if (known !== undefined) return known
  const job = selection.entry.runs.byJob.get(Job.jobKey(question.failure))
  const run = job?.ordered.find((each) => Selection.namedOf(each, selection.defaultBranch).run === question.run)
  const compared = job === undefined || run === undefined ? JobRecords.unknown : comparedOf(selection, job, run)
  const { judgement, missing } = compared
  const record = job === undefined ? JobRecord.empty : recordOf(selection, job, question)
  const found = {
    facts: { record, outages: outagesBefore(selection, question.asOf), judgement, missing },
    unloaded: run === undefined ? new Map<string, number>() : unloadedOf(selection, question, { run, compared })
  }
  selection.jobRuns.set(question.together, found)
  return found
}

const unloadedOf = (
  { entry: { numbers } }: Selection.Selection,
  { together }: Rule.Question,
  { compared, run }: { readonly run: RepositoryEntry.RunEntry; readonly compared: JobRecords.Compared }
): UnloadedFiles.Counts => {
  if (!JobRecords.mayLackFiles(compared)) return new Map()
  const ran = JobRecords.ranIn(run)
  const namesIn = (tests: TestSet.TestSet) =>
    [...numbers].flatMap(([name, number]) => (TestSet.has(tests, number) ? [name] : []))
  const found = UnloadedFiles.candidates(together, namesIn(compared.lacking))
  return found.size === 0 ? found : UnloadedFiles.confirmed(found, namesIn(ran))
}

const recordOf = (
  selection: Selection.Selection,
  job: RunIndex.JobRuns,
  { asOf, failure }: Rule.Question
): JobRecord.JobRecord => {
  const { start } = FailureRecords.memory(asOf, selection.windows)
  const base: Array<RepositoryEntry.RunEntry> = []
  const others: Array<RepositoryEntry.RunEntry> = []
  for (const run of RunIndex.before(job, asOf)) {
    if (run.totals.at < start) break
    const branch = run.context.branch ?? selection.defaultBranch
    if (Repository.isDefaultBranch(run.context, selection.defaultBranch)) {
      if (base.length < JobRecord.bounds.runs && run.context.commit !== failure.commit) base.push(run)
    } else if (
      others.length < JobRecord.bounds.others &&
      run.context.runAttempt === 1 &&
      branch !== failure.branch &&
      !Report.isFork({ branch })
    ) {
      others.push(run)
    }
  }
  return {
    base: base.map((run) => baseRunOf(selection, run)),
    others: { runs: others.length, red: others.filter(({ totals }) => totals.failed > 0).length }
  }
}

const baseRunOf = ({ entry }: Selection.Selection, run: RepositoryEntry.RunEntry): JobRecord.BaseRun => {
  const { context, judgement, passed, totals } = run
  const isFailed = (name: string): boolean => !TestSet.has(passed, entry.numbers.get(name) ?? -1)
  const names = new Set(Selection.failedIn(run).map(({ fact }) => fact.testName))
  return {
    at: totals.at,
    commit: context.commit,
    passed: totals.passed,
    failed: totals.failed,
    isOutage: judgement.outage,
    failures: totals.failed > JobRecord.bounds.failuresOfRun ? null : [...names].filter(isFailed).sort(Text.compare)
  }
}

const outagesBefore = (selection: Selection.Selection, asOf: Instant.Instant): ReadonlyArray<JobRecord.PastOutage> => {
  const known = selection.outages.get(asOf)
  if (known !== undefined) return known
  const { start } = FailureRecords.memory(asOf, selection.windows)
  const runs: Array<Selection.Named> = []
  for (const job of selection.entry.runs.byJob.values()) {
    for (const run of RunIndex.before(job, asOf)) {
      if (run.totals.at < start) break
      if (run.judgement.outage) runs.push(Selection.namedOf(run, selection.defaultBranch))
    }
  }
  const found = runs
    .sort((a, b) => FailureRecords.compareRuns(a.run, b.run) || Text.compare(Job.jobKey(a.run), Job.jobKey(b.run)))
    .slice(-JobRecord.bounds.outages)
    .map(outageOf)
  selection.outages.set(asOf, found)
  return found
}

const outageOf = ({ entry, run }: Selection.Named): JobRecord.PastOutage => {
  const signatures = Selection.failedIn(entry).flatMap((execution) => Selection.signatureOf(execution) ?? [])
  const first = signatures.sort(Text.compare).slice(0, JobRecord.bounds.outageFailures)
  return {
    at: run.at,
    commit: run.commit,
    pipelineName: run.pipelineName,
    jobName: run.jobName,
    failed: run.failed,
    passed: run.passed,
    signatures: JobRecords.frequent(
      [...Map.groupBy(first, (signature) => signature)].map(([signature, { length }]) => [signature, length])
    )
  }
}

const comparedOf = (
  { defaultBranch, entry }: Selection.Selection,
  job: RunIndex.JobRuns,
  run: RepositoryEntry.RunEntry
): JobRecords.Compared => {
  const { at } = run.totals
  const stored = Repository.isDefaultBranch(run.context, defaultBranch) ? run.judgement : null
  const { outage: policy } = entry.policies
  const before = RepositoryEntry.stateBefore(entry, job, at)
  return JobRecords.compared(before, RepositoryEntry.judgedRun(run), { policy, stored })
}

/** In how many job runs on other commits a failure had the signature of this one before it, null without a signature. */
export const seenBefore = (selection: Selection.Selection, failure: FailureFacts.FailedExecution): number | null => {
  const { at, commit, signature } = failure
  if (signature === null) return null
  const start = at - selection.windows.memoryDays * Instant.day
  const runs = Selection.sightingsOf(selection, signature, start).filter(
    ({ latest, run }) => start <= latest && latest < at && run.commit !== commit && FailureRecords.counts(run, failure)
  )
  return Math.min(runs.length, JobRecord.bounds.seen)
}

/** The executions of the identity on the default branch that finished before the day of an instant. */
export const totalsBefore = (
  { entry }: Selection.Selection,
  { jobName, pipelineName, testName }: FailureFacts.FailedExecution,
  asOf: Instant.Instant
): FailureFacts.IdentityTotals => {
  const today = Instant.utcDay(asOf) * Instant.day
  const identity = entry.tests
    .get(testName)
    ?.find(({ identity: other }) => other.jobName === jobName && other.pipelineName === pipelineName)
  const count = (conclusion: StoredExecution["conclusion"]) =>
    (identity?.main ?? []).filter((one) => one.at < today && one.conclusion === conclusion).length
  return { passed: count("passed"), failed: count("failed") }
}
