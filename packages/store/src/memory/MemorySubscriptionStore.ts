/** Subscriptions in memory. */
import { type Instant, type Subscription, Text } from "@lazaret/domain"
import { Effect, Option } from "effect"
import { type Leased, type LeaseRequest, type Progress, SubscriptionStore } from "../SubscriptionStore.ts"
import * as MemoryState from "./MemoryState.ts"
import type { RepositoryEntry } from "./RepositoryEntry.ts"

/** A subscription with how far it has been told. */
export interface SubscriptionEntry {
  readonly subscription: Subscription.Subscription
  position: number
  attempts: number
  nextAt: Instant.Instant
  lease: { readonly until: Instant.Instant; readonly proof: string } | null
  dead: ReadonlyArray<Subscription.DeadLetter>
}

/** The subscription port over a memory state. */
export const make = (state: MemoryState.MemoryState): SubscriptionStore["Service"] => {
  const find = (ref: Parameters<typeof MemoryState.find>[1], id: string) =>
    MemoryState.find(state, ref)?.subscriptions.get(id)

  return SubscriptionStore.of({
    insert: (ref, subscription) =>
      Effect.andThen(
        MemoryState.requireStorable("SubscriptionStore.insert", MemoryState.textsIn(subscription)),
        Effect.sync(() => {
          const { events, subscriptions } = MemoryState.ensure(state, ref, subscription.createdAt)
          const entry = { subscription, position: events.last, attempts: 0, nextAt: 0, lease: null, dead: [] }
          subscriptions.set(subscription.id, entry)
        })
      ),
    list: (ref) =>
      Effect.sync(() =>
        [...(MemoryState.find(state, ref)?.subscriptions.values() ?? [])]
          .map(({ subscription }) => subscription)
          .sort((a, b) => a.createdAt - b.createdAt || Text.compare(a.id, b.id))
      ),
    remove: (ref, id) => Effect.sync(() => MemoryState.find(state, ref)?.subscriptions.delete(id) ?? false),
    lease: (request) =>
      Effect.sync(() =>
        [...state.repositories.values()]
          .flatMap((repository) => [...repository.subscriptions.values()].map((entry) => ({ repository, entry })))
          .filter(({ entry, repository }) => isDue(repository, entry, request))
          .slice(0, request.limit)
          .map(({ entry, repository }) => leaseTo(repository, entry, request))
      ),
    settle: ({ lease, ref, subscription }, progress) =>
      Effect.sync(() => {
        const entry = find(ref, subscription.id)
        if (entry === undefined || entry.lease?.proof !== lease) return false
        settle(entry, progress)
        return true
      }),
    deadLetters: (ref, id) => Effect.sync(() => Option.fromUndefinedOr(find(ref, id)?.dead.toSorted(latestFirst))),
    removeDeadLetter: (ref, id, eventId) =>
      Effect.sync(() => {
        const entry = find(ref, id)
        const rest = entry?.dead.filter(({ event }) => event.id !== eventId) ?? []
        if (entry === undefined || rest.length === entry.dead.length) return false
        entry.dead = rest
        return true
      })
  })
}

const isDue = ({ events }: RepositoryEntry, entry: SubscriptionEntry, { now }: LeaseRequest): boolean =>
  entry.nextAt <= now && entry.position < events.last && (entry.lease === null || entry.lease.until <= now)

const leaseTo = ({ repository }: RepositoryEntry, entry: SubscriptionEntry, request: LeaseRequest): Leased => {
  entry.lease = { until: request.until, proof: request.lease }
  const { attempts, position, subscription } = entry
  const ref = { owner: repository.owner, repository: repository.repository }
  return { ref, subscription, position, attempts, lease: request.lease }
}

const settle = (entry: SubscriptionEntry, { attempts, dead, nextAt, position }: Progress): void => {
  entry.position = position
  entry.attempts = attempts
  entry.nextAt = nextAt
  entry.lease = null
  const ids = new Set(dead.map(({ event }) => event.id))
  entry.dead = [...entry.dead.filter(({ event }) => !ids.has(event.id)), ...dead]
}

const latestFirst = (a: Subscription.DeadLetter, b: Subscription.DeadLetter): number =>
  b.at - a.at || Text.compare(a.event.id, b.event.id)
