/** The selection of a read of triage in memory: the job runs by their names, with the findings so far. */
import { Failure, type FailurePolicy, Instant, type JobRecord, JobRun as Job } from "@lazaret/domain"
import type * as Rule from "../failure/Triage.ts"
import type { TriageRun } from "../failure/TriageStore.ts"
import * as JobRun from "../report/JobRun.ts"
import type { StoredExecution } from "./IdentityEntry.ts"
import type { KnownRun } from "./MemoryJobRuns.ts"
import * as RepositoryEntry from "./RepositoryEntry.ts"
import * as RunIndex from "./RunIndex.ts"

/** A job run as it is stored, and as triage names it. */
export interface Named {
  readonly entry: RepositoryEntry.RunEntry
  readonly run: TriageRun
}

/**
 * The selection of one read.
 *
 * **Details**
 *
 * - What was looked for so far: `near`, the runs at about an instant; `jobRuns`, what is known of them by the tests that failed together; `outages`,
 *   those before an instant; `sightings`, where signatures were seen.
 */
export interface Selection extends Rule.Branches {
  readonly near: Map<Instant.Instant, ReadonlyArray<Named>>
  readonly jobRuns: Map<Rule.Question["together"], KnownRun>
  readonly outages: Map<Instant.Instant, ReadonlyArray<JobRecord.PastOutage>>
  sightings: Sightings | null
  readonly entry: RepositoryEntry.RepositoryEntry
  readonly windows: FailurePolicy.Windows
}

/** The selection of a read; an unknown repository has nothing. */
export const select = (
  entry: RepositoryEntry.RepositoryEntry = RepositoryEntry.make(),
  windows: FailurePolicy.Windows
): Selection => ({
  entry,
  windows,
  bases: entry.runs.bases,
  defaultBranch: entry.defaultBranch,
  near: new Map(),
  jobRuns: new Map(),
  outages: new Map(),
  sightings: null
})

/** Names a run once, until more of it is uploaded or something else is said of it. */
export const namedOf = (entry: RepositoryEntry.RunEntry, defaultBranch: string): Named => {
  const branch = entry.context.branch ?? defaultBranch
  const known = namedRuns.get(entry)
  const { judgement, totals } = entry
  if (known?.totals === totals && known.judgement === judgement && known.named.run.branch === branch) return known.named
  const named = { entry, run: runOf(entry, defaultBranch) }
  namedRuns.set(entry, { totals, judgement, named })
  return named
}

interface KnownName {
  readonly totals: object
  readonly judgement: object
  readonly named: Named
}

const namedRuns = new WeakMap<RepositoryEntry.RunEntry, KnownName>()

/** The runs on commits. */
export const onCommits = ({ defaultBranch, entry }: Selection, commits: Iterable<string>): ReadonlyArray<Named> =>
  [...new Set(commits)].flatMap((commit) =>
    (entry.runs.byCommit.get(commit) ?? []).map((run) => namedOf(run, defaultBranch))
  )

const runOf = ({ context, judgement, totals }: RepositoryEntry.RunEntry, defaultBranch: string): TriageRun => ({
  pipelineName: context.pipelineName,
  jobName: context.jobName,
  runId: context.runId,
  runAttempt: context.runAttempt,
  commit: context.commit,
  branch: context.branch ?? defaultBranch,
  baseBranch: context.baseBranch,
  at: totals.at,
  isOutage: judgement.outage,
  passed: totals.passed,
  failed: totals.failed
})

/** The failed executions of a run that are kept. */
export const failedIn = ({ executions }: RepositoryEntry.RunEntry): ReadonlyArray<StoredExecution> => {
  const known = failedRuns.get(executions)
  if (known?.length === executions.length) return known.failed
  const failed = executions.filter(({ conclusion }) => conclusion === "failed")
  failedRuns.set(executions, { length: executions.length, failed })
  return failed
}

interface KnownFailures {
  readonly length: number
  readonly failed: ReadonlyArray<StoredExecution>
}

/** A list of executions only grows, or is replaced. */
const failedRuns = new WeakMap<object, KnownFailures>()

/** A job run with a signature, and its latest failure with it. */
export interface Sighting {
  readonly run: TriageRun
  readonly latest: Instant.Instant
}

/** The sightings of every signature in runs that finished from an instant on. */
export interface Sightings {
  readonly since: Instant.Instant
  readonly bySignature: ReadonlyMap<string, ReadonlyArray<Sighting>>
}

/** The sightings of a signature in runs that finished from an instant on, and possibly earlier ones. */
export const sightingsOf = (
  selection: Selection,
  signature: string,
  since: Instant.Instant
): ReadonlyArray<Sighting> => {
  if (selection.sightings === null || selection.sightings.since > since) {
    selection.sightings = allSightings(selection, since - Instant.day)
  }
  return selection.sightings.bySignature.get(signature) ?? []
}

const allSightings = ({ defaultBranch, entry }: Selection, since: Instant.Instant): Sightings => {
  const bySignature = new Map<string, Array<Sighting>>()
  for (const job of entry.runs.byJob.values()) {
    for (const run of RunIndex.since(job, since)) {
      const latest = new Map<string, Instant.Instant>()
      for (const execution of failedIn(run)) {
        const signature = signatureOf(execution)
        if (signature !== null) latest.set(signature, Math.max(latest.get(signature) ?? 0, execution.at))
      }
      for (const [signature, at] of latest) {
        const list = bySignature.get(signature) ?? []
        bySignature.set(signature, list)
        list.push({ run: namedOf(run, defaultBranch).run, latest: at })
      }
    }
  }
  return { since, bySignature }
}

/** The run of an execution. */
export const runWith = ({ defaultBranch, entry }: Selection, { run }: StoredExecution): Named | undefined => {
  const found = entry.runs.byJob.get(Job.jobKey(run))?.byKey.get(JobRun.key(run))
  return found === undefined ? undefined : namedOf(found, defaultBranch)
}

/** The signature of an execution's exception, null without one. */
export const signatureOf = ({ fact: { exception } }: StoredExecution): string | null => {
  if (exception === null) return null
  const known = signatures.get(exception)
  if (known !== undefined) return known
  const signature = Failure.signatureOf(exception)
  signatures.set(exception, signature)
  return signature
}

/** Signatures cost much more than everything else of a read. */
const signatures = new WeakMap<object, string | null>()

type Jobbed = Parameters<typeof Job.jobKey>[0]

/** Whether two runs are of one pipeline and job. */
export const isSameJob = (a: Jobbed, b: Jobbed): boolean => a.jobName === b.jobName && a.pipelineName === b.pipelineName
