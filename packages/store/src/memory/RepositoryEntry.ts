/** One repository in memory: plain maps and arrays, nothing packed. */
import { Instant, Outage, type Report, Repository, TestAlias, TestId, TestSet } from "@lazaret/domain"
import { Effect, Semaphore } from "effect"
import * as Slices from "../driver/Slices.ts"
import type * as Claim from "../report/Claim.ts"
import * as DefaultBranch from "../report/DefaultBranch.ts"
import * as ForkTests from "../report/ForkTests.ts"
import * as JobRun from "../report/JobRun.ts"
import type * as Elsewhere from "./Elsewhere.ts"
import type { FailureBase } from "./FailureBase.ts"
import * as IdentityEntry from "./IdentityEntry.ts"
import * as RunIndex from "./RunIndex.ts"

/**
 * A job run: everything uploaded for one pipeline, job, run and attempt on one branch, each execution with its identity
 * at the same index.
 *
 * `totals`, `passed` and `failed` (its tests) are of the whole run, also when some of its executions were dropped.
 * `judgement` is what is said of it while it is of the default branch, `after` the state of its job after it.
 */
export interface RunEntry {
  readonly key: string
  readonly context: Report.RunContext
  totals: JobRun.RunTotals
  passed: TestSet.TestSet
  failed: TestSet.TestSet
  judgement: Outage.Judgement
  after: Outage.State
  identities: Array<IdentityEntry.IdentityEntry>
  executions: Array<IdentityEntry.StoredExecution>
}

/** A stored report, when its last execution finished, when it arrived, and the address of its job. */
export interface Upload extends Claim.Claimed {
  readonly latestAt: Instant.Instant
  readonly receivedAt: Instant.Instant
  readonly jobUrl: string | null
}

/** A test in memory: its identities, one at least. */
export type TestEntry = [IdentityEntry.IdentityEntry, ...Array<IdentityEntry.IdentityEntry>]

/** The search rows of the identities that ran in the last 30 days, as seen on one UTC day. */
export interface Active {
  readonly day: number
  readonly rows: ReadonlyArray<IdentityEntry.IdentityRow>
}

/**
 * A repository in memory.
 *
 * **Details**
 *
 * - `horizon`: what finished before it was dropped, and is not taken any more; `failureBases`: what is kept of dropped
 *   failures.
 * - `forkTests`: the identities that forks have added.
 * - `uploads`: stored reports by idempotency key; `contents`: the same by job run and digest.
 * - `runs`: the job runs; `numbers`: those of tests in the sets of runs, by name; `tests`: by name; `testsById`: the same tests but for the latest, which
 *   wait in `unindexed` until somebody asks by id (an id costs more than all the rest of a new test).
 * - `resolve`: the name that stands for a stored name; `storedNames`: the names in reports for which another one has stood, by id.
 * - `active`: what search reads, until something is written.
 * - `lock`: held while the facts are read, and while they are changed.
 */
export interface RepositoryEntry {
  readonly lock: Semaphore.Semaphore
  settings: Repository.RepositorySettings
  policies: Repository.Policies
  defaultBranch: string
  earliest: DefaultBranch.Earliest
  readonly uploads: Map<string, Upload>
  readonly contents: Map<string, Upload>
  readonly runs: RunIndex.RunIndex
  readonly numbers: Map<string, number>
  readonly tests: Map<string, TestEntry>
  readonly testsById: Map<TestId.TestId, TestEntry>
  readonly unindexed: Array<TestEntry>
  readonly entries: Array<IdentityEntry.IdentityEntry>
  resolve: TestAlias.Resolve
  readonly storedNames: Map<TestId.TestId, string>
  active: Active | null
  horizon: Instant.Instant
  forkTests: ForkTests.ForkTests
  failureBases: ReadonlyMap<string, FailureBase>
}

/** A repository without anything in it. */
export const make = (): RepositoryEntry => ({
  lock: Semaphore.makeUnsafe(1),
  settings: Repository.defaultSettings,
  policies: Repository.policies(Repository.defaultSettings),
  defaultBranch: "main",
  earliest: DefaultBranch.unknown,
  uploads: new Map(),
  contents: new Map(),
  runs: RunIndex.make(),
  numbers: new Map(),
  tests: new Map(),
  testsById: new Map(),
  unindexed: [],
  entries: [],
  resolve: TestAlias.none,
  storedNames: new Map(),
  active: null,
  horizon: -Infinity,
  forkTests: ForkTests.none,
  failureBases: new Map()
})

