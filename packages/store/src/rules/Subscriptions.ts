/** Subscriptions over a driver: which are due, which process holds the lease, and which progress is accepted. */
import { type Subscription, Text } from "@lazaret/domain"
import { Effect, Option } from "effect"
import type { Driver, Transaction, View } from "../Driver.ts"
import { deadLetters, type SubscriptionRow, subscriptions } from "../Rows.ts"
import { type Leased, type LeaseRequest, type Progress, SubscriptionStore } from "../SubscriptionStore.ts"

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
    lease: (request) => lease(driver, request),
    settle: (leased, progress) =>
      driver.transact("SubscriptionStore.settle", leased.ref, null, (transaction) =>
        settle(transaction, leased, progress)
      ),
    deadLetters: (ref, id) =>
      driver.snapshot("SubscriptionStore.deadLetters", ref, (view) =>
        Effect.gen(function* () {
          if ((yield* find(view, id)) === undefined) return Option.none()
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

/** Whether a subscription may be leased: its time has come, the log has gone on, and no lease is in force. */
const isDue = (
  { leasedUntil, nextAt, position }: Pick<SubscriptionRow, "leasedUntil" | "nextAt" | "position">,
  head: number,
  now: number
): boolean => nextAt <= now && leasedUntil <= now && position < head

/** Reads the log of a repository first: most subscriptions have received all of it, and need no transaction. */
const lease = Effect.fnUntraced(function* (driver: Driver["Service"], request: LeaseRequest) {
  const operation = "SubscriptionStore.lease"
  const { now, perOwner } = request
  const held = new Map(perOwner?.held)
  const waiting = yield* driver.scan(operation, subscriptions, [
    ["nextAt", "<=", now],
    ["leasedUntil", "<=", now]
  ])
  const leased: Array<Leased> = []
  for (const { ref, row } of waiting.toSorted((a, b) => a.row.nextAt - b.row.nextAt)) {
    if (leased.length === request.limit) break
    const owner = ref.owner.toLowerCase()
    const ofOwner = held.get(owner) ?? 0
    if (perOwner !== undefined && ofOwner >= perOwner.most) continue
    const head = yield* driver.read(operation, ref, (view) => view.head)
    if (!isDue(row, head, now)) continue
    const found = yield* driver.transact(operation, ref, null, (transaction) => take(transaction, row.id, request))
    if (found === null) continue
    leased.push({ ...found, ref })
    held.set(owner, ofOwner + 1)
  }
  return leased
})

const take = Effect.fnUntraced(function* (transaction: Transaction, id: string, request: LeaseRequest) {
  const row = yield* find(transaction, id)
  if (row === undefined || !isDue(row, yield* transaction.head, request.now)) return null
  yield* transaction.put(subscriptions, [{ ...row, lease: request.lease, leasedUntil: request.until }])
  const { attempts, position } = row
  return { subscription: subscriptionOf(row), position, attempts, lease: request.lease }
})

const settle = Effect.fnUntraced(function* (
  transaction: Transaction,
  { lease: proof, subscription: { id } }: Leased,
  { dead, ...progress }: Progress
) {
  const row = yield* find(transaction, id)
  if (row === undefined || row.lease !== proof) return false
  yield* transaction.put(subscriptions, [{ ...row, ...progress, lease: null, leasedUntil: 0 }])
  const letters = dead.map((letter) => ({ ...letter, subscriptionId: id, eventId: letter.event.id }))
  yield* transaction.put(deadLetters, letters)
  return true
})

const find = (view: View, id: string) =>
  Effect.map(view.select(subscriptions, { where: [["id", "=", id]], order: [] }), ([row]) => row)

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
