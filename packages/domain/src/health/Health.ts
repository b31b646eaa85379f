/**
 * The health of one test identity: a fold over its executions on the default branch, in order (interface 3.2).
 *
 * Every execution moves the status at most one step; time alone moves nothing. The rules are our choice;
 * `docs/explanation/health-model.md` shows them in a picture:
 *
 * - healthy: evidence of flakiness → flaky; else a failure → broken.
 * - broken: evidence → flaky; else enough passes in a row on enough commits → healthy.
 * - flaky: more distinct commits failed in a row than its failure rate explains → broken; else more clean passes, over
 *   enough days, than its failure rate explains → healthy.
 *
 * *Evidence of flakiness* in an execution: it failed and passed inside one job; or its commit already has the opposite
 * conclusion; or it starts a failure episode soon after another one started (a pass separates episodes); or it passes
 * right after a single failure: the only execution of its commit, with few failures next to it, between commits that
 * passed. The failures of an outage (`Outage`) are never evidence, and excused ones do not count at all.
 *
 * *Contradictions on other branches* (`Contradiction`) are folded between the executions: one is evidence when the
 * identity failed on the default branch lately, or was contradicted on a second branch. It moves the status to flaky and
 * starts the clean passes again, and nothing else. Before the first execution it is ignored.
 */
import { Schema } from "effect"
import type { Contradiction } from "./Contradiction.ts"
import type { Observation } from "../execution/Execution.ts"
import type { HealthPolicy } from "./HealthPolicy.ts"
import type { HealthStatus } from "./HealthStatus.ts"
import * as Instant from "../time/Instant.ts"

/**
 * The rule that put an identity into its status.
 *
 * **Details**
 *
 * - `start`: the identity's first execution; healthy.
 * - `failure`: a failure without evidence of flakiness; healthy → broken.
 * - `in_job_rerun`: failed and passed inside one job; → flaky.
 * - `contradiction`: passed and failed on the same commit; → flaky.
 * - `repeated_episode`: failed again soon after an earlier episode; → flaky.
 * - `single_failure`: failed on one commit only, alone; → flaky.
 * - `other_branch`: passed and failed in one run of another branch, after trouble elsewhere; → flaky.
 * - `persistent_failure`: more distinct commits failed in a row than the failure rate explains; flaky → broken.
 * - `passes_in_a_row`: broken → healthy.
 * - `clean_passes`: flaky → healthy.
 */
export const Rule = Schema.Literals([
  "start",
  "failure",
  "in_job_rerun",
  "contradiction",
  "repeated_episode",
  "single_failure",
  "other_branch",
  "persistent_failure",
  "passes_in_a_row",
  "clean_passes"
])

/** The rule that put an identity into its status. */
export type Rule = typeof Rule.Type

/** A reference to one execution. */
export interface Mark<Id = string, Commit = string> {
  readonly id: Id
  readonly at: Instant.Instant
  readonly commit: Commit
}

/**
 * The state of the fold: bounded, whatever the length of the history.
 *
 * **Details**
 *
 * - `status`, `rule`: the verdict and what led to it.
 * - `mover`: the execution that led to it; null before the first execution.
 * - `commits`, `outcomes`: the last distinct commits, latest last, and for each whether it passed (bit 1), failed (bit 2).
 * - `latest`: the commit of the last execution that passed or failed, excused ones included; `troubled`: it has failed on
 *   that commit; `single`: that failure may be a single one.
 * - `failing`: the last execution that counts failed.
 * - `opening`: the first excused failure since the last execution that counts, when that one passed.
 * - `episode`: first failing execution of the latest failure episode, excused ones included; an execution that failed and
 *   passed inside one job is an episode of its own when nothing was failing.
 * - `episodeAt`: when the latest episode of failed executions started that may be evidence.
 * - `onset`: first failing execution since the identity was last healthy, kept after recovery; null while only other
 *   branches made it unhealthy.
 * - `failedCommits`: distinct commits of the failures since the last pass, as far as the rules count them.
 * - `passes`, `passCommit`, `passCommits`: passes since the last failure, the first of their commits, and how many
 *   commits they are on (2 stands for more).
 * - `cleanPasses`, `failureAt`: passes without an in-job failure since the last failed attempt, and when that was;
 *   evidence from another branch is one.
 * - `failedAt`: when the last failed execution finished, excused ones included.
 * - `elsewhere`: the two other branches with the latest contradictions, and when those were, latest first.
 * - `isSingle`: the only evidence behind the verdict flaky is one single failure.
 * - `row`, `failures`, `runs`, `day`: the executions of the current row of failures, and what failed and what ran before
 *   it, each weighted by its age on a UTC day, in steps of 1/1024 (see {@link failureRate}).
 * - `reruns`: those since the verdict last moved.
 */
