/** The tables of shards. */
import { ShardWeight } from "@lazaret/domain"
import { Schema } from "effect"
import { Num, rowsOf, Str } from "../driver/RowFields.ts"
import type { FixedPlan } from "./ShardStore.ts"
import type { Table } from "../driver/Table.ts"

const Shards = Schema.Array(Num)

/** The fixed plans by run and job: `shards` holds the shard of each piece in the order of their names, `listId` stands for the names. */
export const shardPlans: Table<FixedPlan> = {
  name: "shard_plans",
  scope: "repository",
  columns: {
    runId: "text",
    jobName: "text",
    total: "integer",
    piece: "text",
    listId: "text",
    shards: "json",
    at: "instant"
  },
  key: ["runId", "jobName"],
  ...rowsOf(
    Schema.Struct({
      runId: Str,
      jobName: Str,
      total: Num,
      piece: ShardWeight.Piece,
      listId: Str,
      shards: Shards,
      at: Num
    })
  )
}

/** The latest plan of a job with this number of shards: the next one leaves its pieces where they are. */
export interface LatestPlan {
  readonly jobName: string
  readonly total: number
  readonly names: ReadonlyArray<string>
  readonly shards: ReadonlyArray<number>
  readonly at: number
}

/** The latest plans by job and number of shards. */
export const latestShardPlans: Table<LatestPlan> = {
  name: "latest_shard_plans",
  scope: "repository",
  columns: { jobName: "text", total: "integer", names: "json", shards: "json", at: "instant" },
  key: ["jobName", "total"],
  ...rowsOf(Schema.Struct({ jobName: Str, total: Num, names: Schema.Array(Str), shards: Shards, at: Num }))
}
