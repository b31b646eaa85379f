/** The port of causes, and its rules over a driver: their records, what people decide about them, and when they are next computed. */
import {
  CauseEvents,
  type CauseFacts,
  CauseRecord,
  type CauseRound,
  type Instant,
  type Repository,
  type TestId
} from "@lazaret/domain"
import { Context, Effect, Option } from "effect"
import type { Driver, Transaction } from "../Driver.ts"
import * as Due from "../driver/Due.ts"
import * as RepositoryRounds from "../driver/RepositoryRounds.ts"
import * as Slices from "../driver/Slices.ts"
import type { StoreError } from "../StoreError.ts"
import { type CauseRoundRow, causeRounds, causes } from "./CauseRows.ts"

/**
 * The last computation of the causes of a repository.
 *
 * **Details**
 *
 * - `computedAt`: null before the first one. `redRuns`, `missingRuns`: see `CauseRound`.
 * - `changes`: grows with every write of a record.
 */
export interface CauseProgress extends Pick<CauseRound.CauseRound, "redRuns" | "missingRuns"> {
  readonly computedAt: Instant.Instant | null
  readonly changes: number
}

/** A decision of a person. */
export interface CauseDecision {
  readonly causeId: string
  readonly change: CauseRecord.Change
  readonly at: Instant.Instant
  readonly by: string
}

/**
 * The port of causes.
 *
 * **Laws**
 *
 * - *Facts.* The latest job runs with failures of every branch but those of forks, within `CauseFacts.bounds`; the same reports give
 *   the same facts whatever their order of arrival.
 * - *Rounds.* Those of {@link RepositoryRounds.RepositoryRounds}; a round ends with `replace`.
 * - *Decisions stay.* A round replaces what is known of causes, and keeps decisions that are made while it runs (`CauseRound.of` is
 *   called with the records of the transaction that stores its result).
 * - The removal of a test removes it from the records, and requests a round.
 * - *Events.* A decision, and a round that changes causes with decisions, write their events in the same transaction (`CauseEvents`).
 */
export class CauseStore extends Context.Service<
  CauseStore,
  RepositoryRounds.RepositoryRounds & {
    /** The facts from which causes are computed. One read, at one moment. */
    readonly facts: (ref: Repository.RepositoryRef) => Effect.Effect<CauseFacts.CauseFacts, StoreError>
    /** Stores what `compute` makes of the records that are stored; `false`, and nothing stored, when the lease is not ours any more. */
    readonly replace: (
      leased: Due.LeasedRepository,
      times: RepositoryRounds.RoundTimes,
      compute: (before: ReadonlyArray<CauseRecord.CauseRecord>) => CauseRound.CauseRound
    ) => Effect.Effect<boolean, StoreError>
    /** The last round. */
    readonly progress: (ref: Repository.RepositoryRef) => Effect.Effect<CauseProgress, StoreError>
    /** The records of a repository, in the order of ids. */
    readonly list: (ref: Repository.RepositoryRef) => Effect.Effect<ReadonlyArray<CauseRecord.CauseRecord>, StoreError>
    /** Stores a decision, and yields the record after it; none when the cause is not known. */
    readonly decide: (
      ref: Repository.RepositoryRef,
      decision: CauseDecision
    ) => Effect.Effect<Option.Option<CauseRecord.CauseRecord>, StoreError>
  }
>()("@lazaret/store/CauseStore") {
  /** The port over a driver. */
  static readonly over = (driver: Driver["Service"]): CauseStore["Service"] => make(driver)

  /** Removes a deleted test from the records, and requests a round: the facts are others now. */
  static forget(transaction: Transaction, testId: TestId.TestId): Effect.Effect<void, StoreError> {
    return forget(transaction, testId)
  }
}

const none = { computedAt: null, redRuns: 0, missingRuns: 0, changes: 0 }

const kind: RepositoryRounds.Kind<CauseRoundRow> = {
  port: "CauseStore",
  table: causeRounds,
  blank: { ...none, ...Due.unrequested }
}