/** Replaces the settings; they hold for everything that is kept. */
export const set = Effect.fnUntraced(function* (entry: RepositoryEntry, settings: Repository.RepositorySettings) {
  entry.settings = settings
  entry.policies = Repository.policies(settings)
  entry.active = null
  yield* Slices.visit(entry.entries, identitiesAtOnce, IdentityEntry.forgetContradictions)
  for (const job of entry.runs.byJob.values()) yield* judge(entry, job)
  yield* setBranch(entry, entry.earliest)
})

/** Recomputes everything from the executions. */
export const refold = Effect.fnUntraced(function* (entry: RepositoryEntry) {
  entry.active = null
  yield* Slices.visit(entry.entries, identitiesAtOnce, (identity) =>
    IdentityEntry.repartition(identity, entry.defaultBranch, (run) =>
      Repository.isDefaultBranch(run, entry.defaultBranch)
    )
  )
  for (const job of entry.runs.byJob.values()) yield* judge(entry, job)
})

/** The number of identities, or executions, that are changed before other fibers run: some milliseconds. */
const identitiesAtOnce = 4096

/** The search rows of the identities that ran in the last 30 days that end with the day of `now`. */
export const activeAt = (entry: RepositoryEntry, now: Instant.Instant): ReadonlyArray<IdentityEntry.IdentityRow> => {
  const day = Instant.utcDay(now)
  if (entry.active?.day !== day) {
    const rows: Array<IdentityEntry.IdentityRow> = []
    for (const identity of entry.entries) {
      if (identity.main.length === 0) continue
      const row = IdentityEntry.rowOf(identity, now, entry.policies.health)
      if (row.executionsCount > 0) rows.push(row)
    }
    entry.active = { day, rows }
  }
  return entry.active.rows
}

/** The test with this id, or the one that stands for the name with this id; undefined without either. */
export const testById = (entry: RepositoryEntry, testId: TestId.TestId): TestEntry | undefined => {
  for (const test of entry.unindexed) entry.testsById.set(TestId.of(test[0].identity.testName), test)
  entry.unindexed.length = 0
  const storedName = entry.storedNames.get(testId)
  return storedName === undefined ? entry.testsById.get(testId) : entry.tests.get(entry.resolve(storedName))
}

/** Leaves a run with the executions that finished at an instant or later; it is judged as a whole all the same. */
export const keepSince = (run: RunEntry, instant: Instant.Instant): void => {
  run.identities = run.identities.filter((_, index) => (run.executions[index]?.at ?? 0) >= instant)
  run.executions = run.executions.filter(({ at }) => at >= instant)
}

/** Removes the identities without executions. */
export const forgetEmpty = (entry: RepositoryEntry): void => {
  const kept = entry.entries.filter(({ main, other }) => main.length + other.length > 0)
  entry.entries.length = 0
  entry.tests.clear()
  entry.testsById.clear()
  entry.unindexed.length = 0
  kept.forEach((identity) => include(entry, identity))
}

/** The runs of a job on the default branch that finished from an instant on, as they are judged, in any order. */
export const judgedRuns = (
  { defaultBranch }: RepositoryEntry,
  job: RunIndex.JobRuns,
  from: Instant.Instant
): ReadonlyArray<JudgedEntry> =>
  RunIndex.since(job, from)
    .filter((run) => Repository.isDefaultBranch(run.context, defaultBranch))
    .map((run) => ({ ...judgedRun(run), run }))

/** A run as it is judged. */
export const judgedRun = (run: RunEntry): RunEntry & Outage.Run => ({
  ...run,
  at: run.totals.at,
  commit: run.context.commit,
  ownShare: Outage.ownShareOf(run.totals)
})

/** A run of the default branch, as it is judged. */
export interface JudgedEntry extends JobRun.JudgedRun {
  readonly run: RunEntry
}

/** The state of a job after its last run on the default branch before an instant. */
export const stateBefore = (entry: RepositoryEntry, job: RunIndex.JobRuns, instant: Instant.Instant): Outage.State => {
  let last: RunEntry | null = null
  for (const run of RunIndex.before(job, instant)) {
    if (last !== null && run.totals.at < last.totals.at) break
    if (!Repository.isDefaultBranch(run.context, entry.defaultBranch)) continue
    if (last === null || !isBefore(run, last)) last = run
  }
  return last?.after ?? Outage.initial()
}

const isBefore = (a: RunEntry, b: RunEntry): boolean =>
  Outage.order({ key: a.key, at: a.totals.at }, { key: b.key, at: b.totals.at }) < 0

