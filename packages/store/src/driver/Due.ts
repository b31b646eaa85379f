/** Due rows over a driver: their time, the process that holds the lease, and the effect of a request during a lease. */
import { type Instant, type Repository, Text } from "@lazaret/domain"
import { Effect, Schema } from "effect"
import type { Driver, Transaction } from "../Driver.ts"
import type { StoreError } from "../StoreError.ts"
import type { LeaseRequest } from "./LeaseRequest.ts"
import { Num, Str } from "./RowFields.ts"
import type { Condition, Table } from "./Table.ts"

/** The fields of a row that is due. */
export interface Due {
  readonly requests: number
  readonly nextAt: number
  readonly attempts: number
  readonly lease: string | null
  readonly leasedUntil: number
}

/** The columns of these fields. */
export const columns = {
  requests: "integer",
  nextAt: "instant",
  attempts: "integer",
  lease: "text",
  leasedUntil: "instant"
} as const

/** The schemas of these fields. */
export const fields = {
  requests: Num,
  nextAt: Num,
  attempts: Num,
  lease: Schema.NullOr(Str),
  leasedUntil: Num
}

/** A subject whose lease is held. */
export interface Leased {
  readonly ref: Repository.RepositoryRef
  readonly subject: string
  readonly attempts: number
  readonly requests: number
  readonly lease: string
}

/**
 * A kind of due rows: the port that operations are named for, its table, and the field of a row that names its subject.
 *
 * `row` makes a row, in the place of the one `before`; `where` finds the row of a subject, `waiting` the rows that may be leased at an instant.
 */
export interface Kind<Row extends Due> {
  readonly port: string
  readonly table: Table<Row>
  readonly subjectOf: (row: Row) => string
  readonly row: (subject: string, due: Due, before: Row | undefined) => Row
  readonly where: (subject: string) => Condition<Row>
  readonly waiting: (now: Instant.Instant) => ReadonlyArray<Condition<Row>>
}

/** The operations on due rows. */
export interface DueRows {
  readonly request: (
    ref: Repository.RepositoryRef,
    subject: string,
    at: Instant.Instant
  ) => Effect.Effect<void, StoreError>
  readonly lease: (request: LeaseRequest) => Effect.Effect<ReadonlyArray<Leased>, StoreError>
  readonly finish: (leased: Leased) => Effect.Effect<boolean, StoreError>
  readonly defer: (leased: Leased, until: Instant.Instant) => Effect.Effect<boolean, StoreError>
}

/** The operations over a driver. */
export const make = <Row extends Due>(driver: Driver["Service"], kind: Kind<Row>): DueRows => ({
  request: (ref, subject, at) =>
    driver.transact(`${kind.port}.request`, ref, at, (transaction) =>
      Effect.flatMap(find(transaction, kind, subject), (row) =>
        transaction.put(kind.table, [kind.row(subject, requested(row, at), row)])
      )
    ),
  lease: (request) => lease(driver, kind, request),
  finish: (leased) =>
    driver.transact(`${kind.port}.finish`, leased.ref, null, (transaction) =>
      held(transaction, kind, leased, (row) =>
        row.requests === leased.requests
          ? transaction.remove(kind.table, [kind.where(leased.subject)])
          : transaction.put(kind.table, [kind.row(leased.subject, { ...row, ...free, attempts: 0 }, row)])
      )
    ),
  defer: (leased, until) =>
    driver.transact(`${kind.port}.defer`, leased.ref, null, (transaction) =>
      held(transaction, kind, leased, (row) =>
        transaction.put(kind.table, [
          kind.row(leased.subject, { ...row, ...free, attempts: row.attempts + 1, nextAt: until }, row)
        ])
      )
    )
})

const free = { lease: null, leasedUntil: 0 }

const requested = (row: Due | undefined, at: number): Due =>
  row === undefined
    ? { requests: 1, nextAt: at, attempts: 0, ...free }
    : { ...row, requests: row.requests + 1, nextAt: row.attempts === 0 ? Math.min(row.nextAt, at) : row.nextAt }

const find = <Row extends Due>(transaction: Transaction, { table, where }: Kind<Row>, subject: string) =>
  Effect.map(transaction.select(table, { where: [where(subject)], order: [] }), ([row]) => row)

/** Changes the row of a lease that is still in force, and yields whether it was. */
export const held = Effect.fnUntraced(function* <Row extends Due, E>(
  transaction: Transaction,
  kind: Kind<Row>,
  { lease: proof, subject }: Pick<Leased, "lease" | "subject">,
  change: (row: Row) => Effect.Effect<unknown, E>
) {
  const row = yield* find(transaction, kind, subject)
  if (row === undefined || row.lease !== proof) return false
  yield* change(row)
  return true
})

const isDue = ({ leasedUntil, nextAt }: Due, now: number): boolean => nextAt <= now && leasedUntil <= now

const lease = Effect.fnUntraced(function* <Row extends Due>(
  driver: Driver["Service"],
  kind: Kind<Row>,
  request: LeaseRequest
) {
  const operation = `${kind.port}.lease`
  const waiting = yield* driver.scan(operation, kind.table, kind.waiting(request.now))
  const { subjectOf } = kind
  const longest = waiting.toSorted(
    (a, b) => a.row.nextAt - b.row.nextAt || Text.compare(subjectOf(a.row), subjectOf(b.row))
  )
  const leased: Array<Leased> = []
  for (const { ref, row } of longest) {
    if (leased.length === request.limit) break
    const found = yield* driver.transact(operation, ref, null, (transaction) =>
      take(transaction, kind, subjectOf(row), request)
    )
    if (found !== null) leased.push({ ...found, ref })
  }
  return leased
})

const take = Effect.fnUntraced(function* <Row extends Due>(
  transaction: Transaction,
  kind: Kind<Row>,
  subject: string,
  request: LeaseRequest
) {
  const row = yield* find(transaction, kind, subject)
  if (row === undefined || !isDue(row, request.now)) return null
  yield* transaction.put(kind.table, [
    kind.row(subject, { ...row, lease: request.lease, leasedUntil: request.until }, row)
  ])
  return { subject, attempts: row.attempts, requests: row.requests, lease: request.lease }
})
