/** Issues over a driver: their records, and which repository's are due. */
import { type TestIssue, Text } from "@lazaret/domain"
import { Effect, Option } from "effect"
import type { Driver, Transaction } from "../Driver.ts"
import { IssueStore, type LeasedIssues, type SettledIssues } from "./IssueStore.ts"
import { type IssueRoundRow, issueRounds, testIssues } from "../Rows.ts"
import * as Aliases from "../report/Aliases.ts"
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
        held(transaction, leased, () =>
          Effect.flatMap(Aliases.namesIn(transaction), ({ idsOf }) =>
            transaction.remove(testIssues, [["testId", "in", idsOf(testId)]])
          )
        )
      ),
    settle: (leased, progress) =>
      driver.transact("IssueStore.settle", leased.ref, null, (transaction) =>
        held(transaction, leased, (row) => settle(transaction, row, { leased, progress }))
      ),
    list: (ref) =>
      driver.read("IssueStore.list", ref, (view) =>
        Effect.gen(function* () {
          const names = yield* Aliases.namesIn(view)
          return recordsOf(yield* view.select(testIssues, { where: [], order: ["testId"] }), names)
        })
      ),
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

/** The records under the names that stand for those of their tests: of several of one test its own, else that of the first issue. */
const recordsOf = (
  rows: ReadonlyArray<TestIssue.TestIssue>,
  { idOf, resolve }: Aliases.Names
): ReadonlyArray<TestIssue.TestIssue> => {
  const records = new Map<string, TestIssue.TestIssue>()
  for (const row of rows.toSorted((a, b) => a.openedAt - b.openedAt)) {
    const testId = idOf(row.testId)
    if (testId !== row.testId && records.has(testId)) continue
    records.set(testId, { ...row, testId, testName: row.testName === "" ? "" : resolve(row.testName) })
  }
  return [...records.values()].sort((a, b) => Text.compare(a.testId, b.testId))
}

/** Changes the row under a lease that is still in force, and yields whether it was. */
const held = <E>(
  transaction: Transaction,
  { lease }: LeasedIssues,
  change: (row: IssueRoundRow) => Effect.Effect<unknown, E>
) => Due.held(transaction, kind, { lease, subject: "" }, change)

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
