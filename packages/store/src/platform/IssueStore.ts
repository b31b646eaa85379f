/** The port of issues, and its rules over a driver: the record of each, and when the issues of a repository are next compared with its tests. */
import { type Event, type Instant, type Repository, type TestIssue, Text } from "@lazaret/domain"
import { Context, Effect, Option } from "effect"
import type { StoreError } from "../StoreError.ts"
import type { Driver, Transaction } from "../Driver.ts"
import { type IssueRoundRow, issueRounds, testIssues } from "../Rows.ts"
import * as Aliases from "../report/Aliases.ts"
import * as Due from "../driver/Due.ts"
import * as Leases from "../driver/Leases.ts"
import * as RepositoryRounds from "../driver/RepositoryRounds.ts"

/** The last comparison of the issues of a repository with its tests; `failure` says why it failed, null after a success. */
export interface IssueProgress {
  readonly attempts: number
  readonly failure: string | null
  readonly checkedAt: Instant.Instant
  readonly nextAt: Instant.Instant
}

/** The progress at the end of a lease; `againAt` is the next time where a request arrived during the lease. */
export interface SettledIssues extends IssueProgress {
  readonly againAt: Instant.Instant
}

/**
 * The port of issues.
 *
 * **Laws**
 *
 * - A request is kept until work that was leased after it is settled. Requests are one piece of work per repository, at the
 *   earliest of their times; after a failure, at the time of `settle`.
 * - One at a time has the lease of a repository, however many processes ask; a lease that has run out is anybody's.
 * - `keep` and `settle` count only for who still has the lease; `settle` ends it.
 * - A test has one record. It is stored with its events, or not at all.
 * - The removal of a test removes its name from the record of its issue; `drop` ends the record.
 */
export class IssueStore extends Context.Service<
  IssueStore,
  Pick<RepositoryRounds.RepositoryRounds, "request" | "lease"> & {
    /** Stores a record and appends events; `false`, and nothing stored, when the lease is not ours any more. */
    readonly keep: (
      leased: Due.LeasedRepository,
      record: TestIssue.TestIssue,
      events: ReadonlyArray<Event.Event>
    ) => Effect.Effect<boolean, StoreError>
    /** Removes the record of a test that was deleted; `false`, and nothing removed, when the lease is not ours any more. */
    readonly drop: (
      leased: Due.LeasedRepository,
      testId: TestIssue.TestIssue["testId"]
    ) => Effect.Effect<boolean, StoreError>
    /**
     * Stores the progress and ends the lease; with null, nothing more is due but what was requested during the lease. `false`,
     * and nothing changed, when the lease is not ours any more.
     */
    readonly settle: (
      leased: Due.LeasedRepository,
      progress: SettledIssues | null
    ) => Effect.Effect<boolean, StoreError>
    /** The records of a repository, by test id. */
    readonly list: (ref: Repository.RepositoryRef) => Effect.Effect<ReadonlyArray<TestIssue.TestIssue>, StoreError>
    /** The last comparison; none before the first. */
    readonly progress: (ref: Repository.RepositoryRef) => Effect.Effect<Option.Option<IssueProgress>, StoreError>
  }
>()("@lazaret/store/IssueStore") {
  /** The port over a driver. */
  static readonly over = (driver: Driver["Service"]): IssueStore["Service"] => make(driver)
}

const kind: RepositoryRounds.Kind<IssueRoundRow> = {
  port: "IssueStore",
  table: issueRounds,
  blank: { failure: null, checkedAt: null, ...Due.unrequested },
  requestedAt: Due.earliest
}

const make = (driver: Driver["Service"]): IssueStore["Service"] => {
  const { held, lease, request } = RepositoryRounds.make(driver, kind)
  return IssueStore.of({
    request,
    lease,
    keep: (leased, record, events) =>
      held("keep", leased, (transaction) =>
        Effect.andThen(transaction.put(testIssues, [record]), transaction.log(events))
      ),
    drop: (leased, testId) =>
      held("drop", leased, (transaction) =>
        Effect.flatMap(Aliases.namesIn(transaction), ({ idsOf }) =>
          transaction.remove(testIssues, [["testId", "in", idsOf(testId)]])
        )
      ),
    settle: (leased, progress) =>
      held("settle", leased, (transaction, row) => settle(transaction, row, { leased, progress })),
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

interface End {
  readonly leased: Due.LeasedRepository
  readonly progress: SettledIssues | null
}

const settle = (transaction: Transaction, row: IssueRoundRow, { leased, progress }: End) => {
  const isAsked = row.requests !== leased.requests
  const free = { ...row, ...Leases.free }
  if (progress === null) {
    return isAsked
      ? transaction.put(issueRounds, [{ ...free, attempts: 0 }])
      : Effect.asVoid(transaction.remove(issueRounds, []))
  }
  const { againAt, attempts, checkedAt, failure, nextAt } = progress
  const at = isAsked && attempts === 0 ? Math.min(againAt, nextAt) : nextAt
  return transaction.put(issueRounds, [{ ...free, attempts, checkedAt, failure, nextAt: at }])
}
