/** Cost over a driver: what was computed last, and which repository's is due. */
import { Effect, Option } from "effect"
import type { Driver, Transaction } from "../Driver.ts"
import * as Due from "../driver/Due.ts"
import { type CostRoundRow, costRounds, costs } from "./CostRows.ts"
import { CostStore, type LeasedCost } from "./CostStore.ts"

const kind: Due.Kind<CostRoundRow> = {
  port: "CostStore",
  table: costRounds,
  subjectOf: () => "",
  row: (_, due, before) => ({ ...due, computedAt: before?.computedAt ?? null, restUntil: before?.restUntil ?? 0 }),
  // A repository has one row. One without a request waits for the next.
  where: () => ["requests", ">=", 0],
  waiting: (now) => [
    ["nextAt", "<=", now],
    ["leasedUntil", "<=", now],
    ["requests", ">", 0]
  ]
}

/** The port of cost. */
export const make = (driver: Driver["Service"]): CostStore["Service"] => {
  const due = Due.make(driver, kind)
  return CostStore.of({
    facts: driver.costFacts,
    request: (ref, at) =>
      driver.transact("CostStore.request", ref, at, (transaction) =>
        Effect.flatMap(transaction.select(costRounds, { where: [], order: [] }), ([row]) =>
          transaction.put(costRounds, [requested(row, at)])
        )
      ),
    lease: (request) =>
      Effect.map(due.lease(request), (all) =>
        all.map(({ attempts, lease, ref, requests }) => ({ ref, attempts, requests, lease }))
      ),
    replace: (leased, { againAt, atLatest, computedAt, events, known }) =>
      driver.transact("CostStore.replace", leased.ref, null, (transaction) =>
        held(transaction, leased, (row) =>
          Effect.gen(function* () {
            const requests = row.requests - leased.requests
            const next =
              requests > 0
                ? { requests, nextAt: againAt }
                : { requests: atLatest === null ? 0 : 1, nextAt: atLatest ?? againAt }
            yield* transaction.put(costs, [{ known }])
            yield* transaction.put(costRounds, [
              { ...row, ...free, ...next, attempts: 0, computedAt, restUntil: againAt }
            ])
            yield* transaction.log(events)
          })
        )
      ),
    fail: (leased, until) =>
      driver.transact("CostStore.fail", leased.ref, null, (transaction) =>
        held(transaction, leased, (row) =>
          transaction.put(costRounds, [{ ...row, ...free, attempts: row.attempts + 1, nextAt: until }])
        )
      ),
    computedAt: (ref) =>
      driver.read("CostStore.computedAt", ref, (view) =>
        Effect.map(view.select(costRounds, { where: [], order: [] }), ([row]) => row?.computedAt ?? null)
      ),
    known: (ref) =>
      driver.read("CostStore.known", ref, (view) =>
        Effect.map(view.select(costs, { where: [], order: [] }), ([row]) =>
          Option.map(Option.fromUndefinedOr(row), ({ known }) => known)
        )
      )
  })
}

const free = { lease: null, leasedUntil: 0 }

/** A round that is done leaves the earliest time of the next one; one that waits for a later time comes then instead. */
const requested = (row: CostRoundRow | undefined, at: number): CostRoundRow => {
  if (row === undefined) return { computedAt: null, restUntil: 0, requests: 1, nextAt: at, attempts: 0, ...free }
  const nextAt = Math.max(row.restUntil, at)
  const isOpen = row.requests === 0 || (row.attempts === 0 && nextAt < row.nextAt)
  return { ...row, requests: row.requests + 1, nextAt: isOpen ? nextAt : row.nextAt }
}

/** Changes the row under a lease that is still in force, and yields whether it was. */
const held = <E>(
  transaction: Transaction,
  { lease }: LeasedCost,
  change: (row: CostRoundRow) => Effect.Effect<unknown, E>
) => Due.held(transaction, kind, { lease, subject: "" }, change)