export interface State<Id = string, Commit = string> {
  readonly status: HealthStatus
  readonly rule: Rule
  readonly mover: Mark<Id, Commit> | null
  readonly commits: ReadonlyArray<Commit>
  readonly outcomes: ReadonlyArray<number>
  readonly latest: Commit | null
  readonly troubled: boolean
  readonly single: boolean
  readonly failing: boolean
  readonly opening: Mark<Id, Commit> | null
  readonly episode: Mark<Id, Commit> | null
  readonly episodeAt: Instant.Instant | null
  readonly onset: Mark<Id, Commit> | null
  readonly failedCommits: ReadonlyArray<Commit>
  readonly passes: number
  readonly passCommit: Commit | null
  readonly passCommits: number
  readonly cleanPasses: number
  readonly failureAt: Instant.Instant | null
  readonly failedAt: Instant.Instant | null
  readonly elsewhere: ReadonlyArray<Elsewhere>
  readonly isSingle: boolean
  readonly row: number
  readonly failures: number
  readonly runs: number
  readonly day: number
  readonly reruns: number
}

/** The latest contradiction on another branch. */
export interface Elsewhere {
  readonly branch: string
  readonly at: Instant.Instant
}

/** An item of the fold: an execution of the default branch, or a contradiction on another one. */
export type Item<Id = string, Commit = string> = Observation<Id, Commit> | Contradiction<Id, Commit>

const unnamed: State<never, never> = {
  status: "healthy",
  rule: "start",
  mover: null,
  commits: [],
  outcomes: [],
  latest: null,
  troubled: false,
  single: false,
  failing: false,
  opening: null,
  episode: null,
  episodeAt: null,
  onset: null,
  failedCommits: [],
  passes: 0,
  passCommit: null,
  passCommits: 0,
  cleanPasses: 0,
  failureAt: null,
  failedAt: null,
  elsewhere: [],
  isSingle: false,
  row: 0,
  failures: 0,
  runs: 0,
  day: 0,
  reruns: 0
}

/**
 * The version of the rules of the fold. It is raised with every change that could fold a history differently, so that a
 * store knows which of its states to compute again.
 */
export const rules = 3

/** The state before any execution: healthy. */
export const initial: State = unnamed

/** The {@link initial} state of a fold over other ids and commits than those of reports. */
export const initialOf = <Id, Commit>(): State<Id, Commit> => unnamed

/** Whether an execution counts for health: skipped ones never do, and failures of an outage do not. */
export const counts = (execution: Pick<Observation, "conclusion" | "excused">): boolean =>
  execution.conclusion === "passed" || (execution.conclusion === "failed" && !execution.excused)

/** Whether the identity passed on a remembered commit, by its place in `commits`. */
export const passed = (state: Pick<State, "outcomes">, index: number): boolean =>
  ((state.outcomes[index] ?? 0) & passedBit) !== 0

/**
 * The estimated share of executions that fail, without the current row of failures.
 *
 * **Details**
 *
 * (failures + ½) / (executions + 1½), between the least and the most of the policy. An execution counts half after
 * `halfLifeDays`, and an in-job flaky pass counts as a failure.
 *
 * @example
 * ```ts
 * import { Health, HealthPolicy } from "@lazaret/domain"
 *
 * Health.failureRate({ failures: 4, runs: 8 }, HealthPolicy.defaults).toFixed(2) // => "0.47"
 * Health.failureRate({ failures: 0, runs: 900 }, HealthPolicy.defaults) // => 0.004
 * ```
 */
export const failureRate = ({ failures, runs }: Pick<State, "failures" | "runs">, policy: HealthPolicy): number =>
  Math.min(policy.mostRate, Math.max(policy.leastRate, (failures + 0.5) / (runs + 1.5)))

/**
 * The state after one more execution, or contradiction on another branch.
 *
 * @example
 * ```ts
 * import { Health, HealthPolicy } from "@lazaret/domain"
 *
 * const failure = {
 *   id: "1", at: 0, commit: "c1", conclusion: "failed", flaky: false, reruns: 0, excused: false
 * } as const
 * Health.step(Health.initial, failure, HealthPolicy.defaults).status // => "broken"
 * ```
 */
