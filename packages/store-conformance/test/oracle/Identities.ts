/** The oracle on one identity: its state, its counts and its description. */
import {
  type Execution,
  type Health,
  HealthPolicy,
  type HealthSeries,
  type Quarantine,
  type Rollup,
  type TestDetails
} from "@lazaret/domain"
import type { RecordedExecution } from "@lazaret/store"
import { DAY, type Facts, type Identity, type Run, defaultRuns, identitiesOf, runsOf } from "./Facts.ts"
import { excusedOf } from "./Outages.ts"
import * as Verdicts from "./Verdicts.ts"

/** One identity with all its executions in order. */
export interface Subject {
  readonly identity: Identity
  readonly runs: ReadonlyArray<Run>
  readonly excused: ReadonlySet<Run["execution"]>
  readonly policy: HealthPolicy.HealthPolicy
}

export const policyOf = (facts: Facts): HealthPolicy.HealthPolicy => ({
  ...HealthPolicy.defaults,
  ...facts.settings.health
})

/** Every identity of the default branch. */
export const subjectsOf = (facts: Facts): ReadonlyArray<Subject> => {
  const runs = defaultRuns(facts)
  const excused = excusedOf(facts)
  const policy = policyOf(facts)
  return identitiesOf(runs).map((identity) => ({ identity, runs: runsOf(runs, identity), excused, policy }))
}

const isCounting = ({ execution }: Run, { excused }: Subject): boolean =>
  execution.conclusion !== "skipped" && !excused.has(execution)

const countingOf = (runs: ReadonlyArray<Run>, subject: Subject): ReadonlyArray<Verdicts.Counting> =>
  runs
    .filter((run) => isCounting(run, subject))
    .map(({ execution, run }) => ({
      id: execution.id,
      at: execution.at,
      commit: run.commit,
      isFailed: execution.conclusion === "failed",
      isInJobFlaky: execution.flaky
    }))

const markOf = (execution: Verdicts.Counting | null | undefined): Health.Mark | null =>
  execution === null || execution === undefined
    ? null
    : { id: execution.id, at: execution.at, commit: execution.commit }

const outcomeOf = (executions: ReadonlyArray<Verdicts.Counting>): number =>
  (executions.some(({ isFailed }) => !isFailed) ? 1 : 0) + (executions.some(({ isFailed }) => isFailed) ? 2 : 0)

const startOf = ({ runs }: Subject): Health.Mark | null => {
  const first = runs[0]
  return first === undefined ? null : { id: first.execution.id, at: first.execution.at, commit: first.run.commit }
}

/** The state as its documentation describes it; an identity starts healthy at its first execution, whatever that is. */
export const stateOf = (subject: Subject): Health.State => {
  const history = countingOf(subject.runs, subject)
  const verdict = Verdicts.verdicts(history, subject.policy).at(-1)
  const commits = Verdicts.recentCommits(history, subject.policy)
  const passes = Verdicts.passesInARow(history)
  const { cleanPasses, failure } = Verdicts.sinceFailure(history)
  return {
    status: verdict?.status ?? "healthy",
    rule: verdict?.rule ?? "start",
    mover: verdict === undefined || verdict.rule === "start" ? startOf(subject) : markOf(verdict.mover),
    commits,
    outcomes: commits.map((commit) => outcomeOf(Verdicts.remembered(history, commit, subject.policy))),
    failing: history.at(-1)?.isFailed ?? false,
    episode: markOf(Verdicts.episodeOf(history)),
    episodeAt: Verdicts.failureEpisodeOf(history)?.at ?? null,
    onset: markOf(verdict?.onset),
    failedCommits: Array.from(new Set(Verdicts.failuresInARow(history).map(({ commit }) => commit))).slice(
      0,
      subject.policy.brokenCommits
    ),
    passes: passes.length,
    passCommit: passes[0]?.commit ?? null,
    passCommits: Math.min(2, new Set(passes.map(({ commit }) => commit)).size),
    cleanPasses,
    failureAt: failure?.at ?? null
  }
}

/** The changes of the verdict, the first being the start. */
export const changesOf = (subject: Subject): ReadonlyArray<HealthSeries.Change> => {
  const history = countingOf(subject.runs, subject)
  const first = startOf(subject)
  if (first === null) return []
  const found: Array<HealthSeries.Change> = [
    { status: "healthy", rule: "start", mover: first, episode: null, exceptionType: null }
  ]
  for (const [index, { mover, rule, status }] of Verdicts.verdicts(history, subject.policy).entries()) {
    if (status === found.at(-1)?.status) continue
    const episode = status === "healthy" ? null : Verdicts.episodeOf(history.slice(0, index + 1))
    const failed = subject.runs.find(({ execution }) => execution.id === episode?.id)
    const exceptionType = failed?.execution.exception?.type ?? null
    const at = { id: mover.id, at: mover.at, commit: mover.commit }
    found.push({ status, rule, mover: at, episode: markOf(episode), exceptionType })
  }
  return found
}

