/** The port that sends events. The server provides the adapter, which defines the format of the request. */
import type { Instant } from "@lazaret/domain"
import { Context, Effect, Schema } from "effect"
import type { OwnedEvent } from "./EventOwners.ts"

/**
 * One delivery of an event to a receiver.
 *
 * **Details**
 *
 * `id` is the same for every attempt to deliver the event, so that the receiver can recognise a repetition. `sentAt` is the
 * time of this attempt.
 */
export interface Delivery {
  readonly id: string
  readonly url: string
  readonly secret: string
  readonly event: OwnedEvent
  readonly sentAt: Instant.Instant
}

/**
 * The receiver did not accept an event; `message` says why, for the person who runs the receiver.
 *
 * **To do:** Nothing: the event is sent again, with growing pauses, until it becomes a dead letter.
 */
export class DeliveryFailure extends Schema.TaggedError<DeliveryFailure>()("DeliveryFailure", {
  message: Schema.String
}) {}

/**
 * Sends one delivery.
 *
 * **Laws**
 *
 * - It succeeds if the receiver answers with a status of success within ten seconds, and fails in every other case.
 * - It follows no redirect, and reads only the status of the answer.
 */
export interface Send {
  (delivery: Delivery): Effect.Effect<void, DeliveryFailure>
}

/** Sends events. The default sender fails: a server provides one. */
export const EventSender: Context.Reference<{ readonly send: Send }> = Context.Reference<{ readonly send: Send }>(
  "@lazaret/services/EventSender",
  { defaultValue: () => ({ send: () => Effect.fail(new DeliveryFailure({ message: "no sender is configured" })) }) }
)