export const step = <Id, Commit>(
  state: State<Id, Commit>,
  item: Item<Id, Commit>,
  policy: HealthPolicy
): State<Id, Commit> => {
  const next = draft(state)
  advance(next, item, policy)
  return next
}

/**
 * The state after more executions, given in their order (`Execution.order`), each of them later than those already in
 * the state.
 *
 * @example
 * ```ts
 * import { Health, HealthPolicy } from "@lazaret/domain"
 *
 * const run = (id: string, commit: string, conclusion: "passed" | "failed") =>
 *   ({ id, at: Number(id), commit, conclusion, flaky: false, reruns: 0, excused: false })
 * const history = [run("1", "c1", "failed"), run("2", "c1", "passed")]
 * const state = Health.fold(Health.initial, history, HealthPolicy.defaults)
 * state.status // => "flaky"
 * state.rule // => "contradiction"
 * ```
 */
export const fold = <Id, Commit>(
  state: State<Id, Commit>,
  items: Iterable<Item<Id, Commit>>,
  policy: HealthPolicy
): State<Id, Commit> => {
  const next = draft(state)
  for (const item of items) advance(next, item, policy)
  return next
}

/**
 * The input of a visitor of {@link walk}, after each item.
 *
 * `reruns` is how many reruns an execution stands for: one if its commit was already among the remembered ones, plus
 * those inside the job; of a contradiction it is 1 when it is evidence, else 0. `before` is the status that it found.
 * `state` must not be kept: the next step changes it. Contradictions before the first execution are not shown.
 */
export interface Visit<Id, Commit, I> {
  (item: I, reruns: number, before: HealthStatus, state: State<Id, Commit>): void
}

/** Folds like {@link fold} and shows every step to a visitor. */
export const walk = <Id, Commit, I extends Item<Id, Commit>>(
  state: State<Id, Commit>,
  items: Iterable<I>,
  policy: HealthPolicy,
  visit: Visit<Id, Commit, I>
): State<Id, Commit> => {
  const next = draft(state)
  for (const item of items) {
    const before = next.status
    const reruns = advance(next, item, policy)
    if (next.mover !== null) visit(item, reruns, before, next)
  }
  return next
}

// --- internals: one mutable copy per fold, so that a long history costs no garbage --------------------------------

const passedBit = 1
const failedBit = 2

interface Draft<Id, Commit> extends Mutable<Omit<State<Id, Commit>, "commits" | "outcomes" | "failedCommits">> {
  readonly commits: Array<Commit>
  readonly outcomes: Array<number>
  readonly failedCommits: Array<Commit>
}

type Mutable<A> = { -readonly [K in keyof A]: A[K] }

const draft = <Id, Commit>(state: State<Id, Commit>): Draft<Id, Commit> => ({
  ...state,
  commits: state.commits.slice(),
  outcomes: state.outcomes.slice(),
  failedCommits: state.failedCommits.slice()
})

const mark = <Id, Commit>({ at, commit, id }: Item<Id, Commit>): Mark<Id, Commit> => ({ id, at, commit })

/** Applies one item in place; yields the reruns that it stands for. */
const advance = <Id, Commit>(state: Draft<Id, Commit>, item: Item<Id, Commit>, policy: HealthPolicy): number =>
  item.conclusion === "contradicted" ? contradict(state, item, policy) : observe(state, item, policy)

/** Applies a contradiction on another branch; yields 1 when it is evidence, else 0. */
const contradict = <Id, Commit>(
  state: Draft<Id, Commit>,
  contradiction: Contradiction<Id, Commit>,
  policy: HealthPolicy
): number => {
  if (state.mover === null) return 0
  const { at, branch } = contradiction
  const others = state.elsewhere.filter((other) => other.branch !== branch)
  state.elsewhere = [{ branch, at }, ...others.slice(0, 1)]
  const hasFailed = state.failedAt !== null && at - state.failedAt <= policy.otherBranchFailureDays * Instant.day
  if (!hasFailed && !others.some((other) => at - other.at <= policy.otherBranchDays * Instant.day)) return 0
  state.cleanPasses = 0
  state.failureAt = at
  state.isSingle = false
  if (state.status === "flaky") return 1
  const onset = state.status === "healthy" ? null : state.onset
  move(state, contradiction, "other_branch")
  state.onset = onset
  return 1
}

