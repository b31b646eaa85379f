/** Outgoing webhooks on the wire (our choice: the interface has no such routes). */
import { Event, Subscription } from "@lazaret/domain"
import type { NewSubscription, ShownSubscription } from "@lazaret/services"
import { Schema } from "effect"
import { EventBody, of as eventOf } from "./Event.ts"
import { Timestamp } from "./Timestamp.ts"

/** The body that makes an outgoing webhook. */
export const CreateWebhook = Schema.Struct({
  url: Subscription.Target.annotate({
    description: "Where events are sent by POST.",
    examples: ["https://example.com"]
  }),
  secret: Subscription.Secret.annotate({ description: "What requests are signed with; never shown again." }),
  events: Schema.optionalKey(
    Schema.Array(Event.EventType).annotate({ description: "The types of events that are sent; all unless given." })
  )
}).annotate({ identifier: "CreateWebhook" })

/** An outgoing webhook, without its secret. */
export const Webhook = Schema.Struct({
  id: Schema.String.check(Schema.isUUID()),
  url: Schema.String,
  events: Schema.Array(Event.EventType),
  created_at: Timestamp,
  created_by: Schema.String
}).annotate({ identifier: "Webhook", description: "Where events are sent." })

/** The outgoing webhooks of a repository. */
export const WebhookList = Schema.Struct({ webhooks: Schema.Array(Webhook) }).annotate({
  identifier: "WebhookList",
  description: "The webhooks of the repository, the oldest first."
})

/** The events that a receiver did not take. */
export const DeadLetters = Schema.Struct({
  dead_letters: Schema.Array(
    Schema.Struct({ event: EventBody, at: Timestamp, attempts: Schema.Int, error: Schema.String })
  )
}).annotate({ identifier: "DeadLetters", description: "Events that were given up, the latest first." })

/** The webhook that a body asks for. */
export const newOf = ({ events, secret, url }: typeof CreateWebhook.Type, by: string): NewSubscription => ({
  url,
  secret,
  types: events ?? [],
  by
})

/** A webhook as the wire shows it; one that gets all events names all types. */
export const of = ({ createdAt, createdBy, id, types, url }: ShownSubscription): typeof Webhook.Type => ({
  id,
  url,
  events: types.length === 0 ? Event.EventType.literals : types,
  created_at: createdAt,
  created_by: createdBy
})

/** Webhooks as the wire shows them. */
export const listOf = (all: ReadonlyArray<ShownSubscription>): typeof WebhookList.Type => ({ webhooks: all.map(of) })

/** Dead letters as the wire shows them. */
export const deadOf = (letters: ReadonlyArray<Subscription.DeadLetter>): typeof DeadLetters.Type => ({
  dead_letters: letters.map(({ at, attempts, error, event }) => ({ event: eventOf(event), at, attempts, error }))
})
