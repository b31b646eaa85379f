/** Outgoing webhooks on the wire (our choice: the interface has no such routes). */
import { Event, Subscription } from "@lazaret/domain"
import { Schema } from "effect"
import { EventBody } from "./Event.ts"
import { Timestamp } from "../definition/Timestamp.ts"

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
  url: Schema.String.annotate({ description: "Where events are sent; the values of the query are hidden." }),
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
