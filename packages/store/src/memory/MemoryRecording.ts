/** What memory does to record reports: each primitive of `Recording` on maps and arrays. */
import { type Event, type HealthStatus, Outage, Report, Repository, TestSet } from "@lazaret/domain"
import { Effect } from "effect"
import type { Transaction } from "../Driver.ts"
import * as Rows from "../Rows.ts"
import type { StoreError } from "../StoreError.ts"
import * as Claim from "../rules/Claim.ts"
import * as JobRun from "../rules/JobRun.ts"
import type { ChangedJob, Recording } from "../rules/Recording.ts"
import type { Transition } from "../rules/Transitions.ts"
import * as IdentityEntry from "./IdentityEntry.ts"
import * as RepositoryEntry from "./RepositoryEntry.ts"

type Runs = Map<string, RepositoryEntry.RunEntry>

/** A verdict that differs, with its identity. */
interface Verdict extends Transition {
  readonly entry: IdentityEntry.IdentityEntry
}

type Verdicts = Map<IdentityEntry.IdentityEntry, HealthStatus.HealthStatus>

/** The primitives on one repository; `rows` writes its plain rows. */
export const make = (
  entry: RepositoryEntry.RepositoryEntry,
  rows: Transaction
): Recording<Runs, RepositoryEntry.JudgedEntry, Verdict, StoreError> => {
  const { health } = entry.policies
  /** The verdicts before: on the identities in the reports, and on others whose executions have changed. */
  const reported: Verdicts = new Map()
  const others: Verdicts = new Map()
  const note = (verdicts: Verdicts, identity: IdentityEntry.IdentityEntry): void => {
    if (reported.has(identity) || (others.size > 0 && others.has(identity))) return
    verdicts.set(identity, IdentityEntry.stateOf(identity, health).status)
  }

  return {
    standing: {
      settings: entry.settings,
      earliest: entry.earliest,
      horizon: Number.isFinite(entry.horizon) ? entry.horizon : null
    },
    candidates: (reports) => reports.map((report) => ({ report, key: report.key, content: Claim.contentOf(report) })),
    claimed: (candidates) =>
      Effect.sync(() =>
        candidates.flatMap(({ content, key }) =>
          [entry.uploads.get(key), entry.contents.get(content)].filter((found) => found !== undefined)
        )
      ),
    append: (fresh, { earliest }) =>
      Effect.sync(() => {
        entry.active = null
        const identities = fresh.map(({ report }) =>
          report.executions.map(({ testName }) => RepositoryEntry.identityOf(entry, testName, report.run))
        )
        for (const list of identities) for (const identity of list) note(reported, identity)
        RepositoryEntry.setBranch(entry, earliest)
        const jobs = new Map<Runs, number>()
        for (const [index, candidate] of fresh.entries()) {
          const { from, job, onDefaultBranch } = store(entry, candidate, identities[index] ?? [])
          if (onDefaultBranch) jobs.set(job, Math.min(jobs.get(job) ?? Infinity, from))
        }
        return [...jobs].map(([job, from]) => ({ job, from }))
      }),
    runsSince: (job, from) => Effect.sync(() => RepositoryEntry.judgedRuns(entry, job, (at) => at >= from)),
    stateBefore: (job, from) => Effect.sync(() => RepositoryEntry.stateBefore(entry, job, from)),
    judged: (judgements) =>
      Effect.sync(() => {
        for (const { after, judgement, run } of judgements) {
          if (!JobRun.countsSame(run.judgement, judgement)) {
            for (const identity of run.run.identities) note(others, identity)
          }
          RepositoryEntry.setJudgement(run.run, judgement, after)
        }
      }),
    fold: (among) =>
      Effect.sync(() => {
        const differing: Array<Verdict> = []
        for (const verdicts of among === "all" ? [reported, others] : [reported]) {
          for (const [identity, from] of verdicts) {
            const to = IdentityEntry.stateOf(identity, health).status
            if (to !== from) differing.push({ entry: identity, from, to })
          }
        }
        return differing
      }),
    describe: (verdicts) => describe(entry, rows, verdicts),
    rows
  }
}

