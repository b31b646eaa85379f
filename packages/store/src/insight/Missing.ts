/** Missing tests over a driver: the records of losses, and which repository's are due. */
import { Event, LossRecord } from "@lazaret/domain"
import { Effect, Equal } from "effect"
import type { Driver, Transaction } from "../Driver.ts"
import * as Due from "../driver/Due.ts"
import { losses, type LossRow, type MissingRoundRow, missingRounds } from "./MissingRows.ts"
import { type LeasedMissing, MissingStore } from "./MissingStore.ts"

const kind: Due.Kind<MissingRoundRow> = {
  port: "MissingStore",
  table: missingRounds,
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

const none = { computedAt: null, jobs: 0, missingRuns: 0 }

/** The port of missing tests. */
export const make = (driver: Driver["Service"]): MissingStore["Service"] => {
  const due = Due.make(driver, kind)
  return MissingStore.of({
    histories: driver.histories,
    request: (ref, at) =>
      driver.transact("MissingStore.request", ref, at, (transaction) =>
        Effect.flatMap(transaction.select(missingRounds, { where: [], order: [] }), ([row]) =>
          transaction.put(missingRounds, [requested(row, at)])
        )
      ),
    lease: (request) =>
      Effect.map(due.lease(request), (all) =>
        all.map(({ attempts, lease, ref, requests }) => ({ ref, attempts, requests, lease }))
      ),
    replace: (leased, { againAt, computedAt }, compute) =>
      driver.transact("MissingStore.replace", leased.ref, null, (transaction) =>
        held(transaction, leased, (row) =>
          Effect.gen(function* () {
            const before = yield* selectAll(transaction)
            const round = compute(before.map(({ known }) => known))
            yield* write(transaction, before, round.losses)
            yield* transaction.log(Event.testsMissing(round.news, computedAt))
            const isAsked = row.requests !== leased.requests || round.pendingAt !== null
            const { jobs, missingRuns } = round
            yield* transaction.put(missingRounds, [
              {
                ...row,
                ...free,
                requests: isAsked ? Math.max(1, row.requests - leased.requests) : 0,
                nextAt: Math.max(againAt, row.requests === leased.requests ? (round.pendingAt ?? 0) : 0),
                attempts: 0,
                computedAt,
                jobs,
                missingRuns
              }
            ])
          })
        )
      ),
    fail: (leased, until) =>
      driver.transact("MissingStore.fail", leased.ref, null, (transaction) =>
        held(transaction, leased, (row) =>
          transaction.put(missingRounds, [{ ...row, ...free, attempts: row.attempts + 1, nextAt: until }])
        )
      ),
    progress: (ref) =>
      driver.read("MissingStore.progress", ref, (view) =>
        Effect.map(
          view.select(missingRounds, { where: [], order: [] }),
          ([{ computedAt, jobs, missingRuns } = none]) => ({ computedAt, jobs, missingRuns })
        )
      ),
    list: (ref) =>
      Effect.map(driver.read("MissingStore.list", ref, selectAll), (rows) => rows.map(({ known }) => known))
  })
}

/** A round that is done leaves the earliest time of the next one; a request that waits already keeps its time. */
const requested = (row: MissingRoundRow | undefined, at: number): MissingRoundRow =>
  row === undefined
    ? { ...none, requests: 1, nextAt: at, attempts: 0, ...free }
    : { ...row, requests: row.requests + 1, nextAt: row.requests === 0 ? Math.max(row.nextAt, at) : row.nextAt }

const free = { lease: null, leasedUntil: 0 }

const selectAll = (view: Pick<Transaction, "select">) =>
  view.select(losses, { where: [], order: ["at", "lossId"], isDescending: true })

/** Writes the records that differ, and removes those that are left. */
const write = Effect.fnUntraced(function* (
  transaction: Transaction,
  before: ReadonlyArray<LossRow>,
  after: ReadonlyArray<LossRecord.LossRecord>
) {
  const known = new Map(before.map((row) => [row.lossId, row.known]))
  const changed = after.filter((record) => !Equal.equals(known.get(record.lossId), record))
  const kept = new Set(after.map(({ lossId }) => lossId))
  const removed = before.filter(({ lossId }) => !kept.has(lossId)).map(({ lossId }) => lossId)
  for (let start = 0; start < changed.length; start += recordsAtOnce) {
    const some = changed.slice(start, start + recordsAtOnce)
    yield* transaction.put(
      losses,
      some.map((record) => ({ lossId: record.lossId, at: record.at, known: record }))
    )
  }
  if (removed.length > 0) yield* transaction.remove(losses, [["lossId", "in", removed]])
})

const recordsAtOnce = 100

/** Changes the row under a lease that is still in force, and yields whether it was. */
const held = <E>(
  transaction: Transaction,
  { lease }: LeasedMissing,
  change: (row: MissingRoundRow) => Effect.Effect<unknown, E>
) => Due.held(transaction, kind, { lease, subject: "" }, change)
