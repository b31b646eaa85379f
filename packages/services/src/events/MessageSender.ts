/** The port that sends the messages of notifiers. The server provides the adapter. */
import type { Channel } from "@lazaret/domain"
import { Context, Effect } from "effect"
import { DeliveryFailure } from "./EventSender.ts"
import type { Message } from "./Message.ts"

/**
 * Sends one message.
 *
 * **Laws**
 *
 * - It succeeds if the channel accepts the message within thirty seconds, and fails in every other case.
 * - It follows no redirect. What a failure says has neither the address of the channel nor an answer of it.
 * - Two messages with one id are recognisable as one, where the channel has a place for it: an e-mail has it in its Message-ID.
 */
export interface SendMessage {
  (channel: Channel.Channel, message: Message): Effect.Effect<void, DeliveryFailure>
}

/**
 * A sender.
 *
 * **Details**
 *
 * `obstacle`: why no message can be sent over a channel with the settings of the server, null when one may be; without it, any may.
 */
export interface Sender {
  readonly send: SendMessage
  readonly obstacle?: (channel: Channel.Channel) => string | null
}

/** Sends messages. The default sender fails: a server provides one. */
export const MessageSender: Context.Reference<Sender> = Context.Reference<Sender>("@lazaret/services/MessageSender", {
  defaultValue: () => ({ send: () => Effect.fail(new DeliveryFailure({ message: "no sender is configured" })) })
})
