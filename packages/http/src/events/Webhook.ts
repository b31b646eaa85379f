/** Outgoing webhooks on the wire (our choice: the interface has no such routes). */
import { Schemas } from "@lazaret/api"
import { Event, type Subscription } from "@lazaret/domain"
import type { NewWebhook, ShownWebhook } from "@lazaret/services"

/** The webhook that a body asks for. */
export const newOf = ({ events, secret, url }: typeof Schemas.CreateWebhook.Type, by: string): NewWebhook => ({
  url,
  secret,
  types: events ?? [],
  by
})

/** A webhook as the wire shows it; one that gets all events names all types. */
export const of = ({ createdAt, createdBy, id, types, url }: ShownWebhook): typeof Schemas.Webhook.Type => ({
  id,
  url,
  events: types.length === 0 ? Event.EventType.literals : types,
  created_at: createdAt,
  created_by: createdBy
})

/** Webhooks as the wire shows them. */
export const listOf = (all: ReadonlyArray<ShownWebhook>): typeof Schemas.WebhookList.Type => ({
  webhooks: all.map(of)
})

/** Dead letters as the wire shows them. */
export const deadOf = (letters: ReadonlyArray<Subscription.DeadLetter>): typeof Schemas.DeadLetters.Type => ({
  dead_letters: letters.map(({ at, attempts, error, event }) => ({
    event: Schemas.eventOf({ ...event, owners: null }),
    at,
    attempts,
    error
  }))
})
