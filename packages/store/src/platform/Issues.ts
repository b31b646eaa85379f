/** Issues over a driver: their records, and which repository's are due. */
import { Effect, Option } from "effect"
import type { Driver, Transaction } from "../Driver.ts"
import { IssueStore, type LeasedIssues, type SettledIssues } from "./IssueStore.ts"
import { type IssueRoundRow, issueRounds, testIssues } from "../Rows.ts"
import * as Due from "../driver/Due.ts"

const kind: Due.Kind<IssueRoundRow> = {
  port: "IssueStore",
  table: issueRounds,
  subjectOf: () => "",
  row: (_, { attempts, lease, leasedUntil, nextAt, requests }, before) => ({
    requests,
    nextAt,
    attempts,
    lease,
    leasedUntil,
    failure: before?.failure ?? null,
    checkedAt: before?.checkedAt ?? null
  }),
  // A repository has one row, and a row has a request.
  where: () => ["requests", ">", 0],
  waiting: (now) => [
    ["nextAt", "<=", now],
    ["leasedUntil", "<=", now]
  ]
}

/** The port of issues. */
export const make = (driver: Driver["Service"]): IssueStore["Service"] => {
  const due = Due.make(driver, kind)
  return IssueStore.of({
    request: (ref, at) => due.request(ref, "", at),
    lease: (request) =>
      Effect.map(due.lease(request), (all) =>
        all.map(({ attempts, lease, ref, requests }) => ({ ref, attempts, requests, lease }))
      ),
    keep: (leased, record, events) =>
      driver.transact("IssueStore.keep", leased.ref, null, (transaction) =>
        held(transaction, leased, () => Effect.andThen(transaction.put(testIssues, [record]), transaction.log(events)))
      ),
    drop: (leased, testId) =>
      driver.transact("IssueStore.drop", leased.ref, null, (transaction) =>
        held(transaction, leased, () => transaction.remove(testIssues, [["testId", "=", testId]]))
      ),
    settle: (leased, progress) =>
      driver.transact("IssueStore.settle", leased.ref, null, (transaction) =>
        held(transaction, leased, (row) => settle(transaction, row, { leased, progress }))
      ),
    list: (ref) =>
      driver.read("IssueStore.list", ref, (view) => view.select(testIssues, { where: [], order: ["testId"] })),
    progress: (ref) =>
      driver.read("IssueStore.progress", ref, (view) =>
        Effect.map(view.select(issueRounds, { where: [], order: [] }), ([row]) =>
          row === undefined || row.checkedAt === null
            ? Option.none()
            : Option.some({
                attempts: row.attempts,
                failure: row.failure,
                checkedAt: row.checkedAt,
                nextAt: row.nextAt
              })
        )
      )
  })
}

/** Changes rows under a lease that is still in force, and yields whether it was. */
const held = Effect.fnUntraced(function* <E>(
  transaction: Transaction,
  { lease }: LeasedIssues,
  change: (row: IssueRoundRow) => Effect.Effect<unknown, E>
) {
  const [row] = yield* transaction.select(issueRounds, { where: [], order: [] })
  if (row === undefined || row.lease !== lease) return false
  yield* change(row)
  return true
})

interface End {
  readonly leased: LeasedIssues
  readonly progress: SettledIssues | null
}

const settle = (transaction: Transaction, row: IssueRoundRow, { leased, progress }: End) => {
  const isAsked = row.requests !== leased.requests
  const free = { ...row, lease: null, leasedUntil: 0 }
  if (progress === null) {
    return isAsked
      ? transaction.put(issueRounds, [{ ...free, attempts: 0 }])
      : Effect.asVoid(transaction.remove(issueRounds, []))
  }
  const { againAt, attempts, checkedAt, failure, nextAt } = progress
  const at = isAsked && attempts === 0 ? Math.min(againAt, nextAt) : nextAt
  return transaction.put(issueRounds, [{ ...free, attempts, checkedAt, failure, nextAt: at }])
}
