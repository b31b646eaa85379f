/** One repository in memory: plain maps and arrays, nothing packed. */
import { Event, Instant, Outage, Report, Repository, TestId } from "@lazaret/domain"
import * as Rows from "../Rows.ts"
import type { FailureBase } from "./FailureBase.ts"
import * as IdentityEntry from "./IdentityEntry.ts"
import * as MemoryTables from "./MemoryTables.ts"
import * as Verdicts from "./Verdicts.ts"

/**
 * A job run: everything uploaded for one pipeline, job, run and attempt on one branch, each execution with its identity
 * at the same index.
 */
export interface RunEntry {
  readonly context: Report.RunContext
  totals: Outage.RunTotals
  excused: boolean
  identities: Array<IdentityEntry.IdentityEntry>
  executions: Array<IdentityEntry.StoredExecution>
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
 * - `uploads`: report id, digest and latest execution by idempotency key; `contents`: report id by job run and digest.
 * - `jobs`: the runs of each pipeline and job; `tests`: by name; `testsById`: the same tests but for the latest, which
 *   wait in `unindexed` until somebody asks by id (an id costs more than all the rest of a new test).
 * - `active`: what search reads, until something is written.
 * - `tables`: the plain rows.
 */
export interface RepositoryEntry {
  repository: Repository.Repository
  policies: Repository.Policies
  defaultBranch: string
  readonly earliest: { main: Instant.Instant | null; master: Instant.Instant | null }
  readonly uploads: Map<string, { readonly reportId: string; readonly digest: string; readonly latestAt: number }>
  readonly contents: Map<string, string>
  readonly jobs: Map<string, Map<string, RunEntry>>
  readonly tests: Map<string, TestEntry>
  readonly testsById: Map<TestId.TestId, TestEntry>
  readonly unindexed: Array<TestEntry>
  readonly entries: Array<IdentityEntry.IdentityEntry>
  active: Active | null
  horizon: Instant.Instant
  failureBases: ReadonlyMap<string, FailureBase>
  readonly tables: MemoryTables.MemoryTables
}

/** A repository without anything in it. */
export const make = (ref: Repository.RepositoryRef, at: Instant.Instant): RepositoryEntry => ({
  repository: { owner: ref.owner, repository: ref.repository, createdAt: at, settings: Repository.defaultSettings },
  policies: Repository.policies(Repository.defaultSettings),
  defaultBranch: "main",
  earliest: { main: null, master: null },
  uploads: new Map(),
  contents: new Map(),
  jobs: new Map(),
  tests: new Map(),
  testsById: new Map(),
  unindexed: [],
  entries: [],
  active: null,
  horizon: -Infinity,
  failureBases: new Map(),
  tables: MemoryTables.make()
})

/** Replaces the settings; they hold for everything that is kept. */
export const set = (entry: RepositoryEntry, settings: Repository.RepositorySettings): void => {
  entry.repository = { ...entry.repository, settings }
  entry.policies = Repository.policies(settings)
  entry.entries.forEach(IdentityEntry.invalidate)
  entry.active = null
  entry.jobs.forEach((runs) => judge(entry, runs))
  refreshDefaultBranch(entry)
}

/** Computes everything anew from the executions. */
export const refold = (entry: RepositoryEntry): void => {
  entry.active = null
  for (const identity of entry.entries) {
    IdentityEntry.repartition(identity, entry.defaultBranch, (run) =>
      Repository.isDefaultBranch(run, entry.defaultBranch)
    )
  }
  entry.jobs.forEach((runs) => judge(entry, runs))
}

/** Stores a report and the pull request that brought its commit. */
export const record = (entry: RepositoryEntry, report: Report.Report): void => {
  entry.active = null
  const { health } = entry.policies
  const identities = report.executions.map((fact) => identityOf(entry, fact.testName, report.run))
  const before = Verdicts.of(identities, health)
  const branchBefore = entry.defaultBranch
  noteBranch(entry, report)
  const jobKey = `${report.run.pipelineName}\0${report.run.jobName}`
  const runs = getOrAdd(entry.jobs, jobKey, () => new Map<string, RunEntry>())
  const run = getOrAdd(runs, runKey(report.run), () => newRun(report))
  const onDefaultBranch = Repository.isDefaultBranch(run.context, entry.defaultBranch)
  for (const [index, fact] of report.executions.entries()) {
    const identity = identities[index] ?? identityOf(entry, fact.testName, report.run)
    const execution = storedOf(fact, report.run, run.excused)
    run.identities.push(identity)
    run.executions.push(execution)
    IdentityEntry.add(identity, execution, onDefaultBranch, health)
  }
  run.totals = totalsAfter(run.totals, report)
  judge(
    entry,
    runs,
    entry.defaultBranch === branchBefore ? (others) => Verdicts.note(before, others, health) : undefined
  )
  const { commit, pullRequest } = report.run
  if (pullRequest !== null) MemoryTables.put(entry.tables, Rows.pulls, [Rows.pullRow({ commit, pull: pullRequest })])
  logMoves(entry, before, report)
}

/** Tells which of the verdicts have moved. */
const logMoves = (entry: RepositoryEntry, before: Verdicts.Verdicts, report: Report.Report): void => {
  const moves = Verdicts.moves(before, entry.policies.health, (commit) => {
    const [row] = MemoryTables.select(entry.tables, Rows.pulls, { where: [["commit", "in", [commit]]], order: [] })
    return row === undefined ? null : Rows.pullOf(row)
  })
  const cause = { id: report.id, at: report.receivedAt, branch: entry.defaultBranch }
  const many = moves.length > Event.mostMoves
  MemoryTables.log(entry.tables, many ? [Event.manyHealthChanged(moves, cause)] : Event.healthChanged(moves, cause))
}

/** The search rows of the identities that ran in the last 30 days that end with the day of `now`. */
export const activeAt = (entry: RepositoryEntry, now: Instant.Instant): ReadonlyArray<IdentityEntry.IdentityRow> => {
  const day = Instant.utcDay(now)
  if (entry.active?.day !== day) {
    const rows = entry.entries
      .filter((identity) => identity.main.length > 0)
      .map((identity) => IdentityEntry.rowOf(identity, now, entry.policies.health))
    entry.active = { day, rows: rows.filter((row) => row.executionsCount > 0) }
  }
  return entry.active.rows
}

/** The test with this id, undefined when there is none. */
export const testById = (entry: RepositoryEntry, testId: TestId.TestId): TestEntry | undefined => {
  for (const test of entry.unindexed) entry.testsById.set(TestId.of(test[0].identity.testName), test)
  entry.unindexed.length = 0
  return entry.testsById.get(testId)
}

/** A run id may be used on several branches; only what ran together is one run. */
const runKey = (run: Report.RunContext): string =>
  `${Report.runKey(run)}\0${run.commit}\0${run.branch ?? ""}\0${run.baseBranch ?? ""}`

const newRun = (report: Report.Report): RunEntry => ({
  context: report.run,
  totals: { key: runKey(report.run), at: 0, commit: report.run.commit, passed: 0, failed: 0 },
  excused: false,
  identities: [],
  executions: []
})

const totalsAfter = (totals: Outage.RunTotals, report: Report.Report): Outage.RunTotals => {
  let { at, passed, failed } = totals
  for (const execution of report.executions) {
    at = Math.max(at, execution.at)
    if (execution.conclusion === "passed") passed += 1
    if (execution.conclusion === "failed") failed += 1
  }
  return { ...totals, at, passed, failed }
}

/** Leaves a run with the executions that finished at an instant or later; its totals stay what they were. */
export const keepSince = (run: RunEntry, instant: Instant.Instant): void => {
  run.identities = run.identities.filter((_, index) => (run.executions[index]?.at ?? 0) >= instant)
  run.executions = run.executions.filter(({ at }) => at >= instant)
}

/** Forgets the identities that have no executions. */
export const forgetEmpty = (entry: RepositoryEntry): void => {
  const kept = entry.entries.filter(({ main, other }) => main.length + other.length > 0)
  entry.entries.length = 0
  entry.tests.clear()
  entry.testsById.clear()
  entry.unindexed.length = 0
  kept.forEach((identity) => include(entry, identity))
}

/** Finds out which runs of a job are excused and tells their executions where that changed. */
export const judge = (
  entry: RepositoryEntry,
  runs: Map<string, RunEntry>,
  note: (identities: ReadonlyArray<IdentityEntry.IdentityEntry>) => void = () => undefined
): void => {
  const main = [...runs.values()].filter((run) => Repository.isDefaultBranch(run.context, entry.defaultBranch))
  const excused = Outage.excused(
    main.map((run) => run.totals),
    entry.policies.outage
  )
  for (const run of runs.values()) {
    const verdict = excused.has(run.totals.key)
    if (verdict === run.excused) continue
    note(run.identities)
    excuse(run, verdict)
  }
}

const excuse = (run: RunEntry, excused: boolean): void => {
  run.excused = excused
  for (const execution of run.executions) execution.excused = excused && execution.conclusion === "failed"
  run.identities.forEach(IdentityEntry.invalidate)
}

const identityOf = (
  entry: RepositoryEntry,
  testName: string,
  { jobName, pipelineName }: Report.RunContext
): IdentityEntry.IdentityEntry => {
  const test = entry.tests.get(testName)
  const known = test?.find(({ identity }) => identity.jobName === jobName && identity.pipelineName === pipelineName)
  if (known !== undefined) return known
  const made = IdentityEntry.make({ testName, pipelineName, jobName })
  include(entry, made)
  return made
}

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

const storedOf = (
  fact: Report.Report["executions"][number],
  run: Report.RunContext,
  excused: boolean
): IdentityEntry.StoredExecution => ({
  id: fact.id,
  at: fact.at,
  commit: run.commit,
  conclusion: fact.conclusion,
  flaky: fact.flaky,
  reruns: fact.reruns,
  durationMs: fact.durationMs,
  exceptionType: fact.exception?.type ?? null,
  jobUrl: run.jobUrl,
  excused: excused && fact.conclusion === "failed",
  stoodFor: 0,
  fact,
  run
})

const noteBranch = (entry: RepositoryEntry, report: Report.Report): void => {
  const { branch, baseBranch } = report.run
  if (baseBranch !== null || (branch !== "main" && branch !== "master")) return
  const at = report.executions.reduce((least, execution) => Math.min(least, execution.at), Infinity)
  if (at < (entry.earliest[branch] ?? Infinity)) {
    entry.earliest[branch] = at
    refreshDefaultBranch(entry)
  }
}

const refreshDefaultBranch = (entry: RepositoryEntry): void => {
  const branch = Repository.defaultBranch(entry.repository.settings, entry.earliest)
  if (branch === entry.defaultBranch) return
  entry.defaultBranch = branch
  for (const identity of entry.entries) {
    IdentityEntry.repartition(identity, branch, (run) => Repository.isDefaultBranch(run, branch))
  }
  entry.jobs.forEach((runs) => judge(entry, runs))
}

const getOrAdd = <K, V>(map: Map<K, V>, key: K, create: () => V): V => {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = create()
  map.set(key, made)
  return made
}