/** Applies one execution of the default branch; yields the reruns that it stands for. */
const observe = <Id, Commit>(
  state: Draft<Id, Commit>,
  execution: Observation<Id, Commit>,
  policy: HealthPolicy
): number => {
  if (state.mover === null) state.mover = mark(execution)
  if (execution.conclusion === "skipped") return 0
  const isSingle = enter(state, execution)
  if (execution.conclusion === "failed") state.failedAt = execution.at
  if (!counts(execution)) {
    if (!state.failing) state.opening ??= mark(execution)
    return 0
  }
  const index = placeOf(state.commits, execution.commit)
  const evidence = evidenceIn(state, execution, index, policy) ?? (isSingle ? "single_failure" : null)
  remember(state, execution, index, policy)
  age(state, execution.at, policy)
  if (execution.conclusion === "failed") recordFailure(state, execution, policy)
  else recordPass(state, execution)
  const reruns = execution.reruns + (index === -1 ? 0 : 1)
  const rule = ruleFor(state, execution, evidence, policy)
  if (rule === null) state.reruns += reruns
  else move(state, execution, rule)
  return reruns
}

/** Notes an execution on its commit, and yields whether the commit before it had a single failure. */
const enter = <Id, Commit>(state: Draft<Id, Commit>, execution: Observation<Id, Commit>): boolean => {
  const failed = execution.conclusion === "failed"
  if (state.latest === execution.commit) {
    state.single = false
    state.troubled ||= failed
    return false
  }
  const isSingle = state.single && !failed && !execution.flaky
  const wasClean = state.latest !== null && !state.troubled
  state.latest = execution.commit
  state.troubled = failed
  state.single = wasClean && failed && execution.outage !== true && !execution.excused && execution.many !== true
  return isSingle
}

/** The place of a commit among the remembered ones, -1 for a new one. Most executions are on the latest one, or on a new one. */
const placeOf = <Commit>(commits: ReadonlyArray<Commit>, commit: Commit): number => {
  for (let index = commits.length - 1; index >= 0; index--) if (commits[index] === commit) return index
  return -1
}

const evidenceIn = <Id, Commit>(
  state: Draft<Id, Commit>,
  execution: Observation<Id, Commit>,
  index: number,
  policy: HealthPolicy
): Rule | null => {
  if (execution.flaky) return "in_job_rerun"
  const failed = execution.conclusion === "failed"
  if (failed && execution.outage === true) return null
  if (index !== -1 && ((state.outcomes[index] ?? 0) & (failed ? passedBit : failedBit)) !== 0) return "contradiction"
  if (!failed || state.failing || state.episodeAt === null) return null
  return execution.at - state.episodeAt <= policy.episodeDays * Instant.day ? "repeated_episode" : null
}

const remember = <Id, Commit>(
  state: Draft<Id, Commit>,
  execution: Observation<Id, Commit>,
  index: number,
  policy: HealthPolicy
): void => {
  const { commits, outcomes } = state
  const bit = bitOf(execution)
  if (index !== -1 && index === commits.length - 1) {
    outcomes[index] = (outcomes[index] ?? 0) | bit
    return
  }
  const known = index === -1 ? 0 : (outcomes[index] ?? 0)
  if (index !== -1) {
    commits.splice(index, 1)
    outcomes.splice(index, 1)
  } else if (commits.length >= policy.rememberedCommits) {
    commits.shift()
    outcomes.shift()
  }
  commits.push(execution.commit)
  outcomes.push(known | bit)
}

/** A failure that counts although it is part of an outage contradicts nothing. */
const bitOf = <Id, Commit>({ conclusion, outage }: Observation<Id, Commit>): number =>
  conclusion === "passed" ? passedBit : outage === true ? 0 : failedBit

/** Makes the counted executions weigh less with every UTC day. */
const age = <Id, Commit>(state: Draft<Id, Commit>, at: Instant.Instant, policy: HealthPolicy): void => {
  const day = Instant.utcDay(at)
  if (day === state.day) return
  const factor = 0.5 ** ((day - state.day) / policy.halfLifeDays)
  state.failures = Math.round(state.failures * factor * weightSteps) / weightSteps
  state.runs = Math.round(state.runs * factor * weightSteps) / weightSteps
  state.day = day
}

/** Weights are kept in steps of this fraction, so that a store can pack them exactly. */
const weightSteps = 1024