const make = (driver: Driver["Service"]): CauseStore["Service"] => {
  const { fail, lease, replace, request, rowIn } = RepositoryRounds.make(driver, kind)
  return CauseStore.of({
    request,
    lease,
    fail,
    facts: driver.causeFacts,
    replace: (leased, { againAt, computedAt }, compute) =>
      replace(leased, (transaction, held) =>
        Effect.gen(function* () {
          const before = yield* selectAll(transaction)
          const { missingRuns, records, redRuns } = compute(before)
          const changes = held.changes + ((yield* write(transaction, before, records)) ? 1 : 0)
          yield* transaction.log(CauseEvents.ofRound(before, records, computedAt))
          const next = RepositoryRounds.rested(held, leased, againAt)
          return { ...held, ...next, computedAt, redRuns, missingRuns, changes }
        })
      ),
    progress: (ref) =>
      driver.read("CauseStore.progress", ref, (view) =>
        Effect.map(rowIn(view), ({ changes, computedAt, missingRuns, redRuns }) => ({
          changes,
          computedAt,
          missingRuns,
          redRuns
        }))
      ),
    list: (ref) => driver.read("CauseStore.list", ref, selectAll),
    decide: (ref, { at, by, causeId, change }) =>
      driver.transact("CauseStore.decide", ref, null, (transaction) =>
        Effect.gen(function* () {
          const [record] = yield* transaction.select(causes, { where: [["causeId", "=", causeId]], order: [] })
          if (record === undefined) return Option.none()
          const decided = CauseRecord.decided(record, change, { at, by })
          yield* transaction.put(causes, [decided])
          yield* transaction.log(CauseEvents.decided(record, decided, { at, by }))
          const [row] = yield* transaction.select(causeRounds, { where: [], order: [] })
          if (row !== undefined) yield* transaction.put(causeRounds, [{ ...row, changes: row.changes + 1 }])
          return Option.some(decided)
        })
      )
  })
}

const forget = (transaction: Transaction, testId: TestId.TestId) =>
  RepositoryRounds.again(transaction, kind, (row) =>
    Effect.gen(function* () {
      const before = yield* selectAll(transaction)
      const after = before.flatMap((record) => CauseRecord.withoutTest(record, testId) ?? [])
      const isChanged = yield* write(transaction, before, after)
      return { ...row, changes: row.changes + (isChanged ? 1 : 0) }
    })
  )

const selectAll = (view: Pick<Transaction, "select">) => view.select(causes, { where: [], order: ["causeId"] })

/** Writes the records that differ, removes those that are left, and yields whether there were any. */
const write = Effect.fnUntraced(function* (
  transaction: Transaction,
  before: ReadonlyArray<CauseRecord.CauseRecord>,
  after: ReadonlyArray<CauseRecord.CauseRecord>
) {
  const known = new Map<string, string>()
  yield* Slices.visit(before, comparedAtOnce, (record) => {
    known.set(record.causeId, JSON.stringify(sorted(record)))
  })
  const changed: Array<CauseRecord.CauseRecord> = []
  yield* Slices.visit(after, comparedAtOnce, (record) => {
    if (known.get(record.causeId) !== JSON.stringify(sorted(record))) changed.push(record)
  })
  const kept = new Set(after.map(({ causeId }) => causeId))
  const removed = before.filter(({ causeId }) => !kept.has(causeId)).map(({ causeId }) => causeId)
  for (let start = 0; start < changed.length; start += recordsAtOnce) {
    yield* transaction.put(causes, changed.slice(start, start + recordsAtOnce))
  }
  if (removed.length > 0) yield* transaction.remove(causes, [["causeId", "in", removed]])
  return changed.length + removed.length > 0
})

const recordsAtOnce = 100

/** A record has up to 5,000 tests: some milliseconds. */
const comparedAtOnce = 20

/** A value with its fields in one order, at whatever depth: engines store JSON in orders of their own. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([field, part]) => [field, sorted(part)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1))
  )
}
