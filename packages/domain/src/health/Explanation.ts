/**
 * Explanations: which executions led to a verdict, by which rule, and what is missing for recovery.
 *
 * The evidence is part of the product: take the named executions out of the history, and the fold yields another
 * status. That is a law, tested by property.
 */
import * as Confidence from "./Confidence.ts"
import type { Observation } from "../execution/Execution.ts"
import * as Health from "./Health.ts"
import type { HealthPolicy } from "./HealthPolicy.ts"
import * as HealthSeries from "./HealthSeries.ts"
import type { HealthStatus } from "./HealthStatus.ts"
import * as Instant from "../time/Instant.ts"

/**
 * What an unhealthy identity still needs to be healthy again.
 *
 * **Details**
 *
 * - `passes`: how many passes in a row are missing (clean ones for a flaky identity).
 * - `commits`: on how many more commits they must be.
 * - `notBefore`: the recovering pass must not come earlier; null where time plays no part.
 *
 * A failure starts the count again.
 */
export interface Recovery {
  readonly passes: number
  readonly commits: number
  readonly notBefore: Instant.Instant | null
}

/**
 * Why an identity has its status.
 *
 * **Details**
 *
 * - `changes`: the moves of the verdict since it was last healthy; for a healthy identity those of the last unhealthy
 *   time and the recovery. Oldest first.
 * - `evidence`: the executions without which the status would be another one, oldest first. For an unhealthy identity
 *   everything since it left healthy that failed, failed and passed inside a job, or passed on a commit that had failed;
 *   for a recovered one the passes since the last failed attempt; empty when nothing has ever failed.
 * - `context`: earlier executions that the evidence contradicts or repeats: those on the same commits, and the failures
 *   of the days in which a second episode is a flake. Oldest first.
 * - `recovery`: null for a healthy identity.
 */
export interface Explanation<A extends Observation> {
  readonly status: HealthStatus
  readonly rule: Health.Rule
  readonly changes: ReadonlyArray<HealthSeries.Change>
  readonly evidence: ReadonlyArray<A>
  readonly context: ReadonlyArray<A>
  readonly recovery: Recovery | null
}

/**
 * Explains the verdict of one identity from its executions, in order, after `base`.
 *
 * @example
 * ```ts
 * import { Explanation, Health, HealthPolicy } from "@lazaret/domain"
 *
 * const run = (id: string, commit: string, conclusion: "passed" | "failed") =>
 *   ({ id, at: Number(id), commit, conclusion, flaky: false, reruns: 0, excused: false })
 * const history = [run("1", "c1", "passed"), run("2", "c2", "failed"), run("3", "c3", "passed")]
 * const why = Explanation.explain(Health.initial, history, HealthPolicy.defaults)
 * why.rule // => "failure"
 * why.evidence.map((execution) => execution.id) // => ["2"]
 * why.recovery // => { passes: 2, commits: 1, notBefore: null }
 * ```
 */
export const explain = <A extends Observation>(
  base: Health.State,
  executions: ReadonlyArray<A>,
  policy: HealthPolicy
): Explanation<A> => {
  const state = Health.fold(base, executions, policy)
  const all = HealthSeries.changes(base, executions, policy)
  const evidence = evidenceOf(base, executions, policy, state)
  return {
    status: state.status,
    rule: state.rule,
    changes: all.slice(startOfLatestEpisode(all, state.status)),
    evidence,
    context: state.status === "healthy" ? [] : contextOf(executions, evidence, policy),
    recovery: recoveryOf(state, policy)
  }
}

/**
 * How often an identity was rerun, and what that says about it.
 *
 * **Details**
 *
 * - `reruns`: those of the last 30 days that the confidence counts; `clean` of them came after the last failed attempt.
 * - `flakeRateBound`: the true flake rate is below this with 95 % confidence, judged by the clean reruns; 1 without any.
 */
export interface Certainty {
  readonly confidence: Confidence.Confidence
  readonly reruns: number
  readonly clean: number
  readonly flakeRateBound: number
}

/**
 * How sure the verdict on an identity is at `now`, from its executions, in order, after `base`.
 *
 * @example
 * ```ts
 * import { Explanation, Health, HealthPolicy } from "@lazaret/domain"
 *
 * const run = (id: string) =>
 *   ({ id, at: Number(id), commit: "c1", conclusion: "passed" as const, flaky: false, reruns: 0, excused: false })
 * Explanation.certainty(Health.initial, [run("1"), run("2"), run("3")], 4, HealthPolicy.defaults).reruns // => 2
 * ```
 */
