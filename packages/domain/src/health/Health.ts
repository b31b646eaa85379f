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
import type { Contradiction } from "./Contradiction.ts"
import type { Observation } from "../report/Execution.ts"
import * as Instant from "../time/Instant.ts"
import { age, type Draft, draft, enter, mark, placeOf, recordFailure, recordPass, remember } from "./HealthDraft.ts"
import type { HealthPolicy } from "./HealthPolicy.ts"
import { evidenceIn, ruleFor, statusAfter } from "./HealthRules.ts"
import { counts, failedBit, type Item, type Rule, type State } from "./HealthState.ts"
import type { HealthStatus } from "./HealthStatus.ts"

export {
  counts,
  type Elsewhere,
  failureRate,
  initial,
  initialOf,
  type Item,
  type Mark,
  passed,
  Rule,
  type State
} from "./HealthState.ts"

/**
 * The version of the rules of the fold. It is raised with every change that could fold a history differently, so that a
 * store knows which of its states to compute again.
 */
export const rules = 4

/**
 * The state after one more execution, or contradiction on another branch.
 *
 * @example
 * ```ts
 * import { Execution, Health, HealthPolicy } from "@lazaret/domain"
 *
 * const failure = Execution.observed({ id: "1", at: 0, commit: "c1", conclusion: "failed" })
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
 * import { Execution, Health, HealthPolicy } from "@lazaret/domain"
 *
 * const run = (id: string, commit: string, conclusion: "passed" | "failed") =>
 *   Execution.observed({ id, at: Number(id), commit, conclusion })
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
    if (next.trigger !== null) visit(item, reruns, before, next)
  }
  return next
}

/**
 * Whether a pass on a commit, none of whose attempts failed, only counts: it changes neither the verdict nor an instant of
 * the state, and how it changes the rest depends on no instant but its own UTC day.
 *
 * **Details**
 *
 * So states that differ in instants only still do so after such a pass, and a store can compute one for many tests. The last
 * execution of a healthy test that counts did not fail.
 */
export const isSteady = <Id, Commit>(state: State<Id, Commit>, commit: Commit): boolean => {
  if (state.trigger === null || state.status !== "healthy") return false
  return ((state.outcomes[placeOf(state.commits, commit)] ?? 0) & failedBit) === 0
}

/** Applies one item in place; yields the reruns that it stands for. */
const advance = <Id, Commit>(state: Draft<Id, Commit>, item: Item<Id, Commit>, policy: HealthPolicy): number =>
  item.conclusion === "contradicted" ? contradict(state, item, policy) : observe(state, item, policy)

/** Applies a contradiction on another branch; yields 1 when it is evidence, else 0. */
const contradict = <Id, Commit>(
  state: Draft<Id, Commit>,
  contradiction: Contradiction<Id, Commit>,
  policy: HealthPolicy
): number => {
  if (state.trigger === null) return 0
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
  if (state.trigger === null) state.trigger = mark(execution)
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

const move = <Id, Commit>(state: Draft<Id, Commit>, item: Item<Id, Commit>, rule: Rule): void => {
  if (state.status === "healthy") state.onset = state.episode ?? mark(item)
  state.status = statusAfter[rule]
  state.rule = rule
  state.trigger = mark(item)
  state.reruns = 0
  state.isSingle = rule === "single_failure"
}
