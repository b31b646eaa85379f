/**
 * Queue rules: how the pull requests of a merge queue are checked and merged (interface 2.11).
 *
 * The interface names the keys and leaves open types, units, limits and defaults. They are our choice and are listed in
 * `docs/explanation/what-is-not-specified.md`.
 */
import { Schema } from "effect"
import { Text } from "@lazaret/domain"

const whole = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const Method = Schema.Literals(["merge", "squash", "rebase", "fast-forward"])

/** How a pull request becomes part of its base branch. */
export type MergeMethod = typeof Method.Type

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
 * - `batchSize`: 1 to 128 pull requests that are checked together.
 * - `batchMaxWaitTime`: seconds that an incomplete batch waits for more, up to seven days.
 * - `batchMaxFailureResolutionAttempts`: rounds of splitting a failed batch, 0 to 128; null: until the culprit is found.
 * - `checksTimeout`: seconds after which pending checks count as failed, from one minute to seven days; null: never.
 * - `*_bot_account`: the account that acts; null: the application's own.
 * - `queueBranchMergeMethod`: null merges the pull requests one by one, `fast-forward` moves the base branch to the
 *   queue's branch.
 */
export const settings = {
  batchSize: whole(1, 128),
  batchMaxWaitTime: whole(0, longestDuration),
  batchMaxFailureResolutionAttempts: Schema.NullOr(whole(0, 128)),
  allowInplaceChecks: Schema.Boolean,
  allowQueueBranchEdit: Schema.Boolean,
  checksTimeout: Schema.NullOr(whole(60, longestDuration)),
  commitMessageTemplate: Schema.NullOr(Text.between(0, 10_000)),
  draftBotAccount: Account,
  mergeBotAccount: Account,
  mergeMethod: Method,
  queueBranchMergeMethod: Schema.NullOr(Schema.Literal("fast-forward")),
  queueBranchPrefix: Text.between(1, 200),
  updateBotAccount: Account,
  updateMethod: UpdateMethod
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
 * - `batchSize` 1: a failure is never somebody else's fault.
 * - `batchMaxWaitTime` 30: long enough to collect what is queued in one go, short enough not to be noticed.
 * - `batchMaxFailureResolutionAttempts` null: splitting ends by itself, after log2 of the batch size rounds.
 * - `allowInplaceChecks` true: an up-to-date pull request at the head needs no second pull request.
 * - `allowQueueBranchEdit` false: what was checked is what is merged.
 * - `checksTimeout` null: only the owner of a pipeline knows how long it may take.
 * - `commitMessageTemplate` null: the hosting platform's own text.
 * - `*_bot_account` null: nobody's account is used unasked.
 * - `mergeMethod` and `updateMethod` `merge`: history is never rewritten unasked.
 * - `queueBranchMergeMethod` null: pull requests are merged one by one, and shown as merged.
 * - `queueBranchPrefix` `gh-readonly-queue/`: where GitHub's merge queue, the built-in feed, makes its branches; test
 *   results of such branches do not count as the default branch's.
 */
export const defaults: Settings = {
  batchSize: 1,
  batchMaxWaitTime: 30,
  batchMaxFailureResolutionAttempts: null,
  allowInplaceChecks: true,
  allowQueueBranchEdit: false,
  checksTimeout: null,
  commitMessageTemplate: null,
  draftBotAccount: null,
  mergeBotAccount: null,
  mergeMethod: "merge",
  queueBranchMergeMethod: null,
  queueBranchPrefix: "gh-readonly-queue/",
  updateBotAccount: null,
  updateMethod: "merge"
}

/**
 * The settings with every key: those given, the defaults for the rest.
 *
 * **Details**
 *
 * Where `mergeMethod` is `fast-forward` the default of `updateMethod` is `rebase`, because a merged update could not
 * be fast-forwarded to a straight history.
 *
 * @example
 * ```ts
 * import { QueueRule } from "@lazaret/queue"
 *
 * QueueRule.complete({}).updateMethod // => "merge"
 * QueueRule.complete({ mergeMethod: "fast-forward" }).updateMethod // => "rebase"
 * ```
 */
export const complete = (given: Partial<Settings>): Settings => ({
  ...defaults,
  updateMethod: given.mergeMethod === "fast-forward" ? "rebase" : defaults.updateMethod,
  ...given
})

/**
 * The rules in processing order, each with its priority: the first of n rules has n − 1, the last 0.
 *
 * @example
 * ```ts
 * import { QueueRule } from "@lazaret/queue"
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
