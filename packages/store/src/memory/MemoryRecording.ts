/** Recording reports in memory, on maps and arrays. */
import {
  type Event,
  type Execution,
  type HealthPolicy,
  type HealthStatus,
  type Instant,
  Outage,
  Report,
  Repository,
  TestAlias,
  TestId,
  TestSet
} from "@lazaret/domain"
import { Effect } from "effect"
import type { Transaction } from "../Driver.ts"
import * as Rows from "../Rows.ts"
import * as Slices from "../driver/Slices.ts"
import * as Claim from "../report/Claim.ts"
import * as JobRun from "../report/JobRun.ts"
import * as Recording from "../report/Recording.ts"
import * as IdentityEntry from "./IdentityEntry.ts"
import * as RepositoryEntry from "./RepositoryEntry.ts"
import * as RunIndex from "./RunIndex.ts"

/** A verdict that differs, with its identity. */
interface Verdict extends Recording.Transition {
  readonly entry: IdentityEntry.IdentityEntry
}

type Verdicts = Map<IdentityEntry.IdentityEntry, HealthStatus.HealthStatus>

/** Records reports in their order, and yields the outcome of each; `rows` writes the plain rows of the repository. */
export const record = Effect.fnUntraced(function* (
  entry: RepositoryEntry.RepositoryEntry,
  rows: Transaction,
  reports: ReadonlyArray<Report.Report>
) {
  const decision = Recording.decide(standingOf(entry), ...claimsOf(entry, reports))
  if (decision.fresh.length === 0) return decision.outcomes
  entry.forkTests = decision.forkTests
  const fresh = decision.fresh.map((candidate) => ({
    ...candidate,
    ...TestAlias.applied(candidate.report, entry.resolve)
  }))
  const { outages, transitions } = yield* store(entry, { ...decision, fresh })
  if (decision.pulls.length > 0) yield* rows.put(Rows.pulls, decision.pulls.map(Rows.pullRow))
  if (decision.pullNumbers.length > 0) yield* rows.put(Rows.pullNumbers, decision.pullNumbers)
  const events = yield* Recording.eventsOf(decision, { outages, transitions }, (verdicts) =>
    describe(entry, rows, verdicts)
  )
  if (events.length > 0) yield* rows.log(events)
  return decision.outcomes
})

const standingOf = ({
  earliest,
  forkTests,
  horizon,
  settings
}: RepositoryEntry.RepositoryEntry): Recording.Standing => ({
  settings,
  earliest,
  horizon: Number.isFinite(horizon) ? horizon : null,
  forkTests
})

/** Reports as candidates, and the stored reports that share a key or a content with one of them. */
const claimsOf = (entry: RepositoryEntry.RepositoryEntry, reports: ReadonlyArray<Report.Report>) => {
  const candidates = reports.map((report) => ({
    report,
    key: report.key,
    content: Claim.contentOf(report),
    added: Report.isFork(report.run) ? addedBy(entry, report) : 0
  }))
  const claimed = candidates.flatMap(({ content, key }) => [entry.uploads.get(key), entry.contents.get(content)])
  return [candidates, claimed.filter((found) => found !== undefined)] as const
}

/** A report under the names that stand for its own. */
type Candidate = Claim.Candidate & TestAlias.Applied

/** How many names of tests a report would add: a new name counts also where another one stands for it. */
const addedBy = (
  { resolve, storedNames, tests }: RepositoryEntry.RepositoryEntry,
  { executions, run }: Report.Report
): number => {
  const added = new Set<string>()
  for (const { testName } of executions) {
    const isKnown =
      resolve(testName) === testName
        ? tests
            .get(testName)
            ?.some(({ identity }) => identity.pipelineName === run.pipelineName && identity.jobName === run.jobName)
        : storedNames.has(TestId.of(testName))
    if (isKnown !== true) added.add(testName)
  }
  return added.size
}

/** Stores new reports, judges the jobs that they belong to, and yields what this has changed. */
const store = Effect.fnUntraced(function* (
  entry: RepositoryEntry.RepositoryEntry,
  { compared, earliest, fresh }: Recording.Decision<Candidate>
): Effect.fn.Return<Recording.Happened<Verdict>> {
  const { health } = entry.policies
  const before: Verdicts = new Map()
  const note = (identity: IdentityEntry.IdentityEntry): void => {
    if (!before.has(identity)) before.set(identity, IdentityEntry.stateOf(identity, health).status)
  }
  entry.active = null
  for (const { report } of fresh) {
    yield* Slices.visit(report.executions, executionsAtOnce, ({ testName }) =>
      note(RepositoryEntry.identityOf(entry, testName, report.run))
    )
  }
  yield* RepositoryEntry.setBranch(entry, earliest)
  const jobs = new Map<RunIndex.JobRuns, number>()
  for (const candidate of fresh) {
    const { from, job, onDefaultBranch } = yield* add(entry, candidate)
    if (onDefaultBranch) jobs.set(job, Math.min(jobs.get(job) ?? Infinity, from))
  }
  const elsewhere = [...jobs].flatMap(([job, from]) => RepositoryEntry.elsewhereSince(entry, job, from))
  if (compared === "all") yield* Slices.visit(elsewhere, executionsAtOnce, note)
  const judgements = [...jobs].flatMap(([job, from]) => judge(entry, job, from))
  const outages = JobRun.newOutages(judgements)
  for (const { after, judgement, run } of judgements) {
    if (compared === "all" && !JobRun.countsSame(run.judgement, judgement)) {
      yield* Slices.visit(run.run.identities, executionsAtOnce, note)
    }
    yield* RepositoryEntry.setJudgement(run.run, judgement, after)
  }
  yield* Slices.visit(elsewhere, executionsAtOnce, IdentityEntry.forgetContradictions)
  return { outages, transitions: yield* transitionsFrom(before, health) }
})

