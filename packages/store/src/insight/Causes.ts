/** Causes over a driver: their records, and which repository's are due. */
import { CauseEvents, CauseRecord, type TestId } from "@lazaret/domain"
import { Effect, Option } from "effect"
import type { Driver, Transaction } from "../Driver.ts"
import * as Due from "../driver/Due.ts"
import { type CauseRoundRow, causeRounds, causes } from "./CauseRows.ts"
import { CauseStore, type LeasedCauses } from "./CauseStore.ts"

const kind: Due.Kind<CauseRoundRow> = {
  port: "CauseStore",
  table: causeRounds,
  subjectOf: () => "",
  row: (_, { attempts, lease, leasedUntil, nextAt, requests }, before) => ({
    ...(before ?? none),
    requests,
    nextAt,
    attempts,
    lease,
    leasedUntil
  }),
  // A repository has one row. One without a request waits for the next.
  where: () => ["requests", ">=", 0],
  waiting: (now) => [
    ["nextAt", "<=", now],
    ["leasedUntil", "<=", now],
    ["requests", ">", 0]
  ]
}

const none = { computedAt: null, redRuns: 0, missingRuns: 0, changes: 0 }

/** The port of causes. */
export const make = (driver: Driver["Service"]): CauseStore["Service"] => {
  const due = Due.make(driver, kind)
  return CauseStore.of({
    facts: driver.causeFacts,
    request: (ref, at) =>
      driver.transact("CauseStore.request", ref, at, (transaction) =>
        Effect.flatMap(transaction.select(causeRounds, { where: [], order: [] }), ([row]) =>
          transaction.put(causeRounds, [requested(row, at)])
        )
      ),
    lease: (request) =>
      Effect.map(due.lease(request), (all) =>
        all.map(({ attempts, lease, ref, requests }) => ({ ref, attempts, requests, lease }))
      ),
    replace: (leased, { againAt, computedAt }, compute) =>
      driver.transact("CauseStore.replace", leased.ref, null, (transaction) =>
        held(transaction, leased, (row) =>
          Effect.gen(function* () {
            const before = yield* selectAll(transaction)
            const { missingRuns, records, redRuns } = compute(before)
            const written = yield* write(transaction, before, records)
            yield* transaction.log(CauseEvents.ofRound(before, records, computedAt))
            const isAsked = row.requests !== leased.requests
            yield* transaction.put(causeRounds, [
              {
                ...row,
                ...free,
                requests: isAsked ? row.requests - leased.requests : 0,
                nextAt: againAt,
                attempts: 0,
                computedAt,
                redRuns,
                missingRuns,
                changes: row.changes + (written ? 1 : 0)
              }
            ])
          })
        )
      ),
    fail: (leased, until) =>
      driver.transact("CauseStore.fail", leased.ref, null, (transaction) =>
        held(transaction, leased, (row) =>
          transaction.put(causeRounds, [{ ...row, ...free, attempts: row.attempts + 1, nextAt: until }])
        )
      ),
    progress: (ref) =>
      driver.read("CauseStore.progress", ref, (view) =>
        Effect.map(view.select(causeRounds, { where: [], order: [] }), ([row = none]) => {
          const { changes, computedAt, missingRuns, redRuns } = row
          return { changes, computedAt, missingRuns, redRuns }
        })
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

/** Removes a deleted test from the records, and requests a round: the facts are others now. */
export const forget = Effect.fnUntraced(function* (transaction: Transaction, testId: TestId.TestId) {
  const [row] = yield* transaction.select(causeRounds, { where: [], order: [] })
  if (row === undefined) return
  const before = yield* selectAll(transaction)
  const after = before.flatMap((record) => CauseRecord.withoutTest(record, testId) ?? [])
  const isChanged = yield* write(transaction, before, after)
  const asked = requested(row, row.nextAt)
  yield* transaction.put(causeRounds, [{ ...asked, changes: row.changes + (isChanged ? 1 : 0) }])
})

/** A round that is done leaves the earliest time of the next one; a request that waits already keeps its time. */
const requested = (row: CauseRoundRow | undefined, at: number): CauseRoundRow =>
  row === undefined
    ? { ...none, requests: 1, nextAt: at, attempts: 0, ...free }
    : { ...row, requests: row.requests + 1, nextAt: row.requests === 0 ? Math.max(row.nextAt, at) : row.nextAt }

const free = { lease: null, leasedUntil: 0 }

const selectAll = (view: Pick<Transaction, "select">) => view.select(causes, { where: [], order: ["causeId"] })

/** Writes the records that differ, removes those that are left, and yields whether there were any. */
const write = Effect.fnUntraced(function* (
  transaction: Transaction,
  before: ReadonlyArray<CauseRecord.CauseRecord>,
  after: ReadonlyArray<CauseRecord.CauseRecord>
) {
  const known = new Map(before.map((record) => [record.causeId, JSON.stringify(sorted(record))]))
  const changed = after.filter((record) => known.get(record.causeId) !== JSON.stringify(sorted(record)))
  const kept = new Set(after.map(({ causeId }) => causeId))
  const removed = before.filter(({ causeId }) => !kept.has(causeId)).map(({ causeId }) => causeId)
  for (let start = 0; start < changed.length; start += recordsAtOnce) {
    yield* transaction.put(causes, changed.slice(start, start + recordsAtOnce))
  }
  if (removed.length > 0) yield* transaction.remove(causes, [["causeId", "in", removed]])
  return changed.length + removed.length > 0
})

const recordsAtOnce = 100

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

/** Changes the row under a lease that is still in force, and yields whether it was. */
const held = <E>(
  transaction: Transaction,
  { lease }: LeasedCauses,
  change: (row: CauseRoundRow) => Effect.Effect<unknown, E>
) => Due.held(transaction, kind, { lease, subject: "" }, change)
