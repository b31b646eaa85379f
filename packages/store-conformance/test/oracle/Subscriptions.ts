/** The oracle on subscriptions: a list of them, and what was told of each. */
import type { Subscription } from "@lazaret/domain"
import { type Leased, SubscriptionStore } from "@lazaret/store"
import { Effect, Option } from "effect"
import { byCreation, ensure, find, keyOf, type Ref, requireText, type World } from "./World.ts"

interface Told {
  readonly ref: Ref
  readonly subscription: Subscription.Subscription
  readonly position: number
  readonly attempts: number
  readonly nextAt: number
  readonly lease: string | null
  readonly leasedUntil: number
  readonly dead: ReadonlyArray<Subscription.DeadLetter>
}

export const storeOf = (world: World) => {
  let all: ReadonlyArray<Told> = []
  const isOf = (ref: Ref, id: string) => (told: Told) => keyOf(told.ref) === keyOf(ref) && told.subscription.id === id
  const change = (old: Told, parts: Partial<Told>): void => {
    all = all.map((told) => (told === old ? { ...old, ...parts } : told))
  }
  const lastOf = (ref: Ref): number => find(world, ref)?.lastPosition ?? 0

  return SubscriptionStore.of({
    insert: (ref, subscription) =>
      Effect.andThen(
        requireText("SubscriptionStore.insert", subscription),
        Effect.sync(() => {
          ensure(world, ref, subscription.createdAt)
          const told = { attempts: 0, nextAt: 0, lease: null, leasedUntil: 0, dead: [] }
          all = [...all, { ref, subscription, position: lastOf(ref), ...told }]
        })
      ),
    list: (ref) =>
      Effect.sync(() =>
        all
          .filter((told) => keyOf(told.ref) === keyOf(ref))
          .map(({ subscription }) => subscription)
          .toSorted(byCreation)
      ),
    remove: (ref, id) =>
      Effect.sync(() => {
        const before = all.length
        all = all.filter((told) => !isOf(ref, id)(told))
        return all.length < before
      }),
    lease: ({ lease, limit, now, until }) =>
      Effect.sync(() => {
        const due = all.filter(
          (told) => told.nextAt <= now && told.leasedUntil <= now && told.position < lastOf(told.ref)
        )
        return due.slice(0, limit).map((told): Leased => {
          change(told, { lease, leasedUntil: until })
          const { attempts, position, ref, subscription } = told
          return { ref, subscription, position, attempts, lease }
        })
      }),
    settle: ({ lease, ref, subscription }, { dead, ...progress }) =>
      Effect.sync(() => {
        const told = all.find(isOf(ref, subscription.id))
        if (told === undefined || told.lease !== lease) return false
        change(told, { ...progress, lease: null, leasedUntil: 0, dead: [...told.dead, ...dead] })
        return true
      }),
    deadLetters: (ref, id) =>
      Effect.sync(() => {
        const told = all.find(isOf(ref, id))
        return Option.map(Option.fromUndefinedOr(told), ({ dead }) => dead.toSorted((a, b) => b.at - a.at))
      }),
    removeDeadLetter: (ref, id, eventId) =>
      Effect.sync(() => {
        const told = all.find(isOf(ref, id))
        if (told === undefined || !told.dead.some(({ event }) => event.id === eventId)) return false
        change(told, { dead: told.dead.filter(({ event }) => event.id !== eventId) })
        return true
      })
  })
}
