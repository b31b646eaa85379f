/** Reasons why a pull request left the queue without being merged, and the sentences that explain them. */
import { Schema } from "effect"
import { PullRequestNumber } from "../PullRequestNumber.ts"
import * as FailureClass from "./FailureClass.ts"
import { Failure, Sha } from "./Observation.ts"

/** The codes of the reasons. */
export const Code = Schema.Literals([
  "checks_failed",
  "checks_timeout",
  "missing_check",
  "conflict",
  "head_changed",
  "closed",
  "base_changed",
  "draft",
  "approval_lost",
  "blocked_by_label",
  "dequeued_by",
  "queue_branch_edited",
  "batch_failed",
  "not_resolved",
  "mode_changed"
])

/** The code of a reason. */
export type Code = typeof Code.Type

/**
 * Schema of a reason with its evidence.
 *
 * **Details**
 *
 * - `round`: the commit whose round decided, and `tree` its tree.
 * - `members`: the pull requests of that round; several where the failure was inferred or nobody was found.
 * - `inferred`: the round was a larger batch, judged real, whose other members have landed unchanged.
 * - `attempts`: how often the round was run. `who`: the person, label or new commit that the code speaks of.
 */
export const DequeueReason = Schema.Struct({
  code: Code,
  round: Schema.optionalKey(Sha),
  tree: Schema.optionalKey(Sha),
  members: Schema.optionalKey(Schema.Array(PullRequestNumber)),
  inferred: Schema.optionalKey(Schema.Boolean),
  class: Schema.optionalKey(FailureClass.FailureClass),
  probability: Schema.optionalKey(Schema.NullOr(Schema.Number)),
  checks: Schema.optionalKey(Schema.Array(Schema.String)),
  failures: Schema.optionalKey(Schema.Array(Failure)),
  attempts: Schema.optionalKey(Schema.Int),
  who: Schema.optionalKey(Schema.String)
})

/** Why a pull request left the queue, with the evidence. */
export type DequeueReason = typeof DequeueReason.Type

const list = (names: ReadonlyArray<string>): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`

const failed = (reason: DequeueReason): string => {
  const tests = [...new Set((reason.failures ?? []).flatMap(({ test }) => (test === null ? [] : [test])))]
  const checks = list(reason.checks ?? [])
  const what = tests.length === 0 ? checks : `${checks} (${list(tests.slice(0, 3))}${tests.length > 3 ? ", …" : ""})`
  const runs = (reason.attempts ?? 1) > 1 ? ` in ${reason.attempts} attempts` : ""
  return `${what === "" ? "A required check" : what} failed${runs}`
}

const group = (reason: DequeueReason): string => list((reason.members ?? []).map((number) => `#${number}`))

const blame = (reason: DequeueReason): string => {
  switch (reason.class) {
    case "infrastructure":
      return "The environment failed; no pull request was found to be the cause."
    case "flaky":
      return "The failures look flaky, and the reruns are used up."
    case "real":
      return "The failure is judged to be caused by this change."
    default:
      return "It is not known whether this change is the cause."
  }
}

const sentences: Record<Code, (reason: DequeueReason) => string> = {
  checks_failed: (reason) =>
    reason.inferred === true
      ? `${failed(reason)} on ${group(reason)} together; the others have landed. ${blame(reason)}`
      : `${failed(reason)}. ${blame(reason)}`,
  checks_timeout: (reason) =>
    `${list(reason.checks ?? [])} did not finish in time; no pull request was found to be the cause.`,
  missing_check: (reason) => `${list(reason.checks ?? [])} never started; see whether it runs on queue branches.`,
  conflict: () => "It conflicts with the base branch; update it and queue it again.",
  head_changed: (reason) => `Its head changed to ${reason.who ?? "another commit"}; queue it again to test that one.`,
  closed: () => "It was closed.",
  base_changed: (reason) => `Its base branch changed to ${reason.who ?? "another"}.`,
  draft: () => "It was converted to a draft.",
  approval_lost: () => "Its approval was withdrawn.",
  blocked_by_label: (reason) => `The label ${reason.who ?? ""} keeps it out of the queue.`,
  dequeued_by: (reason) => `${reason.who ?? "Somebody"} took it out of the queue.`,
  queue_branch_edited: () => "Its queue branch was changed twice by somebody else.",
  batch_failed: (reason) => `${failed(reason)} on ${group(reason)} together; the batch is not split, by configuration.`,
  not_resolved: (reason) =>
    `${failed(reason)} on ${group(reason)} together, and the attempts to find the cause ran out.`,
  mode_changed: () => "Lazaret does not drive this queue any more."
}

/**
 * The sentence that explains a reason to people.
 *
 * @example
 * ```ts
 * import { DequeueReason } from "@lazaret/queue"
 *
 * DequeueReason.sentence({ code: "dequeued_by", who: "ana" }) // => "ana took it out of the queue."
 * DequeueReason.sentence({ code: "checks_failed", checks: ["unit"], class: "real", attempts: 2 }) // => "unit failed in 2 attempts. The failure is judged to be caused by this change."
 * ```
 */
export const sentence = (reason: DequeueReason): string => sentences[reason.code](reason)

/** Whether a reason says that checks went wrong, as opposed to something that people did. */
export const isFailure = ({ code }: DequeueReason): boolean =>
  code === "checks_failed" ||
  code === "checks_timeout" ||
  code === "missing_check" ||
  code === "batch_failed" ||
  code === "not_resolved"
