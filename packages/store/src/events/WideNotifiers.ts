/** Wide notifiers over a driver: which are due, which process holds the lease, and which progress is accepted. */
import type { Notifier } from "@lazaret/domain"
import { Effect } from "effect"
import type { Driver, Transaction } from "../Driver.ts"
import { type WideNotifierRow, wideNotifiers } from "../Rows.ts"
import type { Condition } from "../driver/Table.ts"
import {
  type LeasedWideNotifier,
  type WideNotifierProgress,
  type WideNotifierState,
  WideNotifierStore
} from "./WideNotifierStore.ts"

/** The port of wide notifiers. */
export const make = (driver: Driver["Service"]): WideNotifierStore["Service"] =>
  WideNotifierStore.of({
    insert: (notifier, places, firstAt) =>
      driver.transact("WideNotifierStore.insert", null, null, (transaction) =>
        transaction.put(wideNotifiers, [{ ...notifier, ...fresh, places, nextAt: firstAt }])
      ),
    list: driver.read("WideNotifierStore.list", null, (view) =>
      Effect.map(view.select(wideNotifiers, { where: [], order: ["createdAt", "id"] }), (rows) => rows.map(stateOf))
    ),
    remove: (id) =>
      driver.transact("WideNotifierStore.remove", null, null, (transaction) =>
        Effect.map(transaction.remove(wideNotifiers, [["id", "=", id]]), (removed) => removed > 0)
      ),
    lease: ({ lease, limit, now, until }) =>
      Effect.gen(function* () {
        const where = waiting(now)
        // Without a notifier that is due no process waits for the lock of the store.
        const due = yield* driver.read(operation, null, (view) => view.count(wideNotifiers, where))
        if (due === 0) return []
        return yield* driver.transact(operation, null, null, (transaction) =>
          Effect.gen(function* () {
            const rows = yield* transaction.select(wideNotifiers, { where, order: ["nextAt", "id"], limit })
            yield* transaction.put(
              wideNotifiers,
              rows.map((row) => ({ ...row, lease, leasedUntil: until }))
            )
            return rows.map((row) => leasedOf(row, lease))
          })
        )
      }),
    stage: (leased, staged) =>
      driver.transact("WideNotifierStore.stage", null, null, (transaction) =>
        held(transaction, leased, (row) => ({ ...row, staged }))
      ),
    settle: (leased, progress) =>
      driver.transact("WideNotifierStore.settle", null, null, (transaction) =>
        held(transaction, leased, (row) => settled(row, progress))
      )
  })

const operation = "WideNotifierStore.lease"

const fresh = { staged: null, attempts: 0, failure: null, sentAt: null, lease: null, leasedUntil: 0 }

const waiting = (now: number): ReadonlyArray<Condition<WideNotifierRow>> => [
  ["nextAt", "<=", now],
  ["leasedUntil", "<=", now]
]

/** Changes the row of a lease that is still in force, and yields whether it was. */
const held = Effect.fnUntraced(function* (
  transaction: Transaction,
  { lease, notifier }: LeasedWideNotifier,
  change: (row: WideNotifierRow) => WideNotifierRow
) {
  const [row] = yield* transaction.select(wideNotifiers, { where: [["id", "=", notifier.id]], order: [] })
  if (row === undefined || row.lease !== lease) return false
  yield* transaction.put(wideNotifiers, [change(row)])
  return true
})

const settled = (row: WideNotifierRow, { sentAt, ...progress }: WideNotifierProgress): WideNotifierRow => ({
  ...row,
  ...progress,
  sentAt: sentAt ?? row.sentAt,
  staged: progress.failure === null ? null : row.staged,
  lease: null,
  leasedUntil: 0
})

const leasedOf = (row: WideNotifierRow, lease: string): LeasedWideNotifier => ({
  notifier: notifierOf(row),
  places: row.places,
  staged: row.staged,
  attempts: row.attempts,
  lease
})

const stateOf = (row: WideNotifierRow): WideNotifierState => ({
  notifier: notifierOf(row),
  places: row.places,
  attempts: row.attempts,
  nextAt: row.nextAt,
  failure: row.failure,
  sentAt: row.sentAt
})

const notifierOf = ({
  channel,
  createdAt,
  createdBy,
  id,
  owners,
  repositories,
  schedule,
  types
}: WideNotifierRow): Notifier.WideNotifier => ({
  id,
  repositories,
  channel,
  types,
  owners,
  schedule,
  createdAt,
  createdBy
})
