/** Notifiers over a driver: which are due, which process holds the lease, and which progress is accepted. */
import { Effect } from "effect"
import type { Driver } from "../Driver.ts"
import { type NotifierProgress, type NotifierState, NotifierStore } from "./NotifierStore.ts"
import { type NotifierRow, notifiers } from "../Rows.ts"
import * as Leases from "../driver/Leases.ts"

const kind: Leases.Kind<NotifierRow> = {
  operation: "NotifierStore.lease",
  table: notifiers,
  where: (id) => ["id", "=", id],
  waiting: (now) => [
    ["nextAt", "<=", now],
    ["leasedUntil", "<=", now]
  ]
}

/** The port of notifiers. */
export const make = (driver: Driver["Service"]): NotifierStore["Service"] =>
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
              lease: null,
              leasedUntil: 0
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
    stage: (leased, until) =>
      driver.transact("NotifierStore.stage", leased.ref, null, (transaction) =>
        Leases.held(transaction, kind, { id: leased.notifier.id, lease: leased.lease }, (row) => ({ ...row, until }))
      ),
    settle: (leased, progress) =>
      driver.transact("NotifierStore.settle", leased.ref, null, (transaction) =>
        Leases.held(transaction, kind, { id: leased.notifier.id, lease: leased.lease }, (row) => settled(row, progress))
      )
  })

const settled = (row: NotifierRow, { sentAt, ...progress }: NotifierProgress): NotifierRow => ({
  ...row,
  ...progress,
  sentAt: sentAt ?? row.sentAt,
  until: row.until !== null && progress.position < row.until ? row.until : null,
  lease: null,
  leasedUntil: 0
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
