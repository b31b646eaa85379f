/** Rounds of repositories over a driver: work about a whole repository, which one process at a time does. */
import type { Instant, Repository } from "@lazaret/domain"
import { Effect } from "effect"
import type { Driver, Transaction, View } from "../Driver.ts"
import type { StoreError } from "../StoreError.ts"
import * as Due from "./Due.ts"
import type { LeaseRequest } from "./LeaseRequest.ts"
import * as Leases from "./Leases.ts"
import type { Table } from "./Table.ts"

/**
 * The part of a port that gives rounds out.
 *
 * **Laws**
 *
 * - *One at a time.* One process has the lease of a repository, however many ask; a lease that has run out is anybody's.
 * - A request is kept until a round that was leased after it has ended. Requests are one piece of work per repository.
 * - `fail`, and the operation of the port that stores the result of a round, count only for the holder of the lease, and end it.
 */
export interface RepositoryRounds {
  /** Requests a round from an instant on. Creates the repository. */
  readonly request: (ref: Repository.RepositoryRef, at: Instant.Instant) => Effect.Effect<void, StoreError>
  /** Leases repositories whose time has come, the longest due first. */
  readonly lease: (request: LeaseRequest) => Effect.Effect<ReadonlyArray<Due.LeasedRepository>, StoreError>
  /** Puts the round off after a failure; `false`, and nothing changed, when the lease is not ours any more. */
  readonly fail: (leased: Due.LeasedRepository, until: Instant.Instant) => Effect.Effect<boolean, StoreError>
}

/** The time of a round, and the earliest time of the next one where a request arrived meanwhile. */
export interface RoundTimes {
  readonly computedAt: Instant.Instant
  readonly againAt: Instant.Instant
}

/** A kind of rounds: its table has one row per repository, `blank` before the first request. */
export interface Kind<Row extends Due.Due> extends Pick<Due.Kind<Row>, "port" | "table" | "requestedAt"> {
  readonly blank: Row
}

/** Rounds over a driver. */
export interface Rounds<Row extends Due.Due> extends RepositoryRounds {
  /** The row of a repository; `blank` before the first request. */
  readonly rowIn: (view: View) => Effect.Effect<Row, StoreError>
  /** Changes something under a lease that is still in force, in one transaction, and yields whether it was. */
  readonly held: (
    operation: string,
    leased: Due.LeasedRepository,
    change: (transaction: Transaction, row: Row) => Effect.Effect<unknown, StoreError>
  ) => Effect.Effect<boolean, StoreError>
  /** Ends a round with the row that `change` yields. */
  readonly replace: (
    leased: Due.LeasedRepository,
    change: (transaction: Transaction, row: Row) => Effect.Effect<Row, StoreError>
  ) => Effect.Effect<boolean, StoreError>
}

/** The rounds of a kind. */
export const make = <Row extends Due.Due>(driver: Driver["Service"], kind: Kind<Row>): Rounds<Row> => {
  const { table } = kind
  const ofSubject = kindOf(kind)
  const due = Due.make(driver, ofSubject)
  const leasing = Due.leasingOf(ofSubject)
  const held: Rounds<Row>["held"] = (operation, { lease, ref }, change) =>
    Leases.held(driver, leasing, { operation, ref, lease, id: "" }, change)
  return {
    request: (ref, at) => due.request(ref, "", at),
    lease: (request) =>
      Effect.map(due.lease(request), (all) =>
        all.map(({ attempts, lease, ref, requests }) => ({ ref, attempts, requests, lease }))
      ),
    fail: (leased, until) =>
      held("fail", leased, (transaction, row) => transaction.put(table, [Due.deferred(row, until)])),
    rowIn: (view) => Effect.map(select(view, table), (row) => row ?? kind.blank),
    held,
    replace: (leased, change) =>
      held("replace", leased, (transaction, row) =>
        Effect.flatMap(change(transaction, row), (next) =>
          transaction.put(table, [{ ...next, ...Leases.free, attempts: 0 }])
        )
      )
  }
}

/** Requests a round of a repository that had one before, at the earliest time that its row allows; `change` may change more of it. */
export const again = Effect.fnUntraced(function* <Row extends Due.Due>(
  transaction: Transaction,
  kind: Kind<Row>,
  change: (row: Row) => Effect.Effect<Row, StoreError>
) {
  const row = yield* select(transaction, kind.table)
  if (row === undefined) return
  yield* transaction.put(kind.table, [yield* change(Due.requested(kindOf(kind), row, row.nextAt))])
})

/** The requests and the time that a row is left with when a round ends: a request that arrived meanwhile stays due. */
export const rested = (
  { requests }: Due.Due,
  leased: Due.LeasedRepository,
  againAt: Instant.Instant
): Pick<Due.Due, "requests" | "nextAt"> => ({ requests: requests - leased.requests, nextAt: againAt })

/** A round that is done leaves the earliest time of the next one; a request that waits already keeps its time. */
const later = ({ nextAt, requests }: Due.Due, at: Instant.Instant): Instant.Instant =>
  requests === 0 ? Math.max(nextAt, at) : nextAt

const kindOf = <Row extends Due.Due>({ blank, port, requestedAt = later, table }: Kind<Row>): Due.Kind<Row> => ({
  port,
  table,
  subjectOf: () => "",
  blank: () => blank,
  where: () => [],
  requestedAt
})

const select = <Row extends Due.Due>(view: View, table: Table<Row>) =>
  Effect.map(view.select(table, { where: [], order: [] }), ([row]) => row)
