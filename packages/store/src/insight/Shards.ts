/** Shards over a driver. */
import { Instant, ShardPlan, Text } from "@lazaret/domain"
import { Effect } from "effect"
import type { Driver, Transaction, View } from "../Driver.ts"
import { type LatestPlan, latestShardPlans, shardPlans } from "../Rows.ts"
import { shardBounds, type FixedPlan, type ShardRequest, ShardStore } from "./ShardStore.ts"

/** The port of shards. */
export const make = (driver: Driver["Service"]): ShardStore["Service"] =>
  ShardStore.of({
    fix: (ref, request) =>
      Effect.gen(function* () {
        // All shards but the first find the plan, and wait for no writer.
        const [known] = yield* driver.read("ShardStore.fix", ref, (view) => fixedPlan(view, request))
        if (known !== undefined) return { plan: known, isNew: false }
        return yield* driver.transact("ShardStore.fix", ref, request.at, (transaction) =>
          Effect.gen(function* () {
            const [first] = yield* fixedPlan(transaction, request)
            if (first !== undefined) return { plan: first, isNew: false }
            const { names, plan } = planOf(request, yield* latestPlan(transaction, request))
            yield* transaction.put(shardPlans, [plan])
            const { at, jobName, shards, total } = plan
            yield* transaction.put(latestShardPlans, [{ jobName, total, names, shards, at }])
            yield* trim(transaction, request.at)
            return { plan, isNew: true }
          })
        )
      })
  })

const fixedPlan = (view: View, { jobName, runId }: ShardRequest) =>
  view.select(shardPlans, {
    where: [
      ["runId", "=", runId],
      ["jobName", "=", jobName]
    ],
    order: []
  })

const latestPlan = (view: View, { jobName, total }: ShardRequest) =>
  view.select(latestShardPlans, {
    where: [
      ["jobName", "=", jobName],
      ["total", "=", total]
    ],
    order: []
  })

const planOf = (
  { at, isAlone, jobName, piece, runId, total, units }: ShardRequest,
  [latest]: ReadonlyArray<LatestPlan>
): { readonly names: ReadonlyArray<string>; readonly plan: FixedPlan } => {
  const names = [...new Set(units.map(({ name }) => name))].sort(Text.compare)
  const before = latest === undefined || isAlone ? null : ShardPlan.assignmentOf(latest.names, latest.shards)
  const assignment = ShardPlan.assign(units, total, before)
  const shards = names.map((name) => assignment.get(name) ?? 0)
  return { names, plan: { runId, jobName, total, piece, listId: ShardPlan.listId(names), shards, at } }
}

/** Deletes the plans that no run asks for any more. */
const trim = Effect.fnUntraced(function* (transaction: Transaction, now: Instant.Instant) {
  const { busyDays, days, latest, most } = shardBounds
  yield* transaction.remove(shardPlans, [["at", "<", now - days * Instant.day]])
  const excess = (yield* transaction.count(shardPlans, [])) - most
  if (excess > 0) {
    const busy = now - busyDays * Instant.day
    const beyond = yield* transaction.select(shardPlans, {
      where: [["at", "<", busy]],
      order: ["at", "runId", "jobName"],
      limit: Math.min(excess, 100)
    })
    for (const { jobName, runId } of beyond) {
      yield* transaction.remove(shardPlans, [
        ["runId", "=", runId],
        ["jobName", "=", jobName]
      ])
    }
  }
  if ((yield* transaction.count(latestShardPlans, [])) > latest) {
    const [oldest] = yield* transaction.select(latestShardPlans, {
      where: [],
      order: ["at", "jobName", "total"],
      limit: 1
    })
    if (oldest !== undefined) {
      yield* transaction.remove(latestShardPlans, [
        ["jobName", "=", oldest.jobName],
        ["total", "=", oldest.total]
      ])
    }
  }
})
