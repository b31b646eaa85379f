/** The port of notifiers, and its rules over a driver: the readers of the log of events whose messages people read, and the progress of each. */
import type { Instant, Notifier, Repository } from "@lazaret/domain"
import { Context, Effect } from "effect"
import type { StoreError } from "../StoreError.ts"
import type { LeaseRequest } from "../driver/LeaseRequest.ts"
import type { Driver } from "../Driver.ts"
import { type NotifierRow, notifiers } from "../Rows.ts"
import * as Leases from "../driver/Leases.ts"

/**
 * A leased notifier, which is to write about the events after `position`.
 *
 * **Details**
 *
 * `until` is the position of the last event of a message that was begun and not confirmed, else null; `attempts` says how often
 * it was tried in vain. `lease` proves that the notifier is still ours.
 */
export interface LeasedNotifier {
  readonly ref: Repository.RepositoryRef
  readonly notifier: Notifier.Notifier
  readonly position: number
  readonly until: number | null
  readonly attempts: number
  readonly lease: string
}

/**
 * The progress of a notifier.
 *
 * **Details**
 *
 * `failure` says why the last attempt failed, null after a success. `sentAt` is the time of a message that was accepted, null
 * where none was sent: then the one before stays.
 */
export interface NotifierProgress {
  readonly position: number
  readonly attempts: number
  readonly nextAt: Instant.Instant
  readonly failure: string | null
  readonly sentAt: Instant.Instant | null
}

/** A notifier with its progress; `waiting` is the number of positions of the log that it has not passed. */
export interface NotifierState extends NotifierProgress {
  readonly notifier: Notifier.Notifier
  readonly waiting: number
}

/**
 * The port of notifiers.
 *
 * **Laws**
 *
 * - A notifier reads the events that are appended after its creation.
 * - One at a time has the lease of a notifier, however many processes ask; a lease that has run out is anybody's.
 * - *Same message.* Once the end of a message is stored (`stage`), each later lease has it, until progress reaches it: what is
 *   sent again has the same events.
 * - Staging and progress count only for who still has the lease; progress ends it.
 */
export class NotifierStore extends Context.Service<
  NotifierStore,
  {
    /** Stores a notifier that writes from `firstAt` on. Creates the repository. */
    readonly insert: (
      ref: Repository.RepositoryRef,
      notifier: Notifier.Notifier,
      firstAt: Instant.Instant
    ) => Effect.Effect<void, StoreError>
    /** The notifiers of a repository, by creation time, then id. */
    readonly list: (ref: Repository.RepositoryRef) => Effect.Effect<ReadonlyArray<NotifierState>, StoreError>
    /** Removes a notifier; `false` when no notifier has this id. */
    readonly remove: (ref: Repository.RepositoryRef, id: string) => Effect.Effect<boolean, StoreError>
    /** Leases notifiers of any repository that have events before them and whose time has come. */
    readonly lease: (request: LeaseRequest) => Effect.Effect<ReadonlyArray<LeasedNotifier>, StoreError>
    /** Stores the position of the last event of a message before it is sent; `false` when the lease is not ours any more. */
    readonly stage: (leased: LeasedNotifier, until: number) => Effect.Effect<boolean, StoreError>
    /** Keeps the progress and ends the lease; `false`, and nothing kept, when the lease is not ours any more. */
    readonly settle: (leased: LeasedNotifier, progress: NotifierProgress) => Effect.Effect<boolean, StoreError>
  }
>()("@lazaret/store/NotifierStore") {
  /** The port over a driver. */
  static readonly over = (driver: Driver["Service"]): NotifierStore["Service"] => make(driver)
}

const kind = Leases.ofReaders("NotifierStore", notifiers)

const make = (driver: Driver["Service"]): NotifierStore["Service"] =>
  NotifierStore.of({
    insert: (ref, notifier, firstAt) =>
      driver.transact("NotifierStore.insert", ref, notifier.createdAt, (transaction) =>
        Effect.flatMap(transaction.head, (position) =>
          transaction.put(notifiers, [
            {
              ...notifier,
              position,
              until: null,
              attempts: 0,
              nextAt: firstAt,
              failure: null,
              sentAt: null,
              ...Leases.free
            }
          ])
        )
      ),
    list: (ref) =>
      driver.snapshot("NotifierStore.list", ref, (view) =>
        Effect.gen(function* () {
          const rows = yield* view.select(notifiers, { where: [], order: ["createdAt", "id"] })
          const head = rows.length === 0 ? 0 : yield* view.head
          return rows.map((row) => stateOf(row, head))
        })
      ),
    remove: (ref, id) =>
      driver.transact("NotifierStore.remove", ref, null, (transaction) =>
        Effect.map(transaction.remove(notifiers, [["id", "=", id]]), (removed) => removed > 0)
      ),
    lease: (request) =>
      Effect.map(Leases.lease(driver, kind, request), (leased) =>
        leased.map(({ ref, row }) => ({
          ref,
          notifier: notifierOf(row),
          position: row.position,
          until: row.until,
          attempts: row.attempts,
          lease: request.lease
        }))
      ),
    stage: (leased, until) => change(driver, leased, "stage", (row) => ({ ...row, until })),
    settle: (leased, progress) => change(driver, leased, "settle", (row) => settled(row, progress))
  })

/** Changes the row under a lease that is still in force. */
const change = (
  driver: Driver["Service"],
  { lease, notifier: { id }, ref }: LeasedNotifier,
  operation: string,
  of: (row: NotifierRow) => NotifierRow
) =>
  Leases.held(driver, kind, { operation, ref, id, lease }, (transaction, row) => transaction.put(notifiers, [of(row)]))

const settled = (row: NotifierRow, { sentAt, ...progress }: NotifierProgress): NotifierRow => ({
  ...row,
  ...progress,
  sentAt: sentAt ?? row.sentAt,
  until: row.until !== null && progress.position < row.until ? row.until : null,
  ...Leases.free
})

const notifierOf = ({
  channel,
  createdAt,
  createdBy,
  id,
  owners,
  schedule,
  types
}: NotifierRow): NotifierState["notifier"] => ({ id, channel, types, owners, schedule, createdAt, createdBy })

const stateOf = (row: NotifierRow, head: number): NotifierState => ({
  notifier: notifierOf(row),
  position: row.position,
  attempts: row.attempts,
  nextAt: row.nextAt,
  failure: row.failure,
  sentAt: row.sentAt,
  waiting: Math.max(0, head - row.position)
})
