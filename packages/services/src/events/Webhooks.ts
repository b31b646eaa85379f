/** The use cases of outgoing webhooks: the receivers of a repository's events. */
import { type Event, type Repository, Subscription } from "@lazaret/domain"
import { RepositoryStore, type StoreError, SubscriptionStore } from "@lazaret/store"
import { Clock, Context, Effect, Layer } from "effect"
import { Deliveries } from "./Deliveries.ts"
import * as Lookup from "../answer/Lookup.ts"
import { note } from "../answer/AuditNote.ts"
import { NewId } from "../ports/NewId.ts"
import {
  DeadLetterNotFound,
  RedeliveryFailed,
  type RepositoryNotFound,
  WebhookNotFound
} from "../answer/ServiceError.ts"
import { EventOwners } from "./EventOwners.ts"

/** A new webhook and the name of its creator. An empty `types` selects all types of events. */
export interface NewWebhook {
  readonly url: string
  readonly secret: string
  readonly types: ReadonlyArray<Event.EventType>
  readonly by: string
}

/** A webhook without its secret. */
export type ShownWebhook = Omit<Subscription.Subscription, "secret">

/** Creates, lists and deletes outgoing webhooks, and redelivers dead letters. */
export class Webhooks extends Context.Service<
  Webhooks,
  {
    /** Creates a webhook that receives every event from now on. */
    readonly create: (
      ref: Repository.RepositoryRef,
      subscription: NewWebhook
    ) => Effect.Effect<ShownWebhook, StoreError>
    /** The webhooks of a repository, oldest first. */
    readonly list: (
      ref: Repository.RepositoryRef
    ) => Effect.Effect<ReadonlyArray<ShownWebhook>, RepositoryNotFound | StoreError>
    /** Deletes a webhook and its dead letters. */
    readonly remove: (
      ref: Repository.RepositoryRef,
      id: string
    ) => Effect.Effect<void, RepositoryNotFound | WebhookNotFound | StoreError>
    /** The events that the receiver did not accept, latest first. */
    readonly deadLetters: (
      ref: Repository.RepositoryRef,
      id: string
    ) => Effect.Effect<ReadonlyArray<Subscription.DeadLetter>, RepositoryNotFound | WebhookNotFound | StoreError>
    /** Sends a dead letter once more, and deletes it when the receiver accepts it. */
    readonly redeliver: (
      ref: Repository.RepositoryRef,
      id: string,
      eventId: string
    ) => Effect.Effect<void, DeadLetterNotFound | RedeliveryFailed | RepositoryNotFound | WebhookNotFound | StoreError>
  }
>()("@lazaret/services/Webhooks") {
  /** The use cases over the storage ports. */
  static readonly layer = Layer.effect(
    Webhooks,
    Effect.gen(function* () {
      const repository = Lookup.repository(yield* RepositoryStore)
      const store = yield* SubscriptionStore
      const deliveries = yield* Deliveries
      const newId = yield* NewId
      const owners = yield* EventOwners

      const create = Effect.fn("Webhooks.create")(function* (
        ref: Repository.RepositoryRef,
        { by, secret, types, url }: NewWebhook
      ) {
        const createdAt = yield* Clock.currentTimeMillis
        const subscription = { id: yield* newId, url, secret, types: [...new Set(types)], createdAt, createdBy: by }
        yield* store.insert(ref, subscription)
        yield* note({ after: noteOf(subscription) })
        return shown(subscription)
      })

      const list = Effect.fn("Webhooks.list")(function* (ref: Repository.RepositoryRef) {
        yield* repository(ref)
        return (yield* store.list(ref)).map(shown)
      })

      const remove = Effect.fn("Webhooks.remove")(function* (ref: Repository.RepositoryRef, id: string) {
        yield* repository(ref)
        const held = (yield* store.list(ref)).find((each) => each.id === id)
        yield* note({ before: held === undefined ? null : noteOf(held) })
        if (!(yield* store.remove(ref, id))) return yield* unknown(ref, id)
      })

      const deadLetters = Effect.fn("Webhooks.deadLetters")(function* (ref: Repository.RepositoryRef, id: string) {
        yield* repository(ref)
        return yield* Effect.flatMap(
          store.deadLetters(ref, id),
          Lookup.orFail(() => unknown(ref, id))
        )
      })

      const redeliver = Effect.fn("Webhooks.redeliver")(function* (
        ref: Repository.RepositoryRef,
        id: string,
        eventId: string
      ) {
        const letter = (yield* deadLetters(ref, id)).find(({ event }) => event.id === eventId)
        const subscription = (yield* store.list(ref)).find((each) => each.id === id)
        if (subscription === undefined) return yield* unknown(ref, id)
        const where = { owner: ref.owner, repository: ref.repository, webhookId: id, eventId }
        if (letter === undefined) return yield* new DeadLetterNotFound(where)
        const [event] = yield* owners.owned(ref, [letter.event])
        if (event === undefined) return yield* new DeadLetterNotFound(where)
        yield* Effect.mapError(
          deliveries.send(subscription, event),
          ({ message }) => new RedeliveryFailed({ ...where, reason: message })
        )
        yield* store.removeDeadLetter(ref, id, eventId)
      })

      return Webhooks.of({ create, list, remove, deadLetters, redeliver })
    })
  ).pipe(Layer.provide(EventOwners.layer))
}

const shown = ({ createdAt, createdBy, id, types, url }: Subscription.Subscription): ShownWebhook => ({
  id,
  url: Subscription.shownTarget(url),
  types,
  createdAt,
  createdBy
})

/** A webhook in the audit log: the path of its address may be secret. */
const noteOf = ({ id, types, url }: Subscription.Subscription) => ({ id, host: URL.parse(url)?.host ?? null, types })

const unknown = ({ owner, repository }: Repository.RepositoryRef, webhookId: string) =>
  new WebhookNotFound({ owner, repository, webhookId })
