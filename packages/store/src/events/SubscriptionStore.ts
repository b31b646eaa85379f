/**
 * The port of subscriptions, and its rules over a driver: the receivers of events, the progress of each, and the events that
 * could not be delivered.
 */
import { type Instant, type Repository, type Subscription, Text } from "@lazaret/domain"
import { Context, Effect, Option } from "effect"
import type { LeaseRequest } from "../driver/LeaseRequest.ts"
import type { StoreError } from "../StoreError.ts"
import type { Driver } from "../Driver.ts"
import { deadLetters, type SubscriptionRow, subscriptions } from "../Rows.ts"
import * as Leases from "../driver/Leases.ts"

/**
 * A leased subscription, which receives the events after `position`.
 *
 * **Details**
 *
 * `attempts` counts the failed deliveries of the next event. `lease` is the token that proves the lease.
 */
export interface Leased {
  readonly ref: Repository.RepositoryRef
  readonly subscription: Subscription.Subscription
  readonly position: number
  readonly attempts: number
  readonly lease: string
}

/** The progress of a subscription, and the time of the next attempt; `dead` holds the events that were given up. */
export interface Progress {
  readonly position: number
  readonly attempts: number
  readonly nextAt: Instant.Instant
  readonly dead: ReadonlyArray<Subscription.DeadLetter>
}

/**
 * The port of subscriptions.
 *
 * **Laws**
 *
 * - A subscription receives the events that are appended after its creation.
 * - One at a time has the lease of a subscription, however many processes ask; a lease that has run out is anybody's.
 * - Progress counts only for who still has the lease; it ends the lease.
 * - What a subscription has, dead letters included, ends with it.
 */
export class SubscriptionStore extends Context.Service<
  SubscriptionStore,
  {
    /** Stores a subscription. Creates the repository. */
    readonly insert: (
      ref: Repository.RepositoryRef,
      subscription: Subscription.Subscription
    ) => Effect.Effect<void, StoreError>
    /** The subscriptions of a repository, by creation time, then id. */
    readonly list: (
      ref: Repository.RepositoryRef
    ) => Effect.Effect<ReadonlyArray<Subscription.Subscription>, StoreError>
    /** Ends a subscription; `false` when no subscription has this id. */
    readonly remove: (ref: Repository.RepositoryRef, id: string) => Effect.Effect<boolean, StoreError>
    /** Leases subscriptions of any repository that have events before them and whose time has come. */
    readonly lease: (request: LeaseRequest) => Effect.Effect<ReadonlyArray<Leased>, StoreError>
    /** Keeps the progress and ends the lease; `false`, and nothing kept, when the lease is not ours any more. */
    readonly settle: (leased: Leased, progress: Progress) => Effect.Effect<boolean, StoreError>
    /** The dead letters of a subscription, the latest first; empty for an unknown subscription. */
    readonly deadLetters: (
      ref: Repository.RepositoryRef,
      id: string
    ) => Effect.Effect<Option.Option<ReadonlyArray<Subscription.DeadLetter>>, StoreError>
    /** Removes a dead letter; `false` when this event has none. */
    readonly removeDeadLetter: (
      ref: Repository.RepositoryRef,
      id: string,
      eventId: string
    ) => Effect.Effect<boolean, StoreError>
  }
>()("@lazaret/store/SubscriptionStore") {
  /** The port over a driver. */
  static readonly over = (driver: Driver["Service"]): SubscriptionStore["Service"] => make(driver)
}

const kind = Leases.ofReaders("SubscriptionStore", subscriptions)

const make = (driver: Driver["Service"]): SubscriptionStore["Service"] =>
  SubscriptionStore.of({
    insert: (ref, subscription) =>
      driver.transact("SubscriptionStore.insert", ref, subscription.createdAt, (transaction) =>
        Effect.flatMap(transaction.head, (position) =>
          transaction.put(subscriptions, [{ ...subscription, position, attempts: 0, nextAt: 0, ...Leases.free }])
        )
      ),
    list: (ref) =>
      driver.read("SubscriptionStore.list", ref, (view) =>
        Effect.map(view.select(subscriptions, { where: [], order: ["createdAt", "id"] }), (rows) =>
          rows.map(subscriptionOf)
        )
      ),
    remove: (ref, id) =>
      driver.transact("SubscriptionStore.remove", ref, null, (transaction) =>
        Effect.gen(function* () {
          const removed = yield* transaction.remove(subscriptions, [["id", "=", id]])
          yield* transaction.remove(deadLetters, [["subscriptionId", "=", id]])
          return removed > 0
        })
      ),
    lease: (request) =>
      Effect.map(Leases.lease(driver, kind, request), (leased) =>
        leased.map(({ ref, row }) => ({
          ref,
          subscription: subscriptionOf(row),
          position: row.position,
          attempts: row.attempts,
          lease: request.lease
        }))
      ),
    settle: ({ lease, ref, subscription: { id } }, { dead, ...progress }) =>
      Leases.held(driver, kind, { operation: "settle", ref, id, lease }, (transaction, row) =>
        Effect.andThen(
          transaction.put(subscriptions, [{ ...row, ...progress, ...Leases.free }]),
          transaction.put(
            deadLetters,
            dead.map((letter) => ({ ...letter, subscriptionId: id, eventId: letter.event.id }))
          )
        )
      ),
    deadLetters: (ref, id) =>
      driver.snapshot("SubscriptionStore.deadLetters", ref, (view) =>
        Effect.gen(function* () {
          if ((yield* Leases.find(view, kind, id)) === undefined) return Option.none()
          const rows = yield* view.select(deadLetters, { where: [["subscriptionId", "=", id]], order: [] })
          const dead = rows.map(({ eventId: _eventId, subscriptionId: _id, ...letter }) => letter)
          return Option.some(dead.toSorted(latestFirst))
        })
      ),
    removeDeadLetter: (ref, id, eventId) =>
      driver.transact("SubscriptionStore.removeDeadLetter", ref, null, (transaction) =>
        Effect.map(
          transaction.remove(deadLetters, [
            ["subscriptionId", "=", id],
            ["eventId", "=", eventId]
          ]),
          (removed) => removed > 0
        )
      )
  })

const subscriptionOf = ({
  createdAt,
  createdBy,
  id,
  secret,
  types,
  url
}: SubscriptionRow): Subscription.Subscription => ({ id, url, secret, types, createdAt, createdBy })

const latestFirst = (a: Subscription.DeadLetter, b: Subscription.DeadLetter): number =>
  b.at - a.at || Text.compare(a.event.id, b.event.id)
