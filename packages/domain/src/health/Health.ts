/**
 * The health of one test identity: a fold over its executions on the default branch, in order (interface 3.2).
 *
 * Every execution moves the status at most one step; time alone moves nothing. The rules are our choice;
 * `docs/explanation/health-model.md` shows them in a picture:
 *
 * - healthy: evidence of flakiness → flaky; else a failure → broken.
 * - broken: evidence → flaky; else enough passes in a row on enough commits → healthy.
 * - flaky: enough distinct commits failed in a row → broken; else enough clean passes over enough days → healthy.
 *
 * *Evidence of flakiness* in an execution: it failed and passed inside one job; or its commit already has the opposite
 * conclusion; or it starts a failure episode soon after another one started (a pass separates episodes).
 */
import { Schema } from "effect"
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
 * - `persistent_failure`: distinct commits failed in a row; flaky → broken.
 * - `passes_in_a_row`: broken → healthy.
 * - `clean_passes`: flaky → healthy.
 */
export const Rule = Schema.Literals([
  "start",
  "failure",
  "in_job_rerun",
  "contradiction",
  "repeated_episode",
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
 * - `failing`: the last execution that counts failed.
 * - `episode`: first failing execution of the latest failure episode; an execution that failed and passed inside one job
 *   is an episode of its own when nothing was failing.
 * - `episodeAt`: when the latest episode of failed executions started.
 * - `onset`: first failing execution since the identity was last healthy, kept after recovery.
 * - `failedCommits`: distinct commits of the failures since the last pass, as far as the rules count them.
 * - `passes`, `passCommit`, `passCommits`: passes since the last failure, the first of their commits, and how many
 *   commits they are on (2 stands for more).
 * - `cleanPasses`, `failureAt`: passes without an in-job failure since the last failed attempt, and when that was.
 */
export interface State<Id = string, Commit = string> {
  readonly status: HealthStatus
  readonly rule: Rule
  readonly mover: Mark<Id, Commit> | null
  readonly commits: ReadonlyArray<Commit>
  readonly outcomes: ReadonlyArray<number>
  readonly failing: boolean
  readonly episode: Mark<Id, Commit> | null
  readonly episodeAt: Instant.Instant | null
  readonly onset: Mark<Id, Commit> | null
  readonly failedCommits: ReadonlyArray<Commit>
  readonly passes: number
  readonly passCommit: Commit | null
  readonly passCommits: number
  readonly cleanPasses: number
  readonly failureAt: Instant.Instant | null
}

const unnamed: State<never, never> = {
  status: "healthy",
  rule: "start",
  mover: null,
  commits: [],
  outcomes: [],
  failing: false,
  episode: null,
  episodeAt: null,
  onset: null,
  failedCommits: [],
  passes: 0,
  passCommit: null,
  passCommits: 0,
  cleanPasses: 0,
  failureAt: null
}

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
 * The state after one more execution.
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
  execution: Observation<Id, Commit>,
  policy: HealthPolicy
): State<Id, Commit> => {
  const next = draft(state)
  advance(next, execution, policy)
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
  executions: Iterable<Observation<Id, Commit>>,
  policy: HealthPolicy
): State<Id, Commit> => {
  const next = draft(state)
  for (const execution of executions) advance(next, execution, policy)
  return next
}

/**
 * What a visitor of {@link walk} sees after each execution.
 *
 * `reruns` is how many reruns the execution stands for: one if its commit was already among the remembered ones, plus
 * those inside the job; `before` is the status that it found. `state` must not be kept: the next step changes it.
 */
export interface Visit<Id, Commit, A> {
  (execution: A & Observation<Id, Commit>, reruns: number, before: HealthStatus, state: State<Id, Commit>): void
}

/** Folds like {@link fold} and shows every step to a visitor. */
export const walk = <Id, Commit, A>(
  state: State<Id, Commit>,
  executions: Iterable<A & Observation<Id, Commit>>,
  policy: HealthPolicy,
  visit: Visit<Id, Commit, A>
): State<Id, Commit> => {
  const next = draft(state)
  for (const execution of executions) {
    const before = next.status
    visit(execution, advance(next, execution, policy), before, next)
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

const mark = <Id, Commit>(execution: Observation<Id, Commit>): Mark<Id, Commit> => ({
  id: execution.id,
  at: execution.at,
  commit: execution.commit
})

/** Applies one execution in place; yields the reruns that it stands for. */
const advance = <Id, Commit>(
  state: Draft<Id, Commit>,
  execution: Observation<Id, Commit>,
  policy: HealthPolicy
): number => {
  if (state.mover === null) state.mover = mark(execution)
  if (!counts(execution)) return 0
  const index = state.commits.lastIndexOf(execution.commit)
  const evidence = evidenceIn(state, execution, index, policy)
  remember(state, execution, index, policy)
  if (execution.conclusion === "failed") recordFailure(state, execution, policy)
  else recordPass(state, execution)
  const rule = ruleFor(state, execution, evidence, policy)
  if (rule !== null) move(state, execution, rule)
  return execution.reruns + (index === -1 ? 0 : 1)
}

const evidenceIn = <Id, Commit>(
  state: Draft<Id, Commit>,
  execution: Observation<Id, Commit>,
  index: number,
  policy: HealthPolicy
): Rule | null => {
  if (execution.flaky) return "in_job_rerun"
  const failed = execution.conclusion === "failed"
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
  const bit = execution.conclusion === "failed" ? failedBit : passedBit
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

const recordFailure = <Id, Commit>(
  state: Draft<Id, Commit>,
  execution: Observation<Id, Commit>,
  policy: HealthPolicy
): void => {
  if (!state.failing) {
    state.failing = true
    state.episode = mark(execution)
    state.episodeAt = execution.at
    state.passes = 0
    state.passCommit = null
    state.passCommits = 0
  }
  if (state.failedCommits.length < policy.brokenCommits && !state.failedCommits.includes(execution.commit)) {
    state.failedCommits.push(execution.commit)
  }
  state.cleanPasses = 0
  state.failureAt = execution.at
}

const recordPass = <Id, Commit>(state: Draft<Id, Commit>, execution: Observation<Id, Commit>): void => {
  if (execution.flaky) {
    if (!state.failing) state.episode = mark(execution)
    state.cleanPasses = 0
    state.failureAt = execution.at
  } else {
    state.cleanPasses += 1
  }
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
    if (failed) return state.failedCommits.length >= policy.brokenCommits ? "persistent_failure" : null
    return isClean(state, execution.at, policy) ? "clean_passes" : null
  }
  if (evidence !== null) return evidence
  if (state.status === "healthy") return failed ? "failure" : null
  return !failed && state.passes >= policy.recoveryPasses && state.passCommits >= policy.recoveryCommits
    ? "passes_in_a_row"
    : null
}

const isClean = (state: Pick<State, "cleanPasses" | "failureAt">, at: Instant.Instant, policy: HealthPolicy): boolean =>
  state.cleanPasses >= policy.cleanPasses &&
  (state.failureAt === null || at - state.failureAt >= policy.cleanDays * Instant.day)

const statusAfter: { readonly [R in Rule]: HealthStatus } = {
  start: "healthy",
  failure: "broken",
  in_job_rerun: "flaky",
  contradiction: "flaky",
  repeated_episode: "flaky",
  persistent_failure: "broken",
  passes_in_a_row: "healthy",
  clean_passes: "healthy"
}

const move = <Id, Commit>(state: Draft<Id, Commit>, execution: Observation<Id, Commit>, rule: Rule): void => {
  if (state.status === "healthy") state.onset = state.episode ?? mark(execution)
  state.status = statusAfter[rule]
  state.rule = rule
  state.mover = mark(execution)
}
