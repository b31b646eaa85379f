/** The rule of transitions: what the log says of verdicts that one write has changed. */
import { Event, type HealthStatus } from "@lazaret/domain"
import { Effect } from "effect"

/** A verdict that differs before and after a write, whatever lay between. */
export interface Transition {
  readonly from: HealthStatus.HealthStatus
  readonly to: HealthStatus.HealthStatus
}

/**
 * The events of transitions: one for each up to `Event.mostMoves`, beyond that one for all of them together.
 *
 * **Details**
 *
 * `describe` finds out what an event of its own says; it is not asked beyond the limit.
 */
export const eventsOf = <T extends Transition, E, R>(
  transitions: ReadonlyArray<T>,
  cause: Event.Cause,
  describe: (transitions: ReadonlyArray<T>) => Effect.Effect<ReadonlyArray<Event.Move>, E, R>
): Effect.Effect<ReadonlyArray<Event.Event>, E, R> => {
  if (transitions.length === 0) return Effect.succeed([])
  return transitions.length > Event.mostMoves
    ? Effect.succeed([Event.manyHealthChanged(transitions, cause)])
    : Effect.map(describe(transitions), (moves) => Event.healthChanged(moves, cause))
}
