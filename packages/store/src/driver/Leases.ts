/** Leases of rows over a driver: which rows are due, and which process holds each. */
import { type Instant, Text } from "@lazaret/domain"
import { Effect } from "effect"
import type { Driver, Scanned, Scope, Transaction, View } from "../Driver.ts"
import type { StoreError } from "../StoreError.ts"
import type { LeaseRequest } from "./LeaseRequest.ts"
import type { Condition, Table } from "./Table.ts"

/** The fields of a row that one process at a time holds. */
export interface Leasable {
  readonly lease: string | null
  readonly leasedUntil: number
}

/** The fields of a row that nobody holds. */
export const free = { lease: null, leasedUntil: 0 } as const

/**
 * A kind of rows that are leased.
 *
 * **Details**
 *
 * - `port`: operations are named for it in errors and measurements.
 * - `idOf`, `where`: the id of a row within its repository, and how its row is found.
 * - `waiting`: the rows that may be due at an instant, by alternatives. `dueAt` of a row decides; the longest due come first, then by id.
 * - `isReady`: what else has to hold. It is asked before a transaction begins, and within it.
 * - `taken`: the row when it is leased; the fields of the lease are added to it.
 */
export interface Kind<Row extends Leasable> {
  readonly port: string
  readonly table: Table<Row>
  readonly idOf: (row: Row) => string
  readonly where: (id: string) => ReadonlyArray<Condition<Row>>
  readonly waiting: (now: Instant.Instant) => ReadonlyArray<ReadonlyArray<Condition<Row>>>
  readonly dueAt: (row: Row) => number
  readonly isReady?: (row: Row, view: View) => Effect.Effect<boolean, StoreError>
  readonly taken?: (row: Row) => Row
}

/** The fields of a row that reads the log of events. */
export interface Reader extends Leasable {
  readonly id: string
  readonly position: number
  readonly nextAt: number
}

/** Readers of the log of events: they are due when their time has come and the log has gone on. Most have read all of it. */
export const ofReaders = <Row extends Reader>(port: string, table: Table<Row>): Kind<Row> => ({
  port,
  table,
  idOf: ({ id }) => id,
  where: (id) => [["id", "=", id]],
  waiting: (now) => [
    [
      ["nextAt", "<=", now],
      ["leasedUntil", "<=", now]
    ]
  ],
  dueAt: ({ nextAt }) => nextAt,
  isReady: ({ position }, view) => Effect.map(view.head, (head) => position < head)
})

/** A row that is held: its repository, null for a row of the whole store, its id, and the proof. */
export interface Held {
  readonly ref: Scope
  readonly id: string
  readonly lease: string
}

/** The part of a kind that finds a row. */
type Rows<Row extends Leasable> = Pick<Kind<Row>, "port" | "table" | "where">

/** The row of an id. */
export const find = <Row extends Leasable>(view: View, { table, where }: Rows<Row>, id: string) =>
  Effect.map(view.select(table, { where: where(id), order: [] }), ([row]) => row)

/** Changes something under a lease that is still in force, in one transaction. `false` when it was not, or when the change yields it. */
export const held = <Row extends Leasable>(
  driver: Driver["Service"],
  kind: Rows<Row>,
  { id, lease: proof, operation, ref }: Held & { readonly operation: string },
  change: (transaction: Transaction, row: Row) => Effect.Effect<unknown, StoreError>
): Effect.Effect<boolean, StoreError> =>
  driver.transact(`${kind.port}.${operation}`, ref, null, (transaction) =>
    Effect.gen(function* () {
      const row = yield* find(transaction, kind, id)
      return row !== undefined && row.lease === proof && (yield* change(transaction, row)) !== false
    })
  )

/** Leases rows of any repository whose time has come. */
export const lease: <Row extends Leasable>(
  driver: Driver["Service"],
  kind: Kind<Row>,
  request: LeaseRequest
) => Effect.Effect<ReadonlyArray<Scanned<Row>>, StoreError> = Effect.fnUntraced(function* <Row extends Leasable>(
  driver: Driver["Service"],
  kind: Kind<Row>,
  request: LeaseRequest
) {
  const operation = `${kind.port}.lease`
  const { isReady } = kind
  const { perOwner } = request
  const leasedBy = new Map(perOwner?.held)
  const leased: Array<Scanned<Row>> = []
  for (const { ref, row } of yield* longest(driver, kind, request.now)) {
    if (leased.length === request.limit) break
    const owner = ref.owner.toLowerCase()
    const ofOwner = leasedBy.get(owner) ?? 0
    if (perOwner !== undefined && ofOwner >= perOwner.most) continue
    if (isReady !== undefined && !(yield* driver.read(operation, ref, (view) => isReady(row, view)))) continue
    const taken = yield* driver.transact(operation, ref, null, (transaction) =>
      take(transaction, kind, kind.idOf(row), request)
    )
    if (taken === null) continue
    leased.push({ row: taken, ref })
    leasedBy.set(owner, ofOwner + 1)
  }
  return leased
})

const longest = <Row extends Leasable>(
  driver: Driver["Service"],
  { dueAt, idOf, port, table, waiting }: Kind<Row>,
  now: Instant.Instant
) =>
  Effect.map(
    Effect.forEach(waiting(now), (where) => driver.scan(`${port}.lease`, table, where)),
    (found) => found.flat().toSorted((a, b) => dueAt(a.row) - dueAt(b.row) || Text.compare(idOf(a.row), idOf(b.row)))
  )

const take = Effect.fnUntraced(function* <Row extends Leasable>(
  transaction: Transaction,
  kind: Kind<Row>,
  id: string,
  { lease: proof, now, until }: LeaseRequest
) {
  const row = yield* find(transaction, kind, id)
  if (row === undefined || kind.dueAt(row) > now || row.leasedUntil > now) return null
  if (kind.isReady !== undefined && !(yield* kind.isReady(row, transaction))) return null
  const taken = { ...(kind.taken?.(row) ?? row), lease: proof, leasedUntil: until }
  yield* transaction.put(kind.table, [taken])
  return taken
})
