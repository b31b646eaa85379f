/**
 * Removals of pull requests from the merge queue of GitHub, as their timeline has them.
 *
 * **Details**
 *
 * The schema calls a reason a text and lists none. The words are those that people report of the timeline (`failed_checks`,
 * `merge_conflict`, `manual`, `merged`) and those of the webhook `pull_request.dequeued` (`CI_FAILURE`, `CI_TIMEOUT`, …), in any
 * case. Unverified on a live GitHub.
 */
import type { Removal } from "@lazaret/services"
import { Schema } from "effect"

/** The fields of the last removal in a query. */
export const fields = `timelineItems(last: 1, itemTypes: [REMOVED_FROM_MERGE_QUEUE_EVENT]) {
    nodes { ... on RemovedFromMergeQueueEvent { createdAt reason actor { login } } }
  }`

/** Schema of a removal in an answer. */
export const Event = Schema.Struct({
  createdAt: Schema.String,
  reason: Schema.NullOr(Schema.String),
  actor: Schema.NullOr(Schema.Struct({ login: Schema.String }))
})

const reasons: Readonly<Record<string, Removal["reason"]>> = {
  ci_failure: "ci_failure",
  failed_checks: "ci_failure",
  ci_failed: "ci_failure",
  ci_timeout: "ci_timeout",
  checks_timed_out: "ci_timeout",
  timed_out: "ci_timeout",
  manual: "manual",
  dequeued: "manual",
  merge: "merged",
  merged: "merged",
  already_merged: "merged",
  merge_conflict: "conflict"
}

/** The last of the removals; null without a removal. */
export const of = (events: ReadonlyArray<typeof Event.Type | null>): Removal | null => {
  const event = events.at(-1) ?? null
  if (event === null) return null
  const word = (event.reason ?? "").toLowerCase().replaceAll(/[^a-z]+/gu, "_")
  return { at: Date.parse(event.createdAt), reason: reasons[word] ?? "other", by: event.actor?.login ?? null }
}