interface Stored extends ChangedJob<Runs> {
  readonly onDefaultBranch: boolean
}

/** Adds the executions of a report to its run and to their identities. */
const store = (
  entry: RepositoryEntry.RepositoryEntry,
  { content, key, report }: Claim.Candidate,
  identities: ReadonlyArray<IdentityEntry.IdentityEntry>
): Stored => {
  const upload = { key, content, reportId: report.id, latestAt: Report.span(report).latest }
  entry.uploads.set(key, upload)
  entry.contents.set(content, upload)
  const job = getOrAdd(entry.jobs, `${report.run.pipelineName}\0${report.run.jobName}`, () => new Map())
  const isNew = !job.has(JobRun.key(report.run))
  const run = getOrAdd(job, JobRun.key(report.run), () => newRun(report.run))
  const onDefaultBranch = Repository.isDefaultBranch(run.context, entry.defaultBranch)
  for (const [index, fact] of report.executions.entries()) {
    const identity = identities[index] ?? RepositoryEntry.identityOf(entry, fact.testName, report.run)
    const execution = storedOf(fact, report.run)
    IdentityEntry.applyJudgement(execution, run.judgement)
    run.identities.push(identity)
    run.executions.push(execution)
    IdentityEntry.add(identity, execution, onDefaultBranch, entry.policies.health)
  }
  const before = run.totals.at
  run.totals = JobRun.plus(run.totals, report)
  run.passed = TestSet.union(run.passed, testsOf(entry, report, "passed"))
  run.failed = TestSet.union(run.failed, testsOf(entry, report, "failed"))
  return { job, from: Math.max(isNew ? run.totals.at : before, entry.horizon), onDefaultBranch }
}

const testsOf = (
  entry: RepositoryEntry.RepositoryEntry,
  { executions }: Report.Report,
  conclusion: "passed" | "failed"
): TestSet.TestSet =>
  TestSet.of(
    executions
      .filter((execution) => execution.conclusion === conclusion)
      .map(({ testName }) => RepositoryEntry.numberOf(entry, testName))
  )

const newRun = (context: Report.RunContext): RepositoryEntry.RunEntry => ({
  key: JobRun.key(context),
  context,
  totals: { at: 0, passed: 0, failed: 0 },
  passed: TestSet.empty,
  failed: TestSet.empty,
  judgement: Outage.calm,
  after: Outage.initial(),
  identities: [],
  executions: []
})

const storedOf = (
  fact: Report.Report["executions"][number],
  run: Report.RunContext
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
  excused: false,
  outage: false,
  many: false,
  stoodFor: 0,
  fact,
  run
})

const describe = Effect.fnUntraced(function* (
  { policies }: RepositoryEntry.RepositoryEntry,
  rows: Transaction,
  verdicts: ReadonlyArray<Verdict>
) {
  const states = verdicts.map((verdict) => ({ verdict, state: IdentityEntry.stateOf(verdict.entry, policies.health) }))
  const commits = [...new Set(states.flatMap(({ state }) => state.mover?.commit ?? []))]
  const found = yield* rows.select(Rows.pulls, { where: [["commit", "in", commits]], order: [] })
  const pulls = new Map(found.map((row) => [row.commit, Rows.pullOf(row)]))
  return states.map(({ state: { mover, rule }, verdict: { entry, from, to } }): Event.Move => {
    const commit = mover?.commit ?? null
    return {
      identity: entry.identity,
      from,
      to,
      rule,
      commit,
      pull: commit === null ? null : (pulls.get(commit) ?? null)
    }
  })
})

const getOrAdd = <K, V>(map: Map<K, V>, key: K, create: () => V): V => {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = create()
  map.set(key, made)
  return made
}