/** Judges every run of a job again. Runs of other branches are not judged, and those before the horizon stay judged. */
export const judge = Effect.fnUntraced(function* (entry: RepositoryEntry, job: RunIndex.JobRuns) {
  const { horizon } = entry
  const judged = judgedRuns(entry, job, horizon)
  const onDefaultBranch = new Set(judged.map(({ run }) => run))
  for (const run of RunIndex.since(job, horizon)) {
    if (!onDefaultBranch.has(run)) yield* setJudgement(run, Outage.calm, Outage.initial())
  }
  const start = stateBefore(entry, job, horizon)
  for (const { after, judgement, run } of JobRun.judge(start, judged, entry.policies.outage)) {
    yield* setJudgement(run.run, judgement, after)
  }
})

/** Notes what is said of a run; its failures count by it. */
export const setJudgement = Effect.fnUntraced(function* (
  run: RunEntry,
  judgement: Outage.Judgement,
  after: Outage.State
) {
  run.after = after
  const isSame = JobRun.countsSame(run.judgement, judgement)
  run.judgement = judgement
  if (isSame) return
  yield* Slices.visit(run.executions, identitiesAtOnce, (execution) =>
    IdentityEntry.applyJudgement(execution, judgement)
  )
  yield* Slices.visit(run.identities, identitiesAtOnce, IdentityEntry.invalidate)
})

/** The number of a test in the sets of runs. */
export const numberOf = ({ numbers }: RepositoryEntry, testName: string): number => {
  const known = numbers.get(testName)
  if (known !== undefined) return known
  numbers.set(testName, numbers.size)
  return numbers.size - 1
}

/** The identity of a test in the job of a run; it is added when it is new. */
export const identityOf = (
  entry: RepositoryEntry,
  testName: string,
  { jobName, pipelineName }: Report.RunContext
): IdentityEntry.IdentityEntry => {
  const test = entry.tests.get(testName)
  const known = test?.find(({ identity }) => identity.jobName === jobName && identity.pipelineName === pipelineName)
  if (known !== undefined) return known
  const made = IdentityEntry.make({ testName, pipelineName, jobName }, rulesOf(entry))
  include(entry, made)
  return made
}

const rulesOf = (entry: RepositoryEntry): Elsewhere.Rules => ({
  areCounted: () => entry.settings.flakinessEvidence === "every_branch",
  isOutage: ({ run }) => isOutage(entry, run)
})

/** Whether a run of another branch is an outage, compared with the runs of the default branch before it. */
const isOutage = (entry: RepositoryEntry, context: Report.RunContext): boolean => {
  const job = entry.runs.byJob.get(jobKey(context))
  const run = job?.byKey.get(JobRun.key(context))
  if (job === undefined || run === undefined) return false
  const before = stateBefore(entry, job, run.totals.at)
  return Outage.step(before, judgedRun(run), entry.policies.outage).judgement.outage
}

/** A text that is equal for one pipeline and job only. */
export const jobKey = ({ jobName, pipelineName }: Pick<Report.RunContext, "jobName" | "pipelineName">): string =>
  `${pipelineName}\0${jobName}`

/** The identities with executions of other branches in a job from an instant on, where an outage may be found or not. */
export const elsewhereSince = (
  { defaultBranch }: RepositoryEntry,
  job: RunIndex.JobRuns,
  from: Instant.Instant
): ReadonlyArray<IdentityEntry.IdentityEntry> =>
  RunIndex.since(job, from)
    .filter(
      ({ context, failed, totals }) =>
        totals.at > from && TestSet.size(failed) > 0 && !Repository.isDefaultBranch(context, defaultBranch)
    )
    .flatMap(({ identities }) => identities)

const include = (entry: RepositoryEntry, identity: IdentityEntry.IdentityEntry): void => {
  const { testName } = identity.identity
  entry.entries.push(identity)
  const test = entry.tests.get(testName)
  if (test === undefined) addTest(entry, testName, [identity])
  else test.push(identity)
}

const addTest = (entry: RepositoryEntry, testName: string, test: TestEntry): void => {
  entry.tests.set(testName, test)
  entry.unindexed.push(test)
}

/** Notes which branch is the default one, and computes again what depends on it where it has changed. */
export const setBranch = Effect.fnUntraced(function* (entry: RepositoryEntry, earliest: DefaultBranch.Earliest) {
  entry.earliest = earliest
  const branch = Repository.defaultBranch(entry.settings, earliest)
  if (branch === entry.defaultBranch) return
  entry.defaultBranch = branch
  yield* refold(entry)
})
