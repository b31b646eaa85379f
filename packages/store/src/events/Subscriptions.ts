/** Subscriptions over a driver: which are due, which process holds the lease, and which progress is accepted. */
import { type Subscription, Text } from "@lazaret/domain"
import { Effect, Option } from "effect"
import type { Driver, Transaction } from "../Driver.ts"
import { deadLetters, type SubscriptionRow, subscriptions } from "../Rows.ts"
import { type Leased, type Progress, SubscriptionStore } from "./SubscriptionStore.ts"
import * as Leases from "../driver/Leases.ts"

const kind: Leases.Kind<SubscriptionRow> = {
  operation: "SubscriptionStore.lease",
  table: subscriptions,
  where: (id) => ["id", "=", id],
  waiting: (now) => [
    ["nextAt", "<=", now],
    ["leasedUntil", "<=", now]
  ]
}

/** The port of subscriptions. */
export const make = (driver: Driver["Service"]): SubscriptionStore["Service"] =>
  SubscriptionStore.of({
    insert: (ref, subscription) =>
      driver.transact("SubscriptionStore.insert", ref, subscription.createdAt, (transaction) =>
        Effect.flatMap(transaction.head, (position) =>
          transaction.put(subscriptions, [
            { ...subscription, position, attempts: 0, nextAt: 0, lease: null, leasedUntil: 0 }
          ])
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
    settle: (leased, progress) =>
      driver.transact("SubscriptionStore.settle", leased.ref, null, (transaction) =>
        settle(transaction, leased, progress)
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

const settle = Effect.fnUntraced(function* (
  transaction: Transaction,
  { lease, subscription: { id } }: Leased,
  { dead, ...progress }: Progress
) {
  const isOurs = yield* Leases.held(transaction, kind, { id, lease }, (row) => ({
    ...row,
    ...progress,
    lease: null,
    leasedUntil: 0
  }))
  if (!isOurs) return false
  const letters = dead.map((letter) => ({ ...letter, subscriptionId: id, eventId: letter.event.id }))
  yield* transaction.put(deadLetters, letters)
  return true
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
