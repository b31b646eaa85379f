/**
 * The port of subscriptions: the receivers of events, the progress of each, and the events that could not be delivered.
 */
import type { Instant, Repository, Subscription } from "@lazaret/domain"
import { Context, type Effect, type Option } from "effect"
import type { LeaseRequest } from "../driver/LeaseRequest.ts"
import type { StoreError } from "../StoreError.ts"

/**
 * A leased subscription, which receives the events after `position`.
 *
 * **Details**
 *
 * `attempts` is how often the next event was tried in vain. `lease` proves that it is still ours.
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
>()("@lazaret/store/SubscriptionStore") {}
