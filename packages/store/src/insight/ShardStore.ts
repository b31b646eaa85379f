/** The port of shards: the plan that all shards of a run share. */
import { Instant, type Repository, type ShardPlan, type ShardWeight } from "@lazaret/domain"
import { Context, type Effect } from "effect"
import type { StoreError } from "../StoreError.ts"

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
>()("@lazaret/store/ShardStore") {}
