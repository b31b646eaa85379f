/** Events that happen and leases of one repository, for the cases of subscriptions and of notifiers. */
import { Event, Instant, type Repository } from "@lazaret/domain"
import { EventStore, type LeaseRequest } from "@lazaret/store"
import * as Sample from "./Sample.ts"

/** Adds an event of that minute. */
export const happen = (ref: Repository.RepositoryRef, minute: number) =>
  EventStore.use((store) =>
    store.append(
      ref,
      [Event.paused({ reason: "release", pauseDate: Sample.noon }, Sample.noon + minute, "key 1")],
      Sample.noon
    )
  )

/** A lease of a minute on all that is due. */
export const request = (now: number): LeaseRequest => ({
  now,
  until: now + Instant.minute,
  lease: crypto.randomUUID(),
  limit: 1000
})

/** The leases of a repository; those of other cases run out. */
export const within =
  (ref: Repository.RepositoryRef) =>
  <Lease extends { readonly ref: Repository.RepositoryRef }>(leases: ReadonlyArray<Lease>): ReadonlyArray<Lease> =>
    leases.filter((leased) => leased.ref.repository === ref.repository)
