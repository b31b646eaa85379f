/** Shards on the wire (beyond the interface). */
import { ShardPlan, ShardWeight, Text } from "@lazaret/domain"
import { Schema } from "effect"

const Names = Schema.Array(Text.between(1, 10_000))
  .check(Schema.isMinLength(1), Schema.isMaxLength(200_000))
  .annotate({ description: "The files, classes or tests of the whole suite, in any order." })

const By = ShardWeight.Piece.annotate({ description: "The pieces that the suite is cut into." })

const Count = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: ShardPlan.mostShards }))

const Unit = Schema.Struct({ name: Schema.String, seconds: Schema.Finite })

/** The body that asks how long pieces take. */
export const ShardDurationsQuestion = Schema.Struct({
  by: By,
  names: Names,
  job_name: Schema.optionalKey(
    Text.between(1, 255).annotate({ description: "The job whose durations are preferred. Without it, all jobs count." })
  )
}).annotate({ identifier: "ShardDurationsQuestion" })

/** How long pieces take. */
export const ShardDurations = Schema.Struct({
  by: By,
  known: Schema.Int.annotate({
    description: "The number of names with a recorded duration; the others have the median."
  }),
  durations: Schema.Array(Unit)
}).annotate({ identifier: "ShardDurations", description: "The duration of each piece, in the order of the request." })

/** The body that asks for the share of one shard. */
export const ShardQuestion = Schema.Struct({
  run_id: Text.between(1, 255).annotate({ description: "The run of the pipeline, the same for all of its attempts." }),
  job_name: Text.between(1, 255).annotate({ description: "The job, the same for all of its shards." }),
  total: Count.annotate({ description: "The number of shards." }),
  index: Count.annotate({ description: "The shard, counted from 1." }),
  by: By,
  names: Names,
  seconds: Schema.optionalKey(
    Schema.Array(ShardWeight.Seconds).annotate({
      description:
        "Durations that every shard of the run knows, one for each name. Without them, the recorded ones count."
    })
  )
})
  .check(
    Schema.makeFilter(({ index, total }) =>
      index > total ? { path: ["index"], issue: `must not be above total, which is ${total}` } : undefined
    ),
    Schema.makeFilter(({ names, seconds }) =>
      seconds !== undefined && seconds.length !== names.length
        ? { path: ["seconds"], issue: `must have one value for each of the ${names.length} names` }
        : undefined
    )
  )
  .annotate({ identifier: "ShardQuestion" })

/** The share of one shard. */
export const ShardShare = Schema.Struct({
  names: Schema.Array(Schema.String).annotate({ description: "What this shard runs, in the order of names." }),
  seconds: Schema.Finite.annotate({ description: "How long that takes." }),
  is_new: Schema.Boolean.annotate({ description: "Whether this request fixed the plan of the run." }),
  known: Schema.Int.annotate({ description: "The number of names with a known duration; the others have the median." }),
  gain: Schema.Struct({
    by_count: Schema.Finite.annotate({
      description: "The longest shard, in seconds, if all had the same number of names."
    }),
    by_time: Schema.Finite.annotate({ description: "The longest shard of the plan, in seconds." }),
    mean: Schema.Finite.annotate({ description: "The mean shard, in seconds." }),
    longest: Schema.NullOr(Unit).annotate({ description: "The longest piece: no shard that runs it is shorter." })
  })
}).annotate({ identifier: "ShardShare", description: "The share of one shard of a run." })