export const recordedOf = (subject: Subject): ReadonlyArray<RecordedExecution> =>
  subject.runs.map(({ execution, run }) => ({
    id: execution.id,
    at: execution.at,
    commit: run.commit,
    conclusion: execution.conclusion,
    flaky: execution.flaky,
    reruns: execution.reruns,
    excused: subject.excused.has(execution),
    durationMs: execution.durationMs,
    exceptionType: execution.exception?.type ?? null,
    jobUrl: run.jobUrl
  }))

/** A failure on a commit on which the same identity also passed, or failed and passed inside one job. */
const isFlaky = ({ execution, run }: Run, subject: Subject): boolean => {
  const isContradicted = () =>
    subject.runs.some((other) => other.run.commit === run.commit && other.execution.conclusion === "passed")
  return execution.flaky || (execution.conclusion === "failed" && isContradicted())
}

/** One for a commit that is among the last distinct ones already, and the in-job reruns; nothing where health is silent. */
const rerunsOf = (run: Run, subject: Subject): number => {
  if (!isCounting(run, subject)) return 0
  const before = countingOf(subject.runs.slice(0, subject.runs.indexOf(run)), subject)
  const isKnown = Verdicts.recentCommits(before, subject.policy).includes(run.run.commit)
  return run.execution.reruns + (isKnown ? 1 : 0)
}

const count = (runs: ReadonlyArray<Run>, conclusion: Execution.Conclusion): number =>
  runs.filter(({ execution }) => execution.conclusion === conclusion).length

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, number) => total + number, 0)

const within = (subject: Subject, start: number, end: number): ReadonlyArray<Run> =>
  subject.runs.filter(({ execution }) => start <= execution.at && execution.at < end)

/** What the executions in [start, end) add up to; of the reruns those inside jobs. */
export const rollupOf = (subject: Subject, start: number, end: number): Rollup.Rollup => {
  const runs = within(subject, start, end)
  const concluded = runs.filter(({ execution }) => execution.conclusion !== "skipped")
  return {
    executions: runs.length,
    passed: count(runs, "passed"),
    failed: count(runs, "failed"),
    skipped: count(runs, "skipped"),
    flaky: runs.filter((run) => isFlaky(run, subject)).length,
    reruns: sum(runs.map(({ execution }) => execution.reruns)),
    durationUs: sum(concluded.map(({ execution }) => Math.round(execution.durationMs * 1000)))
  }
}

/** The UTC days that "the last 30 days" means, today included. */
export const recentWindow = (now: number, policy: HealthPolicy.HealthPolicy) => {
  const tomorrow = (Math.floor(now / DAY) + 1) * DAY
  return { start: tomorrow - policy.activeDays * DAY, end: tomorrow }
}

/** What the last 30 days add up to, with all reruns that the executions stand for. */
export const recentOf = (subject: Subject, now: number): Rollup.Rollup => {
  const { end, start } = recentWindow(now, subject.policy)
  const reruns = sum(within(subject, start, end).map((run) => rerunsOf(run, subject)))
  return { ...rollupOf(subject, start, end), reruns }
}

const lastAt = (runs: ReadonlyArray<Run>, conclusion: Execution.Conclusion): number | null =>
  runs.findLast(({ execution }) => execution.conclusion === conclusion)?.execution.at ?? null

const lastSaid = (runs: ReadonlyArray<Run>, say: (run: Run) => string | null): string | null =>
  runs.map(say).findLast((said) => said !== null) ?? null

export const recordOf = (subject: Subject, now: number): TestDetails.IdentityRecord => {
  const { runs } = subject
  const last = runs.at(-1)?.execution
  return {
    identity: subject.identity,
    state: stateOf(subject),
    recent: recentOf(subject, now),
    firstSeenAt: runs[0]?.execution.at ?? Number.NaN,
    lastAt: last?.at ?? Number.NaN,
    lastId: last?.id ?? "",
    lastConclusion: last?.conclusion ?? "skipped",
    lastFailureAt: lastAt(runs, "failed"),
    lastSuccessAt: lastAt(runs, "passed"),
    framework: lastSaid(runs, ({ run }) => run.framework),
    frameworkVersion: lastSaid(runs, ({ run }) => run.frameworkVersion),
    language: lastSaid(runs, ({ run }) => run.language),
    filepath: lastSaid(runs, ({ execution }) => execution.filepath),
    functionName: lastSaid(runs, ({ execution }) => execution.functionName)
  }
}

/** The sum of two rollups. */
export const plus = (a: Rollup.Rollup, b: Rollup.Rollup): Rollup.Rollup => ({
  executions: a.executions + b.executions,
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
  flaky: a.flaky + b.flaky,
  reruns: a.reruns + b.reruns,
  durationUs: a.durationUs + b.durationUs
})

export const healthOf = (subject: Subject, now: number): Quarantine.IdentityHealth => ({
  state: stateOf(subject),
  lastAt: subject.runs.findLast(({ execution }) => execution.conclusion !== "skipped")?.execution.at ?? null,
  active: recentOf(subject, now).executions > 0
})
