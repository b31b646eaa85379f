/** Publications over a driver: which are due, which process holds the lease, and what a request during a lease does. */
import { Text } from "@lazaret/domain"
import { Effect } from "effect"
import type { Driver, Transaction } from "../Driver.ts"
import { type LeasedPublication, PublicationStore } from "../PublicationStore.ts"
import { type PublicationRow, publications } from "../Rows.ts"
import type { LeaseRequest } from "../SubscriptionStore.ts"

/** The port of publications. */
export const make = (driver: Driver["Service"]): PublicationStore["Service"] =>
  PublicationStore.of({
    request: (ref, commit, at) =>
      driver.transact("PublicationStore.request", ref, at, (transaction) =>
        Effect.flatMap(find(transaction, commit), (row) =>
          transaction.put(publications, [
            row === undefined
              ? { commit, requests: 1, nextAt: at, attempts: 0, lease: null, leasedUntil: 0 }
              : {
                  ...row,
                  requests: row.requests + 1,
                  nextAt: row.attempts === 0 ? Math.min(row.nextAt, at) : row.nextAt
                }
          ])
        )
      ),
    lease: (request) => lease(driver, request),
    finish: (leased) =>
      driver.transact("PublicationStore.finish", leased.ref, null, (transaction) =>
        held(transaction, leased, (row) =>
          row.requests === leased.requests
            ? transaction.remove(publications, [["commit", "=", leased.commit]])
            : transaction.put(publications, [{ ...row, ...free, attempts: 0 }])
        )
      ),
    defer: (leased, until) =>
      driver.transact("PublicationStore.defer", leased.ref, null, (transaction) =>
        held(transaction, leased, (row) =>
          transaction.put(publications, [{ ...row, ...free, attempts: row.attempts + 1, nextAt: until }])
        )
      )
  })

const free = { lease: null, leasedUntil: 0 }

const find = (transaction: Transaction, commit: string) =>
  Effect.map(transaction.select(publications, { where: [["commit", "=", commit]], order: [] }), ([row]) => row)

/** Changes the row of a lease that is still in force, and yields whether it was. */
const held = Effect.fnUntraced(function* <E>(
  transaction: Transaction,
  { commit, lease: proof }: LeasedPublication,
  change: (row: PublicationRow) => Effect.Effect<unknown, E>
) {
  const row = yield* find(transaction, commit)
  if (row === undefined || row.lease !== proof) return false
  yield* change(row)
  return true
})

const isDue = ({ leasedUntil, nextAt }: PublicationRow, now: number): boolean => nextAt <= now && leasedUntil <= now

const lease = Effect.fnUntraced(function* (driver: Driver["Service"], request: LeaseRequest) {
  const operation = "PublicationStore.lease"
  const waiting = yield* driver.scan(operation, publications, [
    ["nextAt", "<=", request.now],
    ["leasedUntil", "<=", request.now]
  ])
  const longest = waiting.toSorted((a, b) => a.row.nextAt - b.row.nextAt || Text.compare(a.row.commit, b.row.commit))
  const leased: Array<LeasedPublication> = []
  for (const { ref, row } of longest) {
    if (leased.length === request.limit) break
    const found = yield* driver.transact(operation, ref, null, (transaction) => take(transaction, row.commit, request))
    if (found !== null) leased.push({ ...found, ref })
  }
  return leased
})

const take = Effect.fnUntraced(function* (transaction: Transaction, commit: string, request: LeaseRequest) {
  const row = yield* find(transaction, commit)
  if (row === undefined || !isDue(row, request.now)) return null
  yield* transaction.put(publications, [{ ...row, lease: request.lease, leasedUntil: request.until }])
  return { commit, attempts: row.attempts, requests: row.requests, lease: request.lease }
})