/** The number of executions that are recorded before other fibers run: some milliseconds. */
const executionsAtOnce = 4096

/** The judgements of the runs of a job on the default branch that change, of those that finished at an instant or later. */
const judge = (entry: RepositoryEntry.RepositoryEntry, job: RunIndex.JobRuns, from: Instant.Instant) =>
  JobRun.judge(
    RepositoryEntry.stateBefore(entry, job, from),
    RepositoryEntry.judgedRuns(entry, job, from),
    entry.policies.outage
  )

const transitionsFrom = Effect.fnUntraced(function* (before: Verdicts, policy: HealthPolicy.HealthPolicy) {
  const transitions: Array<Verdict> = []
  yield* Slices.visit(before, executionsAtOnce, ([entry, from]) => {
    const to = IdentityEntry.stateOf(entry, policy).status
    if (to !== from) transitions.push({ entry, from, to })
  })
  return transitions
})

/** A job, the instant from which its runs must be judged, and whether they are of the default branch. */
interface ChangedJob {
  readonly job: RunIndex.JobRuns
  readonly from: Instant.Instant
  readonly onDefaultBranch: boolean
}

/** Adds the executions of a report to its run and to their identities. */
const add = Effect.fnUntraced(function* (
  entry: RepositoryEntry.RepositoryEntry,
  { content, key, report, stored }: Candidate
): Effect.fn.Return<ChangedJob> {
  const {
    id: reportId,
    receivedAt,
    run: { jobUrl }
  } = report
  const upload = { key, content, reportId, latestAt: Report.span(report).latest, receivedAt, jobUrl }
  entry.uploads.set(key, upload)
  entry.contents.set(content, upload)
  const job = RunIndex.jobOf(entry.runs, RepositoryEntry.jobKey(report.run))
  const known = job.byKey.get(JobRun.key(report.run))
  const run = known ?? newRun(report.run)
  const onDefaultBranch = Repository.isDefaultBranch(run.context, entry.defaultBranch)
  const tests: Record<Execution.Conclusion, Array<number>> = { passed: [], failed: [], skipped: [] }
  for (const { testName } of stored.values()) entry.storedNames.set(TestId.of(testName), testName)
  yield* Slices.visit(report.executions.entries(), executionsAtOnce, ([index, fact]) => {
    const identity = RepositoryEntry.identityOf(entry, fact.testName, report.run)
    const execution = storedOf(fact, report.run, stored.get(index))
    IdentityEntry.applyJudgement(execution, run.judgement)
    run.identities.push(identity)
    run.executions.push(execution)
    IdentityEntry.add(identity, execution, onDefaultBranch, entry.policies.health)
    tests[fact.conclusion].push(RepositoryEntry.numberOf(entry, fact.testName))
  })
  const before = known?.totals.at ?? Infinity
  const totals = JobRun.plus(run.totals, report)
  if (known === undefined) {
    run.totals = totals
    RunIndex.add(entry.runs, job, run)
  } else {
    RunIndex.update(job, run, totals)
  }
  run.passed = TestSet.union(run.passed, TestSet.of(tests.passed))
  run.failed = TestSet.union(run.failed, TestSet.of(tests.failed))
  return { job, from: Math.max(Math.min(before, totals.at), entry.horizon), onDefaultBranch }
})

const newRun = (context: Report.RunContext): RepositoryEntry.RunEntry => ({
  key: JobRun.key(context),
  context,
  totals: JobRun.noTotals,
  passed: TestSet.empty,
  failed: TestSet.empty,
  judgement: Outage.calm,
  after: Outage.initial(),
  identities: [],
  executions: []
})

const storedOf = (
  fact: Execution.Execution,
  run: Report.RunContext,
  stored: Execution.Execution | undefined
): IdentityEntry.StoredExecution => ({
  id: fact.id,
  at: fact.at,
  commit: run.commit,
  conclusion: fact.conclusion,
  flaky: fact.flaky,
  reruns: fact.reruns,
  durationMs: fact.durationMs,
  exceptionType: fact.exception?.type ?? null,
  runId: run.runId,
  jobUrl: run.jobUrl,
  excused: false,
  outage: false,
  many: false,
  stoodFor: 0,
  stored: stored === undefined ? null : TestAlias.storedOf(stored),
  fact,
  run
})

const describe = Effect.fnUntraced(function* (
  { policies }: RepositoryEntry.RepositoryEntry,
  rows: Transaction,
  verdicts: ReadonlyArray<Verdict>
) {
  const states = verdicts.map((verdict) => ({ verdict, state: IdentityEntry.stateOf(verdict.entry, policies.health) }))
  const commits = [...new Set(states.flatMap(({ state }) => state.trigger?.commit ?? []))]
  const found = yield* rows.select(Rows.pulls, { where: [["commit", "in", commits]], order: [] })
  const pulls = new Map(found.map((row) => [row.commit, Rows.pullOf(row)]))
  return states.map(({ state: { trigger, rule }, verdict: { entry, from, to } }): Event.Move => {
    const commit = trigger?.commit ?? null
    return {
      identity: entry.identity,
      from,
      to,
      rule,
      commit,
      ranAt: trigger?.at ?? null,
      pull: commit === null ? null : (pulls.get(commit) ?? null)
    }
  })
})
