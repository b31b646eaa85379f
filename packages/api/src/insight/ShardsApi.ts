/** The operations on shards (beyond the interface). */
import { ByteSize } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import * as Access from "../definition/Access.ts"
import { BodyLimit } from "../definition/BodyLimit.ts"
import * as Operation from "../definition/Operation.ts"
import * as Parameter from "../definition/Parameter.ts"
import { repositoryPath } from "../definition/paths.ts"
import * as Problem from "../definition/Problem.ts"
import { ShardDurations, ShardDurationsQuestion, ShardQuestion, ShardShare } from "./Shard.ts"

/** A list of 200,000 names of some 100 characters. */
const bodyLimit = ByteSize.mebibytes(24)

const askShardDurations = HttpApiEndpoint.post("askShardDurations", `${repositoryPath}/shards/durations`, {
  params: Parameter.repository,
  payload: ShardDurationsQuestion,
  success: ShardDurations,
  error: Problem.ofRepositoryBody
})
  .annotate(BodyLimit, bodyLimit)
  .pipe(
    Operation.demands(Access.anyApplicationKey),
    Operation.documented({
      summary: "Get the durations of files, classes or tests",
      description:
        "Adds up the mean durations of the tests of each name over the last 30 days of the default branch. A name without recorded tests " +
        "has the median of the others. Nothing is stored."
    })
  )

const planShard = HttpApiEndpoint.post("planShard", `${repositoryPath}/shards/plan`, {
  params: Parameter.repository,
  payload: ShardQuestion,
  success: ShardShare,
  error: Problem.ofRepositoryBody
})
  .annotate(BodyLimit, bodyLimit)
  .pipe(
    Operation.demands(Access.uploads),
    Operation.audited(false),
    Operation.documented({
      summary: "Get the share of a shard",
      description:
        "The first request of a run and job fixes the plan; every other shard, and every attempt, gets the same one for 35 days, whatever is " +
        "uploaded in between. A shard with another list or number of shards gets 409. An unknown repository is created."
    })
  )

/** The group of the operations on shards. */
export class ShardsApi extends Operation.guarded(
  "shards",
  { description: "Parts of a test suite that take equally long." },
  askShardDurations,
  planShard
) {}
