/**
 * Queue rules: how the pull requests of a merge queue are checked and merged (interface 2.11).
 *
 * The interface names the keys and leaves open types, units, limits and defaults. They are our choice and are listed in
 * `docs/explanation/what-is-not-specified.md`.
 */
import { Schema } from "effect"
import * as Text from "../execution/Text.ts"

const whole = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const MergeMethod = Schema.Literals(["merge", "squash", "rebase", "fast-forward"])
const UpdateMethod = Schema.Literals(["merge", "rebase"])
const Account = Schema.NullOr(Text.between(1, 255))

/**
 * The longest durations in a rule, in seconds: seven days, far beyond any round of checks and far from any overflow.
 */
export const longestDuration = 7 * 86_400

/**
 * Schemas of the keys that a configuration may set; `priority` is not among them, it follows from the order.
 *
 * **Details**
 *
 * - `batch_size`: 1 to 128 pull requests that are checked together.
 * - `batch_max_wait_time`: seconds that an incomplete batch waits for more, up to seven days.
 * - `batch_max_failure_resolution_attempts`: rounds of splitting a failed batch, 0 to 128; null: until the culprit is found.
 * - `checks_timeout`: seconds after which pending checks count as failed, from one minute to seven days; null: never.
 * - `*_bot_account`: the account that acts; null: the application's own.
 * - `queue_branch_merge_method`: null merges the pull requests one by one, `fast-forward` moves the base branch to the
 *   queue's branch.
 */
export const settings = {
  batch_size: whole(1, 128),
  batch_max_wait_time: whole(0, longestDuration),
  batch_max_failure_resolution_attempts: Schema.NullOr(whole(0, 128)),
  allow_inplace_checks: Schema.Boolean,
  allow_queue_branch_edit: Schema.Boolean,
  checks_timeout: Schema.NullOr(whole(60, longestDuration)),
  commit_message_template: Schema.NullOr(Text.between(0, 10_000)),
  draft_bot_account: Account,
  merge_bot_account: Account,
  merge_method: MergeMethod,
  queue_branch_merge_method: Schema.NullOr(Schema.Literal("fast-forward")),
  queue_branch_prefix: Text.between(1, 200),
  update_bot_account: Account,
  update_method: UpdateMethod
}

/** Schema of the configuration of a rule; its keys are exactly those of interface 2.11. Durations are in seconds. */
export const QueueConfig = Schema.Struct({ priority: whole(0, 2_147_483_647), ...settings })

/** The configuration of a rule (interface 2.11). */
export type QueueConfig = typeof QueueConfig.Type

/** The configuration of a rule without its priority. */
export type Settings = Omit<QueueConfig, "priority">

/** Schema of a queue rule (interface 2.11). */
export const QueueRule = Schema.Struct({ name: Text.between(1, 255), config: QueueConfig })

/** A queue rule (interface 2.11). */
export type QueueRule = typeof QueueRule.Type

/**
 * The settings of a rule that sets none.
 *
 * **Details**
 *
 * - `batch_size` 1: a failure is never somebody else's fault.
 * - `batch_max_wait_time` 30: long enough to collect what is queued in one go, short enough not to be noticed.
 * - `batch_max_failure_resolution_attempts` null: splitting ends by itself, after log2 of the batch size rounds.
 * - `allow_inplace_checks` true: an up-to-date pull request at the head needs no second pull request.
 * - `allow_queue_branch_edit` false: what was checked is what is merged.
 * - `checks_timeout` null: only the owner of a pipeline knows how long it may take.
 * - `commit_message_template` null: the hosting platform's own text.
 * - `*_bot_account` null: nobody's account is used unasked.
 * - `merge_method` and `update_method` `merge`: history is never rewritten unasked.
 * - `queue_branch_merge_method` null: pull requests are merged one by one, and shown as merged.
 * - `queue_branch_prefix` `gh-readonly-queue/`: where GitHub's merge queue, the built-in feed, makes its branches; test
 *   results of such branches do not count as the default branch's.
 */
export const defaults: Settings = {
  batch_size: 1,
  batch_max_wait_time: 30,
  batch_max_failure_resolution_attempts: null,
  allow_inplace_checks: true,
  allow_queue_branch_edit: false,
  checks_timeout: null,
  commit_message_template: null,
  draft_bot_account: null,
  merge_bot_account: null,
  merge_method: "merge",
  queue_branch_merge_method: null,
  queue_branch_prefix: "gh-readonly-queue/",
  update_bot_account: null,
  update_method: "merge"
}

/**
 * The settings with every key: those given, the defaults for the rest.
 *
 * **Details**
 *
 * Where `merge_method` is `fast-forward` the default of `update_method` is `rebase`, because a merged update could not
 * be fast-forwarded to a straight history.
 *
 * @example
 * ```ts
 * import { QueueRule } from "@lazaret/domain"
 *
 * QueueRule.complete({}).update_method // => "merge"
 * QueueRule.complete({ merge_method: "fast-forward" }).update_method // => "rebase"
 * ```
 */
export const complete = (given: Partial<Settings>): Settings => ({
  ...defaults,
  update_method: given.merge_method === "fast-forward" ? "rebase" : defaults.update_method,
  ...given
})

/**
 * The rules in processing order, each with its priority: the first of n rules has n − 1, the last 0.
 *
 * @example
 * ```ts
 * import { QueueRule } from "@lazaret/domain"
 *
 * const rules = QueueRule.prioritize([{ name: "hotfix", settings: {} }, { name: "default", settings: {} }])
 * rules.map((rule) => rule.config.priority) // => [1, 0]
 * ```
 */
export const prioritize = (
  rules: ReadonlyArray<{ readonly name: string; readonly settings: Partial<Settings> }>
): ReadonlyArray<QueueRule> =>
  rules.map(({ name, settings: given }, index) => ({
    name,
    config: { priority: rules.length - 1 - index, ...complete(given) }
  }))

/**
 * The rule of a name. One that is not configured has every default and priority 0.
 *
 * **Details**
 *
 * A feed may name rules of which no configuration was given, and GitHub's merge queue names none; the queue is shown
 * all the same (our choice).
 */
export const find = (rules: ReadonlyArray<QueueRule>, name: string): QueueRule =>
  rules.find((rule) => rule.name === name) ?? { name, config: { priority: 0, ...defaults } }