const recordFailure = <Id, Commit>(
  state: Draft<Id, Commit>,
  execution: Observation<Id, Commit>,
  policy: HealthPolicy
): void => {
  if (!state.failing) {
    state.failing = true
    state.episode = state.opening ?? mark(execution)
    state.opening = null
    if (execution.outage !== true) state.episodeAt = execution.at
    state.passes = 0
    state.passCommit = null
    state.passCommits = 0
  }
  if (state.failedCommits.length < policy.brokenCommitsMost && !state.failedCommits.includes(execution.commit)) {
    state.failedCommits.push(execution.commit)
  }
  openTrouble(state)
  state.row += 1
  state.isSingle = false
  state.cleanPasses = 0
  state.failureAt = execution.at
}

/** An identity that other branches made flaky fails on the default branch for the first time since. */
const openTrouble = <Id, Commit>(state: Draft<Id, Commit>): void => {
  if (state.status !== "healthy") state.onset ??= state.episode
}

const recordPass = <Id, Commit>(state: Draft<Id, Commit>, execution: Observation<Id, Commit>): void => {
  state.failures += state.row + (execution.flaky ? 1 : 0)
  state.runs += state.row + 1
  state.row = 0
  if (execution.flaky) {
    if (!state.failing) state.episode = state.opening ?? mark(execution)
    openTrouble(state)
    state.isSingle = false
    state.cleanPasses = 0
    state.failureAt = execution.at
  } else {
    state.cleanPasses += 1
  }
  state.opening = null
  if (state.failing) {
    state.failing = false
    state.failedCommits.length = 0
  }
  state.passes += 1
  if (state.passCommit === null) {
    state.passCommit = execution.commit
    state.passCommits = 1
  } else if (state.passCommit !== execution.commit) {
    state.passCommits = 2
  }
}

const ruleFor = <Id, Commit>(
  state: Draft<Id, Commit>,
  execution: Observation<Id, Commit>,
  evidence: Rule | null,
  policy: HealthPolicy
): Rule | null => {
  const failed = execution.conclusion === "failed"
  if (state.status === "flaky") {
    if (failed) return isPersistent(state, policy) ? "persistent_failure" : null
    return isClean(state, execution.at, policy) ? "clean_passes" : null
  }
  if (evidence !== null) return evidence
  if (state.status === "healthy") return failed ? "failure" : null
  return !failed && state.passes >= policy.recoveryPasses && state.passCommits >= policy.recoveryCommits
    ? "passes_in_a_row"
    : null
}

const isPersistent = <Id, Commit>(state: Draft<Id, Commit>, policy: HealthPolicy): boolean => {
  const commits = state.failedCommits.length
  if (commits < policy.brokenCommits) return false
  return commits >= policy.brokenCommitsMost || failureRate(state, policy) ** commits <= policy.brokenChance
}

const isClean = <Id, Commit>(state: Draft<Id, Commit>, at: Instant.Instant, policy: HealthPolicy): boolean => {
  if (state.cleanPasses < policy.cleanPasses) return false
  const sinceFailure = state.failureAt === null ? Infinity : at - state.failureAt
  if (sinceFailure < policy.cleanDays * Instant.day) return false
  return state.isSingle || sinceFailure >= policy.cleanDaysMost * Instant.day || isUnlikely(state, policy)
}

/** Whether the clean passes in a row are unlikely for the estimated failure rate. */
const isUnlikely = <Id, Commit>(state: Draft<Id, Commit>, policy: HealthPolicy): boolean =>
  (1 - failureRate(state, policy)) ** state.cleanPasses <= policy.cleanChance

const statusAfter: { readonly [R in Rule]: HealthStatus } = {
  start: "healthy",
  failure: "broken",
  in_job_rerun: "flaky",
  contradiction: "flaky",
  repeated_episode: "flaky",
  single_failure: "flaky",
  other_branch: "flaky",
  persistent_failure: "broken",
  passes_in_a_row: "healthy",
  clean_passes: "healthy"
}

const move = <Id, Commit>(state: Draft<Id, Commit>, item: Item<Id, Commit>, rule: Rule): void => {
  if (state.status === "healthy") state.onset = state.episode ?? mark(item)
  state.status = statusAfter[rule]
  state.rule = rule
  state.mover = mark(item)
  state.reruns = 0
  state.isSingle = rule === "single_failure"
}
