/** The use cases of subscriptions: who is told of the events of a repository. */
import { randomUUID } from "node:crypto"
import type { Event, Repository, Subscription } from "@lazaret/domain"
import { RepositoryStore, type StoreError, SubscriptionStore } from "@lazaret/store"
import { Clock, Context, Effect, Layer } from "effect"
import { Deliveries } from "./Deliveries.ts"
import * as Known from "./Known.ts"
import { Conflict, NotFound } from "./ServiceError.ts"

/** What a caller says about a new subscription, and who says it; no types ask for all. */
export interface NewSubscription {
  readonly url: string
  readonly secret: string
  readonly types: ReadonlyArray<Event.EventType>
  readonly by: string
}

/** A subscription as it may be shown: without its secret. */
export type ShownSubscription = Omit<Subscription.Subscription, "secret">

/** Keeps subscriptions. */
export class Subscriptions extends Context.Service<
  Subscriptions,
  {
    /** Subscribes to what happens from now on. */
    readonly create: (
      ref: Repository.RepositoryRef,
      subscription: NewSubscription
    ) => Effect.Effect<ShownSubscription, StoreError>
    /** The subscriptions of a repository, oldest first. */
    readonly list: (
      ref: Repository.RepositoryRef
    ) => Effect.Effect<ReadonlyArray<ShownSubscription>, NotFound | StoreError>
    /** Ends a subscription with everything that it has. */
    readonly remove: (ref: Repository.RepositoryRef, id: string) => Effect.Effect<void, NotFound | StoreError>
    /** The events that were given up, the latest first. */
    readonly deadLetters: (
      ref: Repository.RepositoryRef,
      id: string
    ) => Effect.Effect<ReadonlyArray<Subscription.DeadLetter>, NotFound | StoreError>
    /** Sends a dead letter again, once; it is no dead letter any more when the receiver takes it, else a conflict. */
    readonly redeliver: (
      ref: Repository.RepositoryRef,
      id: string,
      eventId: string
    ) => Effect.Effect<void, Conflict | NotFound | StoreError>
  }
>()("@lazaret/services/Subscriptions") {
  /** The use cases over the storage ports. */
  static readonly layer = Layer.effect(
    Subscriptions,
    Effect.gen(function* () {
      const repository = Known.repository(yield* RepositoryStore)
      const store = yield* SubscriptionStore
      const deliveries = yield* Deliveries

      const create = Effect.fnUntraced(function* (
        ref: Repository.RepositoryRef,
        { by, secret, types, url }: NewSubscription
      ) {
        const createdAt = yield* Clock.currentTimeMillis
        const subscription = { id: randomUUID(), url, secret, types: [...new Set(types)], createdAt, createdBy: by }
        yield* store.insert(ref, subscription)
        return shown(subscription)
      })

      const list = Effect.fnUntraced(function* (ref: Repository.RepositoryRef) {
        yield* repository(ref)
        return (yield* store.list(ref)).map(shown)
      })

      const remove = Effect.fnUntraced(function* (ref: Repository.RepositoryRef, id: string) {
        yield* repository(ref)
        if (!(yield* store.remove(ref, id))) return yield* unknown
      })

      const deadLetters = Effect.fnUntraced(function* (ref: Repository.RepositoryRef, id: string) {
        yield* repository(ref)
        return yield* Effect.flatMap(store.deadLetters(ref, id), Known.orNotFound("webhook", unknownMessage))
      })

      const redeliver = Effect.fnUntraced(function* (ref: Repository.RepositoryRef, id: string, eventId: string) {
        const letter = (yield* deadLetters(ref, id)).find(({ event }) => event.id === eventId)
        const subscription = (yield* store.list(ref)).find((each) => each.id === id)
        if (subscription === undefined) return yield* unknown
        if (letter === undefined) return yield* unknownLetter
        yield* Effect.mapError(
          deliveries.send(subscription, letter.event),
          ({ message }) => new Conflict({ message: `The receiver did not take the event: ${message}` })
        )
        yield* store.removeDeadLetter(ref, id, eventId)
      })

      return Subscriptions.of({ create, list, remove, deadLetters, redeliver })
    })
  )
}

const shown = ({ createdAt, createdBy, id, types, url }: Subscription.Subscription): ShownSubscription => ({
  id,
  url,
  types,
  createdAt,
  createdBy
})

const unknownMessage = "There is no webhook with this id. List the webhooks of the repository to find its id."

const unknown = new NotFound({ resource: "webhook", message: unknownMessage })

const unknownLetter = new NotFound({
  resource: "webhook",
  message: "This webhook has no dead letter of this event. List its dead letters to find the ones that are kept."
})
