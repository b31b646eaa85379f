/**
 * The newer routes of the merge queue (beyond the interface): thin views over the state that `QueuesApi` shows, too.
 */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authentication } from "../Authentication.ts"
import * as Problem from "../Problem.ts"
import { RequestErrors } from "../RequestErrors.ts"
import {
  MergeQueueBranches,
  MergeQueuePause,
  MergeQueuePull,
  MergeQueueStatus,
  pullNumber
} from "../wire/MergeQueue.ts"
import * as Parameter from "../wire/Parameter.ts"
import { PauseQueue } from "../wire/Queue.ts"

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

const params = Parameter.repository

const error = [Problem.NotFound, Problem.Unprocessable, Problem.Unavailable]

const getMergeQueueStatus = HttpApiEndpoint.get("getMergeQueueStatus", "/status", {
  params,
  success: MergeQueueStatus,
  error
}).annotateMerge(
  described(
    "Get the status of the merge queue",
    "Shows the pause, and the queued pull requests of each base branch in merge order with the estimated time of merge."
  )
)

const getMergeQueuePull = HttpApiEndpoint.get("getMergeQueuePull", "/pull/:number", {
  params: { ...params, number: pullNumber },
  success: MergeQueuePull,
  error
}).annotateMerge(
  described(
    "Get a queued pull request",
    "Shows where a pull request is queued and every check of it. Not found when it is in no queue."
  )
)

const getMergeQueueBranches = HttpApiEndpoint.get("getMergeQueueBranches", "/branches", {
  params,
  success: MergeQueueBranches,
  error
}).annotateMerge(
  described(
    "List the base branches of the merge queue",
    "Lists every base branch that has had a pull request queued, by name: how many are queued now, and the median " +
      "seconds that a round of checks takes, which the estimates come from."
  )
)

const getMergeQueuePause = HttpApiEndpoint.get("getMergeQueuePause", "/pause", {
  params,
  success: MergeQueuePause,
  error
}).annotateMerge(described("Get the pause of the merge queue", "Shows the pause, or null when there is none."))

const pauseMergeQueue = HttpApiEndpoint.put("pauseMergeQueue", "/pause", {
  params,
  payload: PauseQueue,
  success: MergeQueuePause,
  error: [Problem.ContentTooLarge, Problem.UnsupportedMediaType, Problem.Unprocessable, Problem.Unavailable]
}).annotateMerge(
  described(
    "Pause the merge queue",
    "Pauses the queues of the repository. A pause that holds keeps its date and takes the new reason."
  )
)

const unpauseMergeQueue = HttpApiEndpoint.delete("unpauseMergeQueue", "/pause", {
  params,
  success: HttpApiSchema.NoContent.annotate({ description: "The queue is not paused any more." }),
  error
}).annotateMerge(described("Unpause the merge queue", "Ends the pause; not found when there is none."))

/** The group of the newer routes of the merge queue. */
export class MergeQueueApi extends HttpApiGroup.make("mergeQueue", { topLevel: true })
  .add(
    getMergeQueueStatus,
    getMergeQueuePull,
    getMergeQueueBranches,
    getMergeQueuePause,
    pauseMergeQueue,
    unpauseMergeQueue
  )
  .prefix("/v1/repos/:owner/:repository/merge-queue")
  .middleware(RequestErrors)
  .middleware(Authentication)
  .annotateMerge(
    OpenApi.annotations({ title: "merge queue", description: "The merge queue, without what is deprecated." })
  ) {}
