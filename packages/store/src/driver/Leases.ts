/** Leases of readers of the log of events, over a driver: which are due, and which process holds each. */
import { Effect } from "effect"
import type { Driver, Scanned, Transaction, View } from "../Driver.ts"
import type { StoreError } from "../StoreError.ts"
import type { LeaseRequest } from "./LeaseRequest.ts"
import type { Condition, Table } from "./Table.ts"

/** The fields of a row that reads the log. */
export interface Reader {
  readonly id: string
  readonly position: number
  readonly nextAt: number
  readonly lease: string | null
  readonly leasedUntil: number
}

/** A kind of readers: the operation for errors and measurements, its table, and how rows are found. */
export interface Kind<Row extends Reader> {
  readonly operation: string
  readonly table: Table<Row>
  readonly where: (id: string) => Condition<Row>
  readonly waiting: (now: number) => ReadonlyArray<Condition<Row>>
}

/** The row of a reader. */
export const find = <Row extends Reader>(view: View, { table, where }: Kind<Row>, id: string) =>
  Effect.map(view.select(table, { where: [where(id)], order: [] }), ([row]) => row)

/**
 * Leases readers that have events before them and whose time has come.
 *
 * Reads the log of a repository first: most readers have received all of it, and need no transaction.
 */
export const lease = <Row extends Reader>(
  driver: Driver["Service"],
  kind: Kind<Row>,
  request: LeaseRequest
): Effect.Effect<ReadonlyArray<Scanned<Row>>, StoreError> => leaseDue(driver, kind, request)

/** Changes the row of a lease that is still in force, and yields whether it was. */
export const held = Effect.fnUntraced(function* <Row extends Reader>(
  transaction: Transaction,
  kind: Kind<Row>,
  { id, lease: proof }: { readonly id: string; readonly lease: string },
  change: (row: Row) => Row
) {
  const row = yield* find(transaction, kind, id)
  if (row === undefined || row.lease !== proof) return false
  yield* transaction.put(kind.table, [change(row)])
  return true
})

const leaseDue = Effect.fnUntraced(function* <Row extends Reader>(
  driver: Driver["Service"],
  kind: Kind<Row>,
  request: LeaseRequest
): Effect.fn.Return<ReadonlyArray<Scanned<Row>>, StoreError> {
  const { operation, table } = kind
  const { now, perOwner } = request
  const leasedBy = new Map(perOwner?.held)
  const waiting = yield* driver.scan(operation, table, kind.waiting(now))
  const leased: Array<Scanned<Row>> = []
  for (const { ref, row } of waiting.toSorted((a, b) => a.row.nextAt - b.row.nextAt)) {
    if (leased.length === request.limit) break
    const owner = ref.owner.toLowerCase()
    const ofOwner = leasedBy.get(owner) ?? 0
    if (perOwner !== undefined && ofOwner >= perOwner.most) continue
    const head = yield* driver.read(operation, ref, (view) => view.head)
    if (!isDue(row, head, now)) continue
    const found = yield* driver.transact(operation, ref, null, (transaction) =>
      take(transaction, kind, row.id, request)
    )
    if (found === null) continue
    leased.push({ row: found, ref })
    leasedBy.set(owner, ofOwner + 1)
  }
  return leased
})

/** Whether a reader may be leased: its time has come, the log has gone on, and no lease is in force. */
const isDue = ({ leasedUntil, nextAt, position }: Reader, head: number, now: number): boolean =>
  nextAt <= now && leasedUntil <= now && position < head

const take = Effect.fnUntraced(function* <Row extends Reader>(
  transaction: Transaction,
  kind: Kind<Row>,
  id: string,
  request: LeaseRequest
) {
  const row = yield* find(transaction, kind, id)
  if (row === undefined || !isDue(row, yield* transaction.head, request.now)) return null
  const taken = { ...row, lease: request.lease, leasedUntil: request.until }
  yield* transaction.put(kind.table, [taken])
  return taken
})
