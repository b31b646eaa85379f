/** Deterministic ids of queue events, derived from their content. */
import { Instant } from "@lazaret/domain"

/**
 * The order of events of one instant: causes before effects.
 *
 * **Details**
 *
 * GitHub's times have whole seconds, and many events share one. Events of one instant are ordered by id, so the id
 * starts with the place: a pull request is queued before its checks start, a check runs before it ends, and leaving the
 * queue comes last.
 */
export const places = {
  queued: 0,
  checks_started: 1,
  check_pending: 2,
  check_ended: 3,
  checks_ended: 4,
  merged: 5,
  dequeued: 6
} as const

/**
 * The id of an event: `github:{place}:{what happened}:{GitHub's name of the object}:{when}`.
 *
 * **Details**
 *
 * The id does not depend on the delivery. A redelivery, and the same event from two webhooks (of the repository and of
 * its organisation), give the same id and count once.
 */
export const of = (
  place: keyof typeof places,
  happening: string,
  { at, name }: { readonly at: Instant.Instant; readonly name: string }
): string => `github:${places[place]}:${happening}:${name}:${Instant.toIso(at)}`
