/** The port of shards, and its rules over a driver: the plan that all shards of a run share. */
import { Instant, type Repository, ShardPlan, type ShardWeight, Text } from "@lazaret/domain"
import { Context, Effect } from "effect"
import type { StoreError } from "../StoreError.ts"
import type { Driver, Transaction, View } from "../Driver.ts"
import { type LatestPlan, latestShardPlans, shardPlans } from "../Rows.ts"

/**
 * The plan that a run of a job has.
 *
 * **Details**
 *
 * - `listId`: stands for the set of names (`ShardPlan.listId`).
 * - `shards`: the shard of each piece, counted from 0, in the order of names by code points.
 */
export interface FixedPlan {
  readonly runId: string
  readonly jobName: string
  readonly total: number
  readonly piece: ShardWeight.Piece
  readonly listId: string
  readonly shards: ReadonlyArray<number>
  readonly at: Instant.Instant
}

/**
 * The request of a shard: its run and job, the pieces that it knows, and how many shards there are.
 *
 * **Details**
 *
 * `isAlone`: the plan follows from the units alone, so that a shard that cannot reach the server makes the same one.
 */
export interface ShardRequest extends Pick<FixedPlan, "runId" | "jobName" | "total" | "piece" | "at"> {
  readonly units: ReadonlyArray<ShardPlan.Unit>
  readonly isAlone: boolean
}

/** The plan of the run and whether this request fixed it; it may be one of another list or number of shards. */
export interface Fixed {
  readonly plan: FixedPlan
  readonly isNew: boolean
}

/**
 * How long plans are kept, and how many (our choice).
 *
 * **Details**
 *
 * CI systems run a job again for 30 days at most. Beyond the latest `most` plans those older than two days are deleted. `latest` jobs with
 * their numbers of shards keep the names of their latest plan.
 */
export const shardBounds = { days: 35, most: 2000, busyDays: 2, latest: 50 } as const

/**
 * The port of shards.
 *
 * **Laws**
 *
 * - *Fixed once.* The first request of a run and job decides the plan, also among concurrent ones. Every later request of the same
 *   run and job gets this plan, whatever was recorded in between.
 * - The plan is `ShardPlan.assign` of the units, and of the latest plan of the same job with the same total unless it is `isAlone`.
 */
export class ShardStore extends Context.Service<
  ShardStore,
  {
    /** Fixes the plan of a run and job, or yields the one that is fixed. Creates the repository. */
    readonly fix: (ref: Repository.RepositoryRef, request: ShardRequest) => Effect.Effect<Fixed, StoreError>
  }
>()("@lazaret/store/ShardStore") {
  /** The port over a driver. */
  static readonly over = (driver: Driver["Service"]): ShardStore["Service"] => make(driver)
}

const make = (driver: Driver["Service"]): ShardStore["Service"] =>
  ShardStore.of({
    fix: (ref, request) =>
      Effect.gen(function* () {
        // Every shard but the first finds the plan, without waiting for a writer.
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
