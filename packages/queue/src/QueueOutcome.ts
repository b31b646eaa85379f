/** Outcomes of queue events: what the fold made of each, and why it ignored some. */
import { Schema } from "effect"
import type * as QueueEvent from "./QueueEvent.ts"
import { Text } from "@lazaret/domain"

/**
 * Why an event was ignored.
 *
 * **Details**
 *
 * - `duplicate`: an event with this id has been seen.
 * - `late`: the event lies before the last one; only `MergeQueue.step` says this, a fold puts it in its place.
 * - `unknown_kind`: the kind is not one that the fold knows.
 * - `already_queued`: the pull request is in this queue; it keeps its place.
 * - `not_queued`: the pull request is not in this queue.
 * - `no_checks`: no round of checks has been started for the pull request.
 * - `checks_already_ended`: the round of checks has its verdict.
 * - `other_round`: the event names another round of checks than the running one.
 * - `checks_pending`: one suite of checks has ended, and another check is still out.
 * - `not_in_place`: checks that run in place, or are trusted, name another pull request.
 */
export const Reason = Schema.Literals([
  "duplicate",
  "late",
  "unknown_kind",
  "already_queued",
  "not_queued",
  "no_checks",
  "checks_already_ended",
  "other_round",
  "checks_pending",
  "not_in_place"
])

/** Why an event was ignored. */
export type Reason = typeof Reason.Type

/** Schema of an outcome. */
export const QueueOutcome = Schema.Union([
  Schema.Struct({ id: Text.Storable, status: Schema.Literal("applied") }),
  Schema.Struct({ id: Text.Storable, status: Schema.Literal("ignored"), reason: Reason, detail: Schema.String })
])

/** The outcome of an event; `detail` is the reason in a sentence. */
export type QueueOutcome = typeof QueueOutcome.Type

/** The outcome of an event that counts. */
export const applied = (event: QueueEvent.QueueEvent): QueueOutcome => ({ id: event.id, status: "applied" })

/**
 * The outcome of an event that changes nothing.
 *
 * @example
 * ```ts
 * import { QueueOutcome } from "@lazaret/queue"
 *
 * const event = { id: "e1", at: 0, branch: "main", pullRequest: 7, kind: "merged" } as const
 * const outcome = QueueOutcome.ignored(event, "not_queued")
 * outcome // => { id: "e1", status: "ignored", reason: "not_queued", detail: "Pull request 7 is not in the queue of \"main\"." }
 * ```
 */
export const ignored = (event: QueueEvent.QueueEvent, reason: Reason): QueueOutcome => ({
  id: event.id,
  status: "ignored",
  reason,
  detail: detailOf(event, reason)
})

const detailOf = (event: QueueEvent.QueueEvent, reason: Reason): string => {
  const pullRequest = `Pull request ${event.pullRequest}`
  const queue = `the queue of ${JSON.stringify(event.branch)}`
  const sentences: Record<Reason, string> = {
    duplicate: `An event with the id ${JSON.stringify(event.id)} has been seen.`,
    late: "The event lies before the last one; fold the whole log again.",
    unknown_kind: `The kind ${JSON.stringify("unknownKind" in event ? event.unknownKind : event.kind)} is not known.`,
    already_queued: `${pullRequest} is already in ${queue} and keeps its place.`,
    not_queued: `${pullRequest} is not in ${queue}.`,
    no_checks: `No checks have been started for pull request ${event.pullRequest} in ${queue}.`,
    checks_already_ended: `The checks of pull request ${event.pullRequest} in ${queue} have already ended.`,
    other_round: `Pull request ${event.pullRequest} in ${queue} is checked in another round.`,
    checks_pending: `Other checks of pull request ${event.pullRequest} in ${queue} are still out.`,
    not_in_place: `Only checks of the type draft_pr can run on another pull request than ${event.pullRequest}.`
  }
  return sentences[reason]
}
