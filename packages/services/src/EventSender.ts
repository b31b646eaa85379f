/** The port through which events leave: one request to a receiver. The adapter is the server's. */
import { Context, Effect, Schema } from "effect"

/** The request that a receiver gets by POST. */
export interface EventRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A receiver that did not take an event; `message` says why, for the person who runs it. */
export class DeliveryFailure extends Schema.TaggedError<DeliveryFailure>()("DeliveryFailure", {
  message: Schema.String
}) {}

/**
 * How an event is sent.
 *
 * **Laws**
 *
 * - It succeeds when the receiver answers with a status of success, and fails in every other case, within ten seconds.
 * - No redirect is followed, and nothing of the answer but its status is looked at.
 */
export interface Send {
  (request: EventRequest): Effect.Effect<void, DeliveryFailure>
}

/** Sends events; unless it is provided, none can be sent. */
export const EventSender: Context.Reference<{ readonly send: Send }> = Context.Reference<{ readonly send: Send }>(
  "@lazaret/services/EventSender",
  { defaultValue: () => ({ send: () => Effect.fail(new DeliveryFailure({ message: "nothing here sends events" })) }) }
)
