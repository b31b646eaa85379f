/** Due rows over a driver: their time, and the effect of a request during a lease. */
import type { Instant, Repository } from "@lazaret/domain"
import { Effect, Schema } from "effect"
import type { Driver } from "../Driver.ts"
import type { StoreError } from "../StoreError.ts"
import type { LeaseRequest } from "./LeaseRequest.ts"
import * as Leases from "./Leases.ts"
import { Num, Str } from "./RowFields.ts"
import type { Condition } from "./Table.ts"

/** The fields of a row that is due. */
export interface Due extends Leases.Leasable {
  readonly requests: number
  readonly nextAt: number
  readonly attempts: number
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

/** The fields of a row that nobody has requested. */
export const unrequested: Due = { requests: 0, nextAt: 0, attempts: 0, ...Leases.free }

/**
 * A subject whose lease is held.
 *
 * **Details**
 *
 * - `attempts`: how often its work failed in a row.
 * - `requests`: the number of requests that the lease covers.
 * - `lease`: proves that it is still ours.
 */
export interface Leased extends LeasedRepository {
  readonly subject: string
}

/** A repository whose lease is held, for work that is about all of it; its fields are those of {@link Leased}. */
export interface LeasedRepository {
  readonly ref: Repository.RepositoryRef
  readonly attempts: number
  readonly requests: number
  readonly lease: string
}

/**
 * A kind of due rows.
 *
 * **Details**
 *
 * - `blank`: the row of a subject that nobody has requested.
 * - `requestedAt`: the time of a row that exists, after a request for an instant; `earliest` where it is left out.
 */
export interface Kind<Row extends Due> extends Pick<Leases.Kind<Row>, "port" | "table" | "where"> {
  readonly subjectOf: (row: Row) => string
  readonly blank: (subject: string) => Row
  readonly requestedAt?: (row: Row, at: Instant.Instant) => Instant.Instant
}

/** The operations on due rows. */
export interface DueRows {
  /** Requests work on a subject from an instant on. Creates the repository. */
  readonly request: (
    ref: Repository.RepositoryRef,
    subject: string,
    at: Instant.Instant
  ) => Effect.Effect<void, StoreError>
  /** Leases the subjects whose time has come, the longest due first. */
  readonly lease: (request: LeaseRequest) => Effect.Effect<ReadonlyArray<Leased>, StoreError>
  /** Ends the work on a subject; one that was requested during the lease stays due. `false`, and nothing changed, when the lease is not ours any more. */
  readonly finish: (leased: Leased) => Effect.Effect<boolean, StoreError>
  /** Puts work that failed off until an instant; `false`, and nothing changed, when the lease is not ours any more. */
  readonly defer: (leased: Leased, until: Instant.Instant) => Effect.Effect<boolean, StoreError>
}

/** The operations over a driver. */
export const make = <Row extends Due>(driver: Driver["Service"], kind: Kind<Row>): DueRows => {
  const { port, table } = kind
  const leasing = leasingOf(kind)
  return {
    request: (ref, subject, at) =>
      driver.transact(`${port}.request`, ref, at, (transaction) =>
        Effect.flatMap(Leases.find(transaction, leasing, subject), (row) =>
          transaction.put(table, [requested(kind, row ?? { ...kind.blank(subject), nextAt: at }, at)])
        )
      ),
    lease: (request) =>
      Effect.map(Leases.lease(driver, leasing, request), (all) =>
        all.map(({ ref, row }) => ({
          ref,
          subject: kind.subjectOf(row),
          attempts: row.attempts,
          requests: row.requests,
          lease: request.lease
        }))
      ),
    finish: (leased) =>
      Leases.held(driver, leasing, heldBy("finish", leased), (transaction, row) =>
        row.requests === leased.requests
          ? transaction.remove(table, kind.where(leased.subject))
          : transaction.put(table, [{ ...row, ...Leases.free, attempts: 0 }])
      ),
    defer: (leased, until) =>
      Leases.held(driver, leasing, heldBy("defer", leased), (transaction, row) =>
        transaction.put(table, [deferred(row, until)])
      )
  }
}

const heldBy = (operation: string, { lease, ref, subject: id }: Leased) => ({ operation, id, lease, ref })

/** The leases of due rows. */
export const leasingOf = <Row extends Due>({ port, subjectOf, table, where }: Kind<Row>): Leases.Kind<Row> => ({
  port,
  table,
  idOf: subjectOf,
  where,
  waiting: (now) => [waiting(now)],
  dueAt: ({ nextAt, requests }) => (requests === 0 ? Infinity : nextAt)
})

/** The rows that are requested, whose time has come, and that nobody has leased. */
const waiting = (now: Instant.Instant): ReadonlyArray<Condition<Due>> => [
  ["nextAt", "<=", now],
  ["leasedUntil", "<=", now],
  ["requests", ">", 0]
]

/** A row after a request. */
export const requested = <Row extends Due>(
  { requestedAt = earliest }: Kind<Row>,
  row: Row,
  at: Instant.Instant
): Row => ({
  ...row,
  requests: row.requests + 1,
  nextAt: requestedAt(row, at)
})

/** The earliest of the times requested; after a failure, the time that the work was put off to. */
export const earliest = ({ attempts, nextAt }: Due, at: Instant.Instant): Instant.Instant =>
  attempts === 0 ? Math.min(nextAt, at) : nextAt

/** A row after a failure. */
export const deferred = <Row extends Due>(row: Row, until: Instant.Instant): Row => ({
  ...row,
  ...Leases.free,
  attempts: row.attempts + 1,
  nextAt: until
})
