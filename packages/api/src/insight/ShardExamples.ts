/** The examples of the operations on shards, checked against the definition by a test. */
import type { Schema } from "effect"
import type * as Shard from "./Shard.ts"

type Encoded<S extends Schema.Top> = S["Encoded"]

const names = ["tests/test_cart.py", "tests/test_checkout.py", "tests/test_search.py"]

const question: Encoded<typeof Shard.ShardDurationsQuestion> = { by: "file", names }

const durations: Encoded<typeof Shard.ShardDurations> = {
  by: "file",
  known: 3,
  durations: [
    { name: "tests/test_cart.py", seconds: 41.5 },
    { name: "tests/test_checkout.py", seconds: 62.25 },
    { name: "tests/test_search.py", seconds: 18 }
  ]
}

const request: Encoded<typeof Shard.ShardQuestion> = {
  run_id: "9182736450",
  job_name: "unit",
  total: 2,
  index: 1,
  by: "file",
  names
}

const share: Encoded<typeof Shard.ShardShare> = {
  names: ["tests/test_checkout.py"],
  seconds: 62.25,
  is_new: true,
  known: 3,
  gain: {
    by_count: 103.75,
    by_time: 62.25,
    mean: 60.875,
    longest: { name: "tests/test_checkout.py", seconds: 62.25 }
  }
}

/** The examples of the operations on shards. */
export const shardExamples = {
  askShardDurations: { request: { "application/json": question }, response: durations },
  planShard: { request: { "application/json": request }, response: share }
}
