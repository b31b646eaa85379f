/** The current operations on the merge queue (beyond the interface): other views of the state that `QueuesApi` shows. */
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import * as Access from "../Access.ts"
import { examples } from "../examples/Examples.ts"
import * as Operation from "../Operation.ts"
import { queuePath } from "../paths.ts"
import * as Problem from "../Problem.ts"
import {
  MergeQueueBranches,
  MergeQueuePause,
  MergeQueuePull,
  MergeQueueStatus,
  pullNumber
} from "../wire/MergeQueue.ts"
import * as Parameter from "../wire/Parameter.ts"
import { PauseQueue } from "../wire/Queue.ts"

const prefix = `${queuePath}/merge-queue` as const

const params = Parameter.repository

const error = Problem.ofRepository

const readDemand = Operation.demands(Access.administrative("read"))

const writeDemand = Operation.demands(Access.administrative("write"))

const getMergeQueueStatus = HttpApiEndpoint.get("getMergeQueueStatus", `${prefix}/status`, {
  params,
  success: MergeQueueStatus,
  error
}).pipe(
  readDemand,
  Operation.documented({
    summary: "Get the status of the merge queue",
    description:
      "Shows the pause, and the queued pull requests of each base branch in merge order with the estimated time of merge.",
    example: examples.getMergeQueueStatus
  })
)

const getMergeQueuePull = HttpApiEndpoint.get("getMergeQueuePull", `${prefix}/pull/:number`, {
  params: { ...params, number: pullNumber },
  success: MergeQueuePull,
  error
}).pipe(
  readDemand,
  Operation.documented({
    summary: "Get a queued pull request",
    description: "Shows the position of a pull request and each of its checks. Not found when it is not queued.",
    example: examples.getMergeQueuePull
  })
)

const getMergeQueueBranches = HttpApiEndpoint.get("getMergeQueueBranches", `${prefix}/branches`, {
  params,
  success: MergeQueueBranches,
  error
}).pipe(
  readDemand,
  Operation.documented({
    summary: "List the base branches of the merge queue",
    description:
      "Lists every base branch that had a pull request queued, by name, with the number of queued pull requests and the " +
      "median duration of a round of checks in seconds, from which the estimates follow.",
    example: examples.getMergeQueueBranches
  })
)

const getMergeQueuePause = HttpApiEndpoint.get("getMergeQueuePause", `${prefix}/pause`, {
  params,
  success: MergeQueuePause,
  error
}).pipe(
  readDemand,
  Operation.documented({
    summary: "Get the pause of the merge queue",
    description: "Shows the pause, or null when the queue is not paused.",
    example: examples.getMergeQueuePause
  })
)

const pauseMergeQueue = HttpApiEndpoint.put("pauseMergeQueue", `${prefix}/pause`, {
  params,
  payload: PauseQueue,
  success: MergeQueuePause,
  error: Problem.ofRepositoryBody
}).pipe(
  writeDemand,
  Operation.documented({
    summary: "Pause the merge queue",
    description: "Pauses the queues of the repository. An active pause keeps its date and gets the new reason.",
    example: examples.pauseMergeQueue
  })
)

const unpauseMergeQueue = HttpApiEndpoint.delete("unpauseMergeQueue", `${prefix}/pause`, {
  params,
  success: HttpApiSchema.NoContent.annotate({ description: "The queue is not paused any more." }),
  error
}).pipe(
  writeDemand,
  Operation.documented({
    summary: "Unpause the merge queue",
    description: "Ends the pause. Not found when the queue is not paused."
  })
)

/** The group of the current operations on the merge queue. */
export class MergeQueueApi extends Operation.guarded(
  "mergeQueue",
  { title: "merge queue", description: "The merge queue without deprecated operations." },
  getMergeQueueStatus,
  getMergeQueuePull,
  getMergeQueueBranches,
  getMergeQueuePause,
  pauseMergeQueue,
  unpauseMergeQueue
) {}