export const certainty = (
  base: Health.State,
  executions: ReadonlyArray<Observation>,
  now: Instant.Instant,
  policy: HealthPolicy
): Certainty => {
  const start = Instant.startOfLastDays(now, policy.activeDays)
  const end = Instant.startOfLastDays(now, 0)
  let reruns = 0
  let clean = 0
  Health.walk(base, executions, policy, (execution, stoodFor) => {
    const recent = execution.at >= start && execution.at < end ? stoodFor : 0
    const troubled = Health.counts(execution) && (execution.conclusion === "failed" || execution.flaky)
    reruns += recent
    clean = troubled ? 0 : clean + recent
  })
  const flakeRateBound = Confidence.flakeRateBound(clean)
  return { confidence: Confidence.classify(reruns, policy), reruns, clean, flakeRateBound }
}

/**
 * What recovery needs, as a sentence.
 *
 * @example
 * ```ts
 * import { Explanation } from "@lazaret/domain"
 *
 * Explanation.sentenceOf({ passes: 2, commits: 1, notBefore: null })
 * // => "Needs 2 more passes in a row, one of them on another commit. A failure starts the count again."
 * ```
 */
export const sentenceOf = ({ commits, notBefore, passes }: Recovery): string => {
  const clean = notBefore === null ? "" : "clean "
  const count = passes <= 1 ? `1 more ${clean}pass` : `${passes} more ${clean}passes in a row`
  const spread = commits === 0 ? "" : passes <= 1 ? " on another commit" : otherCommits(commits)
  const time =
    notBefore === null ? "" : `, ${passes <= 1 ? "" : "the last one "}at ${Instant.toIso(notBefore)} or later`
  return `Needs ${count}${spread}${time}. A failure starts the count again.`
}

const otherCommits = (commits: number): string =>
  commits === 1 ? ", one of them on another commit" : `, on ${commits} commits`

/** What an identity in this state still needs to be healthy again; null when it is. */
export const recoveryOf = (state: Health.State, policy: HealthPolicy): Recovery | null => {
  if (state.status === "healthy") return null
  if (state.status === "broken") {
    return {
      passes: Math.max(0, policy.recoveryPasses - state.passes),
      commits: Math.max(0, policy.recoveryCommits - state.passCommits),
      notBefore: null
    }
  }
  return {
    passes: Math.max(0, policy.cleanPasses - state.cleanPasses),
    commits: 0,
    notBefore: state.failureAt === null ? null : state.failureAt + policy.cleanDays * Instant.day
  }
}

const contextOf = <A extends Observation>(
  executions: ReadonlyArray<A>,
  evidence: ReadonlyArray<A>,
  policy: HealthPolicy
): Array<A> => {
  const first = evidence[0]
  if (first === undefined) return []
  const commits = new Set(evidence.map((execution) => execution.commit))
  const earlier = executions.slice(0, executions.indexOf(first)).filter(Health.counts)
  return earlier.filter(
    ({ at, commit, conclusion }) =>
      commits.has(commit) || (conclusion === "failed" && first.at - at <= policy.episodeDays * Instant.day)
  )
}

const startOfLatestEpisode = (changes: ReadonlyArray<HealthSeries.Change>, status: HealthStatus): number => {
  const healthy = changes.flatMap((change, index) => (change.status === "healthy" ? [index] : []))
  const before = status === "healthy" ? healthy.at(-2) : healthy.at(-1)
  return before === undefined ? 0 : before + 1
}

const evidenceOf = <A extends Observation>(
  base: Health.State,
  executions: ReadonlyArray<A>,
  policy: HealthPolicy,
  final: Health.State
): Array<A> => {
  const failedOn = new Set(base.commits.filter((_, index) => ((base.outcomes[index] ?? 0) & 2) !== 0))
  let evidence: Array<A> = []
  let failedBefore = base.failureAt !== null
  Health.walk(base, executions, policy, (execution, _, before, state) => {
    if (before === "healthy" && state.status !== "healthy") evidence = []
    if (!Health.counts(execution)) return
    const troubled = execution.conclusion === "failed" || execution.flaky
    if (final.status === "healthy") {
      if (troubled) evidence = []
      else if (failedBefore) evidence.push(execution)
    } else if (state.status !== "healthy" && (troubled || failedOn.has(execution.commit))) {
      evidence.push(execution)
    }
    if (execution.conclusion === "failed") failedOn.add(execution.commit)
    failedBefore ||= troubled
  })
  return evidence
}
