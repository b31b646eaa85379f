/** The port of wide notifiers, and its rules over a driver: those of several repositories, and how far each has read which log. */
import type { Instant, Notifier } from "@lazaret/domain"
import { Context, Effect } from "effect"
import type { StoreError } from "../StoreError.ts"
import type { LeaseRequest } from "../driver/LeaseRequest.ts"
import * as Leases from "../driver/Leases.ts"
import type { Driver } from "../Driver.ts"
import { type WideNotifierRow, wideNotifiers } from "../Rows.ts"
import type { Condition } from "../driver/Table.ts"

/**
 * A position in the log of a repository.
 *
 * **Details**
 *
 * `key` is that of the repository (`Repository.key`). `createdAt` tells it from a later one with the same name, whose log begins
 * again.
 */
export interface LogPlace {
  readonly key: string
  readonly createdAt: Instant.Instant
  readonly position: number
}

/**
 * A leased wide notifier, which is to write about the events after its places; a log without a place is read from its beginning.
 *
 * **Details**
 *
 * `staged` holds the places of the last events of a message that was begun and not confirmed, else null; `attempts` says how often
 * it was tried in vain. `lease` proves that the notifier is still ours.
 */
export interface LeasedWideNotifier {
  readonly notifier: Notifier.WideNotifier
  readonly places: ReadonlyArray<LogPlace>
  readonly staged: ReadonlyArray<LogPlace> | null
  readonly attempts: number
  readonly lease: string
}

/**
 * The progress of a wide notifier.
 *
 * **Details**
 *
 * `failure` says why the last attempt failed, null after a success. `sentAt` is the time of a message that was accepted, null
 * where none was sent: then the one before stays.
 */
export interface WideNotifierProgress {
  readonly places: ReadonlyArray<LogPlace>
  readonly attempts: number
  readonly nextAt: Instant.Instant
  readonly failure: string | null
  readonly sentAt: Instant.Instant | null
}

/** A wide notifier with its progress. */
export interface WideNotifierState extends WideNotifierProgress {
  readonly notifier: Notifier.WideNotifier
}

/**
 * The port of wide notifiers.
 *
 * **Laws**
 *
 * - It belongs to no repository, and reads no log: the use case knows the repositories, the port keeps the places.
 * - One at a time has the lease of a notifier, however many processes ask; a lease that has run out is anybody's.
 * - *Same message.* Once the end of a message is stored (`stage`), each later lease has it, until progress without a failure.
 * - Staging and progress count only for who still has the lease; progress ends it.
 */
export class WideNotifierStore extends Context.Service<
  WideNotifierStore,
  {
    /** Stores a notifier that writes from `firstAt` on, about the events after these places. */
    readonly insert: (
      notifier: Notifier.WideNotifier,
      places: ReadonlyArray<LogPlace>,
      firstAt: Instant.Instant
    ) => Effect.Effect<void, StoreError>
    /** All wide notifiers, by creation time, then id. */
    readonly list: Effect.Effect<ReadonlyArray<WideNotifierState>, StoreError>
    /** Removes a notifier; `false` when no notifier has this id. */
    readonly remove: (id: string) => Effect.Effect<boolean, StoreError>
    /** Leases notifiers whose time has come, those first that wait longest. */
    readonly lease: (
      request: Omit<LeaseRequest, "perOwner">
    ) => Effect.Effect<ReadonlyArray<LeasedWideNotifier>, StoreError>
    /** Stores the places of the last events of a message before it is sent; `false` when the lease is not ours any more. */
    readonly stage: (leased: LeasedWideNotifier, staged: ReadonlyArray<LogPlace>) => Effect.Effect<boolean, StoreError>
    /** Keeps the progress and ends the lease; `false`, and nothing kept, when the lease is not ours any more. */
    readonly settle: (leased: LeasedWideNotifier, progress: WideNotifierProgress) => Effect.Effect<boolean, StoreError>
  }
>()("@lazaret/store/WideNotifierStore") {
  /** The port over a driver. */
  static readonly over = (driver: Driver["Service"]): WideNotifierStore["Service"] => make(driver)
}

const make = (driver: Driver["Service"]): WideNotifierStore["Service"] =>
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
    stage: (leased, staged) => change(driver, leased, "stage", (row) => ({ ...row, staged })),
    settle: (leased, progress) => change(driver, leased, "settle", (row) => settled(row, progress))
  })

const operation = "WideNotifierStore.lease"

const kind = {
  port: "WideNotifierStore",
  table: wideNotifiers,
  where: (id: string) => [["id", "=", id] as const]
}

const fresh = { staged: null, attempts: 0, failure: null, sentAt: null, ...Leases.free }

const waiting = (now: number): ReadonlyArray<Condition<WideNotifierRow>> => [
  ["nextAt", "<=", now],
  ["leasedUntil", "<=", now]
]

/** Changes the row under a lease that is still in force. */
const change = (
  driver: Driver["Service"],
  { lease, notifier: { id } }: LeasedWideNotifier,
  step: string,
  of: (row: WideNotifierRow) => WideNotifierRow
) =>
  Leases.held(driver, kind, { operation: step, ref: null, id, lease }, (transaction, row) =>
    transaction.put(wideNotifiers, [of(row)])
  )

const settled = (row: WideNotifierRow, { sentAt, ...progress }: WideNotifierProgress): WideNotifierRow => ({
  ...row,
  ...progress,
  sentAt: sentAt ?? row.sentAt,
  staged: progress.failure === null ? null : row.staged,
  ...Leases.free
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
