/**
 * Explanations: which executions led to a verdict, by which rule, and what is missing for recovery.
 *
 * The evidence is part of the product: take the named executions out of the history, and the fold yields another
 * status. That is a law, tested by property.
 */
import * as Confidence from "./Confidence.ts"
import * as Contradiction from "./Contradiction.ts"
import type { Observation } from "../report/Execution.ts"
import * as Health from "./Health.ts"
import type { HealthPolicy } from "./HealthPolicy.ts"
import * as HealthSeries from "./HealthSeries.ts"
import type { HealthStatus } from "./HealthStatus.ts"
import * as Instant from "../time/Instant.ts"

/**
 * The conditions under which an unhealthy identity is healthy again.
 *
 * **Details**
 *
 * - `passes`: how many passes in a row are missing (clean ones for a flaky identity).
 * - `commits`: on how many more commits they must be.
 * - `notBefore`: the recovering pass must not come earlier; null where time plays no part.
 * - `sooner`: more passes with which a flaky identity recovers earlier, and not before when; null where the rules have no such number.
 *
 * A failure starts the count again.
 */
export interface Recovery {
  readonly passes: number
  readonly commits: number
  readonly notBefore: Instant.Instant | null
  readonly sooner: { readonly passes: number; readonly notBefore: Instant.Instant } | null
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
 * - `elsewhere`: the contradictions on other branches that are evidence as well, since the identity left healthy, and
 *   those on a second branch that support them. Oldest first; empty for a healthy identity.
 * - `recovery`: null for a healthy identity.
 * - `failing`: how often it failed since its last pass, and the first of these failures; null when it passed last. Failures
 *   that an outage excuses are not counted, but may be the first.
 */
export interface Explanation<I extends Health.Item> {
  readonly status: HealthStatus
  readonly rule: Health.Rule
  readonly changes: ReadonlyArray<HealthSeries.Change>
  readonly evidence: ReadonlyArray<ExecutionIn<I>>
  readonly context: ReadonlyArray<ExecutionIn<I>>
  readonly elsewhere: ReadonlyArray<ContradictionIn<I>>
  readonly recovery: Recovery | null
  readonly failing: { readonly failures: number; readonly first: Health.Mark } | null
}

/** The executions among items. */
export type ExecutionIn<I extends Health.Item> = Exclude<I, { readonly conclusion: "contradicted" }>

/** The contradictions among items. */
export type ContradictionIn<I extends Health.Item> = Extract<I, { readonly conclusion: "contradicted" }>

/**
 * Explains the verdict of one identity from its executions and contradictions on other branches
 * (`Contradiction.merged`), in order, after `base`.
 *
 * @example
 * ```ts
 * import { Execution, Explanation, Health, HealthPolicy } from "@lazaret/domain"
 *
 * const run = (id: string, commit: string, conclusion: "passed" | "failed") =>
 *   Execution.observed({ id, at: Number(id), commit, conclusion })
 * const history = [run("1", "c1", "failed"), run("2", "c2", "passed")]
 * const why = Explanation.explain(Health.initial, history, HealthPolicy.defaults)
 * why.rule // => "failure"
 * why.evidence.map((execution) => execution.id) // => ["1"]
 * why.recovery // => { passes: 2, commits: 1, notBefore: null, sooner: null }
 * why.failing // => null
 * Explanation.explain(Health.initial, history.slice(0, 1), HealthPolicy.defaults).failing?.first.commit // => "c1"
 * ```
 */
export const explain = <I extends Health.Item>(
  base: Health.State,
  items: ReadonlyArray<I>,
  policy: HealthPolicy
): Explanation<I> => {
  const state = Health.fold(base, items, policy)
  const all = HealthSeries.changes(base, items, policy)
  const evidence = evidenceOf(base, items, policy, state)
  const executions = Contradiction.executionsIn(evidence)
  return {
    status: state.status,
    rule: state.rule,
    changes: all.slice(startOfLatestEpisode(all, state.status)),
    evidence: executions,
    context: state.status === "healthy" ? [] : contextOf(items, evidence, policy),
    elsewhere: elsewhereOf(items, evidence, policy),
    recovery: recoveryOf(state, policy),
    failing: state.row === 0 || state.episode === null ? null : { failures: state.row, first: state.episode }
  }
}

/**
 * How often an identity was rerun, and what that says about it.
 *
 * **Details**
 *
 * - `reruns`: those since the verdict last moved, within the last 30 days, which the confidence counts.
 * - `clean`: reruns of the last 30 days that came after the last failed attempt.
 * - `flakeRateBound`: the true flake rate is below this with 95 % confidence, judged by the clean reruns; 1 without any.
 */
export interface Certainty {
  readonly confidence: Confidence.Confidence
  readonly reruns: number
  readonly clean: number
  readonly flakeRateBound: number
}

/**
 * How sure the verdict on an identity is at `now`, from its executions and contradictions on other branches, in order,
 * after `base`.
 *
 * @example
 * ```ts
 * import { Execution, Explanation, Health, HealthPolicy } from "@lazaret/domain"
 *
 * const run = (id: string) =>
 *   Execution.observed({ id, at: Number(id), commit: "c1", conclusion: "passed" })
 * Explanation.certainty(Health.initial, [run("1"), run("2"), run("3")], 4, HealthPolicy.defaults).reruns // => 2
 * ```
 */
export const certainty = (
  base: Health.State,
  items: ReadonlyArray<Health.Item>,
  now: Instant.Instant,
  policy: HealthPolicy
): Certainty => {
  const start = Instant.startOfLastDays(now, policy.activeDays)
  const end = Instant.startOfLastDays(now, 0)
  let recent = 0
  let clean = 0
  const after = Health.walk(base, items, policy, (execution, stoodFor) => {
    if (execution.conclusion === "contradicted") {
      clean *= 1 - stoodFor
      return
    }
    const counted = execution.at >= start && execution.at < end ? stoodFor : 0
    const troubled = Health.counts(execution) && (execution.conclusion === "failed" || execution.flaky)
    recent += counted
    clean = troubled ? 0 : clean + counted
  })
  const reruns = Math.min(recent, after.reruns)
  const flakeRateBound = Confidence.flakeRateBound(clean)
  return { confidence: Confidence.classify(reruns, policy), reruns, clean, flakeRateBound }
}

/**
 * The grounds of a level of confidence, in words: the commits of the evidence, and the reruns since the verdict last
 * moved.
 *
 * @example
 * ```ts
 * import { Explanation } from "@lazaret/domain"
 *
 * const run = (commit: string) => ({ commit })
 * Explanation.proofOf([run("a"), run("b"), run("b"), run("c")], 4) // => "proven on 3 commits; 4 reruns since"
 * Explanation.proofOf([], 0) // => "no failure has counted; no rerun since"
 * ```
 */
export const proofOf = (evidence: ReadonlyArray<Pick<Observation, "commit">>, reruns: number): string => {
  const commits = new Set(evidence.map(({ commit }) => commit)).size
  const proof = commits === 0 ? "no failure has counted" : `proven on ${counted(commits, "commit")}`
  return `${proof}; ${reruns === 0 ? "no rerun" : counted(reruns, "rerun")} since`
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

/**
 * The conditions of recovery, as a sentence.
 *
 * @example
 * ```ts
 * import { Explanation } from "@lazaret/domain"
 *
 * Explanation.sentenceOf({ passes: 2, commits: 1, notBefore: null, sooner: null })
 * // => "Needs 2 more passes in a row, one of them on another commit. A failure starts the count again."
 * ```
 */
export const sentenceOf = ({ commits, notBefore, passes, sooner }: Recovery): string => {
  const clean = notBefore === null ? "" : "clean "
  const count = passes <= 1 ? `1 more ${clean}pass` : `${passes} more ${clean}passes in a row`
  const spread = commits === 0 ? "" : passes <= 1 ? " on another commit" : otherCommits(commits)
  const time =
    notBefore === null ? "" : `, ${passes <= 1 ? "" : "the last one "}at ${Instant.toIso(notBefore)} or later`
  const other =
    sooner === null ? "" : `; or ${sooner.passes}, the last one at ${Instant.toIso(sooner.notBefore)} or later`
  return `Needs ${count}${spread}${time}${other}. A failure starts the count again.`
}

const otherCommits = (commits: number): string =>
  commits === 1 ? ", one of them on another commit" : `, on ${commits} commits`

/**
 * The part of other branches and of outages in a verdict, in sentences.
 *
 * **Details**
 *
 * `failures` is how often a broken test has failed in a row. `outages` are the failures that were part of an outage; `runs` has a sentence about each of these outages, latest first.
 *
 * @example
 * ```ts
 * import { Explanation } from "@lazaret/domain"
 *
 * const found = { branch: "sort-fast", runId: "91", commit: "4f1c" }
 * Explanation.notesOf({ elsewhere: [found], outages: [], runs: [] })
 * // => ["Failed and passed in run 91 of branch sort-fast, on commit 4f1c."]
 * ```
 */
export const notesOf = ({ elsewhere, failures = 0, outages, runs }: Noted): ReadonlyArray<string> => [
  ...(failures === 1 ? ["Failed once, not run again yet."] : []),
  ...branchNotes(elsewhere),
  ...outageNotes(outages, runs)
]

const outageNotes = (outages: Noted["outages"], runs: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (outages.length === 0) return []
  const failures = `${counted(outages.length, "failure")} ${outages.length === 1 ? "was" : "were"} part of an outage`
  const excused = outages.filter((each) => each.excused).length
  const counting = excused === outages.length ? "not counted" : `${excused} of them not counted`
  return [[`${failures}, ${counting}.`, ...runs.slice(0, outagesAtMost)].join(" ")]
}

const outagesAtMost = 3

const branchNotes = (elsewhere: Noted["elsewhere"]): ReadonlyArray<string> => {
  const latest = elsewhere.slice(-notesAtMost)
  const rest = elsewhere.length - latest.length
  const notes = latest.map(({ branch, commit, runId }) => {
    const where = branch === "" ? "a pull request" : `branch ${branch}`
    return `Failed and passed in run ${runId} of ${where}, on commit ${commit.slice(0, 12)}.`
  })
  return rest === 0 ? notes : [...notes, `And in ${counted(rest, "earlier run")} of other branches.`]
}

interface Noted {
  readonly elsewhere: ReadonlyArray<Pick<Contradiction.Found, "branch" | "commit" | "runId">>
  readonly outages: ReadonlyArray<Pick<Observation, "excused">>
  readonly runs: ReadonlyArray<string>
  readonly failures?: number
}

const notesAtMost = 5

/** The conditions under which an identity in this state is healthy again; null when it is healthy. */
export const recoveryOf = (state: Health.State, policy: HealthPolicy): Recovery | null => {
  if (state.status === "healthy") return null
  if (state.status === "broken") {
    return {
      passes: Math.max(0, policy.recoveryPasses - state.passes),
      commits: Math.max(0, policy.recoveryCommits - state.passCommits),
      notBefore: null,
      sooner: null
    }
  }
  const passes = Math.max(0, policy.cleanPasses - state.cleanPasses)
  const at = (days: number) => (state.failureAt === null ? null : state.failureAt + days * Instant.day)
  const [earliest, latest] = [at(policy.cleanDays), at(Math.max(policy.cleanDays, policy.cleanDaysMost))]
  const enough = state.isSingle ? 0 : unlikelyPasses(state, policy)
  if (earliest === null || earliest === latest || (enough !== null && enough <= passes)) {
    return { passes, commits: 0, notBefore: earliest, sooner: null }
  }
  const sooner = enough === null ? null : { passes: enough, notBefore: earliest }
  return { passes, commits: 0, notBefore: latest, sooner }
}

/**
 * How many more clean passes make the row of passes unlikely for the estimated failure rate, at most: the estimate falls
 * with every pass. Null where a hundred are not enough.
 */
const unlikelyPasses = ({ cleanPasses, failures, row, runs }: Health.State, policy: HealthPolicy): number | null => {
  for (let passes = 1; passes <= 100; passes++) {
    const rate = Health.failureRate({ failures: failures + row, runs: runs + row + passes }, policy)
    if ((1 - rate) ** (cleanPasses + passes) <= policy.cleanChance) return passes
  }
  return null
}

const contextOf = <I extends Health.Item>(
  items: ReadonlyArray<I>,
  evidence: ReadonlyArray<I>,
  policy: HealthPolicy
): ReadonlyArray<ExecutionIn<I>> => {
  const first = evidence[0]
  if (first === undefined) return []
  const commits = new Set(Contradiction.executionsIn<Health.Item>(evidence).map(({ commit }) => commit))
  const days = Contradiction.isContradiction(first) ? policy.otherBranchFailureDays : policy.episodeDays
  return Contradiction.executionsIn(items.slice(0, items.indexOf(first))).filter(
    (execution) =>
      Health.counts(execution) &&
      (commits.has(execution.commit) ||
        (execution.conclusion === "failed" && first.at - execution.at <= days * Instant.day))
  )
}

/** The contradictions among the evidence, and those on another branch before them that support one of them. */
const elsewhereOf = <I extends Health.Item>(
  items: ReadonlyArray<I>,
  evidence: ReadonlyArray<I>,
  policy: HealthPolicy
): ReadonlyArray<ContradictionIn<I>> => {
  const acting = evidence.filter(Contradiction.isContradiction)
  const supports = (a: ContradictionIn<I>, b: ContradictionIn<I>): boolean =>
    a.branch !== b.branch && a.at <= b.at && b.at - a.at <= policy.otherBranchDays * Instant.day
  return items
    .filter(Contradiction.isContradiction)
    .filter((each) => acting.includes(each) || acting.some((other) => supports(each, other)))
}

const startOfLatestEpisode = (changes: ReadonlyArray<HealthSeries.Change>, status: HealthStatus): number => {
  const healthy = changes.flatMap((change, index) => (change.status === "healthy" ? [index] : []))
  const before = status === "healthy" ? healthy.at(-2) : healthy.at(-1)
  return before === undefined ? 0 : before + 1
}

const evidenceOf = <I extends Health.Item>(
  base: Health.State,
  items: ReadonlyArray<I>,
  policy: HealthPolicy,
  final: Health.State
): ReadonlyArray<I> => {
  const failedOn = new Set(base.commits.filter((_, index) => ((base.outcomes[index] ?? 0) & 2) !== 0))
  let evidence: Array<I> = []
  let failedBefore = base.failureAt !== null
  Health.walk(base, items, policy, (item, stoodFor, before, state) => {
    if (before === "healthy" && state.status !== "healthy") evidence = []
    const isElsewhere = item.conclusion === "contradicted"
    if (isElsewhere ? stoodFor === 0 : !Health.counts(item)) return
    const troubled = isElsewhere || item.conclusion === "failed" || item.flaky
    if (final.status === "healthy") {
      if (troubled) evidence = []
      else if (failedBefore) evidence.push(item)
    } else if (state.status !== "healthy" && (troubled || failedOn.has(item.commit))) {
      evidence.push(item)
    }
    if (item.conclusion === "failed") failedOn.add(item.commit)
    failedBefore ||= troubled
  })
  return evidence
}
