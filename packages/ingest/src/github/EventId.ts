/** Ids of queue events that are made from what they say. */
import { Instant } from "@lazaret/domain"

/**
 * Where the events of one instant stand: causes before their effects.
 *
 * **Details**
 *
 * GitHub's times have whole seconds, and much happens in one. Events of one instant are ordered by their ids, so the
 * place comes first in the id: a pull request is queued before its checks start, a check runs before it ends, and who
 * leaves the queue leaves it last.
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
 * The id of the delivery has no part in it. A delivery that is sent again, and the same happening that comes through
 * two webhooks (of the repository and of its organisation), give the same ids, and count once.
 */
export const of = (
  place: keyof typeof places,
  happening: string,
  { at, name }: { readonly at: Instant.Instant; readonly name: string }
): string => `github:${places[place]}:${happening}:${name}:${Instant.toIso(at)}`
