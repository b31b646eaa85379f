/** The state that the fold of `Health` keeps of a test identity, and the words for what moved it. */
import { Schema } from "effect"
import type { Contradiction } from "./Contradiction.ts"
import type { Observation } from "../report/Execution.ts"
import type { HealthPolicy } from "./HealthPolicy.ts"
import type { HealthStatus } from "./HealthStatus.ts"
import type * as Instant from "../time/Instant.ts"

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
  readonly trigger: Mark<Id, Commit> | null
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
  trigger: null,
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

/** The state before any execution: healthy. */
export const initial: State = unnamed

/** The {@link initial} state of a fold over other ids and commits than those of reports. */
export const initialOf = <Id, Commit>(): State<Id, Commit> => unnamed

/** Whether an execution counts for health: skipped ones never do, and failures of an outage do not. */
export const counts = (execution: Pick<Observation, "conclusion" | "excused">): boolean =>
  execution.conclusion === "passed" || (execution.conclusion === "failed" && !execution.excused)

/** The bit of `outcomes` of a commit on which the identity passed. */
export const passedBit = 1

/** The bit of `outcomes` of a commit on which the identity failed. */
export const failedBit = 2

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
