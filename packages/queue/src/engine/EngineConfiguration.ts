/** Configuration of the engine: how it forms, tests and lands batches, beyond the keys of interface 2.11. */
import { Instant } from "@lazaret/domain"
import * as QueueRule from "../QueueRule.ts"
import * as FailureClass from "./FailureClass.ts"

/** The name of the engine's own check. It is never waited for, even where a repository requires it. */
export const ownCheck = "lazaret/queue"

/** A window in which nothing lands, except pull requests of at least `exceptPriority`. */
export interface Freeze {
  readonly from: Instant.Instant
  readonly to: Instant.Instant
  readonly reason: string
  readonly exceptPriority: number | null
}

/** How often rounds are run again. */
export interface RerunLimits {
  readonly perRound: number
  readonly perPullRequest: number
  readonly shareOfRounds: number
}

/** When unrelated rounds that fail alike are taken for an incident, and what then happens. */
export interface IncidentRule {
  readonly rounds: number
  readonly within: number
  readonly longest: number
  readonly action: "hold" | "pause" | "none"
}

/**
 * The configuration of the engine of one base branch, complete and valid.
 *
 * **Details**
 *
 * - `mode`: `off` writes nothing and decides nothing, `mirror` audits trees, `gate` decides the check of the hosting
 *   platform's own queue, `drive` forms and lands batches. `shadow`: decides and records, writes nothing.
 * - `comments`: whether the gate writes on a pull request why it left the queue, or how it was kept, in one comment.
 * - `requiredChecks`: the names that must be green, patterns resolved. `acceptSkipped`: neutral and skipped count too.
 * - `blockingLabels`: labels of which each keeps a pull request out of the queue.
 * - `skipIntermediate`: a batch that passed lands those under it that are still tested. `preempt`: a higher priority makes running
 *   rounds of lower ones begin again.
 * - `cancelReused`: whether the runs of a group are cancelled that passes because its tree had passed before.
 * - `responseTimeout`: after which the platform's own queue gives up on a silent check, in milliseconds.
 */
export interface EngineConfiguration {
  readonly mode: "off" | "mirror" | "gate" | "drive"
  readonly shadow: boolean
  readonly comments: "off" | "outcomes"
  readonly branch: string
  readonly rules: ReadonlyArray<QueueRule.QueueRule>
  readonly maxParallelChecks: number
  readonly requiredChecks: ReadonlyArray<string>
  readonly acceptSkipped: boolean
  readonly blockingLabels: ReadonlyArray<string>
  readonly rerun: RerunLimits
  readonly inferCulprit: "never" | "judged_real" | "always"
  readonly maxOvertakes: number
  readonly skipIntermediate: boolean
  readonly preempt: boolean
  readonly freezes: ReadonlyArray<Freeze>
  readonly incident: IncidentRule
  readonly failures: FailureClass.Policy
  readonly responseTimeout: number
  readonly cancelReused: boolean
}

/**
 * The configuration of a repository that sets none.
 *
 * **Details**
 *
 * - `rerun`: two reruns let a failure of probability .3 end a round in 3 of 100; four for a pull request and a fifth of
 *   the rounds bound what a test suite full of flakes can cost.
 * - `acceptSkipped`: the platform lets a skipped required job pass, and skipped jobs are usual in groups.
 * - `maxOvertakes` 50: about a day of a busy queue.
 * - `incident`: three unrelated rounds that fail alike within half an hour are rarely three culprits. It is held for two
 *   hours at most: then failures are judged as usual, so that three real culprits do not block the queue for ever.
 * - `responseTimeout` 60 minutes: GitHub's own default.
 */
export const defaults: EngineConfiguration = {
  mode: "mirror",
  shadow: false,
  comments: "outcomes",
  branch: "main",
  rules: [],
  maxParallelChecks: 1,
  requiredChecks: [],
  acceptSkipped: true,
  blockingLabels: [],
  rerun: { perRound: 2, perPullRequest: 4, shareOfRounds: 0.2 },
  inferCulprit: "judged_real",
  maxOvertakes: 50,
  skipIntermediate: false,
  preempt: false,
  freezes: [],
  incident: { rounds: 3, within: 30 * Instant.minute, longest: 2 * Instant.hour, action: "hold" },
  failures: FailureClass.defaults,
  responseTimeout: Instant.hour,
  cancelReused: false
}

/** The settings of a rule; one that is not configured, or no longer, has every default. */
export const ruleOf = (configuration: EngineConfiguration, name: string): QueueRule.QueueConfig =>
  QueueRule.find(configuration.rules, name).config

/** The names of the required checks as one text: rounds are comparable when these are equal. */
export const requiredDigest = (configuration: EngineConfiguration): string =>
  JSON.stringify([configuration.acceptSkipped, [...requiredOf(configuration)].sort()])

/** The checks that must be green, without the engine's own. */
export const requiredOf = ({ requiredChecks }: Pick<EngineConfiguration, "requiredChecks">): ReadonlyArray<string> =>
  requiredChecks.filter((name) => name !== ownCheck)
