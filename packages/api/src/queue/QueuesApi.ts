/** The operations on the merge queue (interface 4.2). The interface marks all of them as deprecated. */
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import * as Access from "../definition/Access.ts"
import * as Operation from "../definition/Operation.ts"
import { queuePath } from "../definition/paths.ts"
import * as Problem from "../definition/Problem.ts"
import * as Parameter from "../definition/Parameter.ts"
import { BranchesQuery, PauseQueue, QueueBranches, QueuePauses, Queues, QueuesConfiguration } from "./Queue.ts"

const params = Parameter.repository

const error = Problem.ofRepository

const pausePath = `${queuePath}/queue/pause` as const

const readDemand = Operation.demands(Access.administrative("read"))

const writeDemand = Operation.demands(Access.administrative("write"))

const ended = HttpApiSchema.NoContent.annotate({ description: "The queue is not paused any more." })

const documented = (about: Operation.Documentation) => Operation.documented({ ...about, deprecated: true })

/** Interface 4.2.1. */
const getQueuesConfiguration = HttpApiEndpoint.get("getQueuesConfiguration", `${queuePath}/queues/configuration`, {
  params,
  success: QueuesConfiguration,
  error
}).pipe(
  readDemand,
  documented({
    summary: "Get the queue rules",
    description:
      "Lists all rules in processing order with every setting filled in, durations in seconds. If the configuration file is " +
      "invalid, the response is 422 with every fault and its line."
  })
)

/** Interface 4.2.2. */
const pauseQueue = HttpApiEndpoint.put("pauseQueue", pausePath, {
  params,
  payload: PauseQueue,
  success: QueuePauses,
  error: Problem.ofRepositoryBody
}).pipe(
  writeDemand,
  documented({
    summary: "Pause the queue",
    description: "Pauses the queues of the repository. An active pause keeps its date and gets the new reason."
  })
)

/** Interface 4.2.3. */
const unpauseQueue = HttpApiEndpoint.delete("unpauseQueue", pausePath, { params, success: ended, error }).pipe(
  writeDemand,
  documented({ summary: "Unpause the queue", description: "Ends the pause. Not found when the queue is not paused." })
)

/** Interface 4.2.4. */
const getQueuePause = HttpApiEndpoint.get("getQueuePause", pausePath, { params, success: QueuePauses, error }).pipe(
  readDemand,
  documented({
    summary: "Get the pause",
    description: "Shows the pause, or an empty list when the queue is not paused."
  })
)

/** Interface 4.2.5. */
const deleteQueuePause = HttpApiEndpoint.post("deleteQueuePause", `${pausePath}/delete`, {
  params,
  success: ended,
  error
}).pipe(
  writeDemand,
  documented({ summary: "Unpause the queue by POST", description: "Does the same as `DELETE` on the pause." })
)

/** Interface 4.2.6. */
const getQueues = HttpApiEndpoint.get("getQueues", `${queuePath}/queues`, { params, success: Queues, error }).pipe(
  readDemand,
  documented({
    summary: "List the queues",
    description:
      "Shows the queued pull requests of each base branch in merge order, with their checks and the estimated time of merge."
  })
)

/** Interface 4.2.7. */
const getQueueBranches = HttpApiEndpoint.get("getQueueBranches", `${queuePath}/queues/branches`, {
  params,
  query: BranchesQuery,
  success: QueueBranches,
  error
}).pipe(
  readDemand,
  documented({
    summary: "List the base branches",
    description: "Lists the base branches with at least one queue event in the window, by name."
  })
)

/** The group of the deprecated operations on the merge queue. */
export class QueuesApi extends Operation.guarded(
  "queues",
  { description: "The merge queue: queued pull requests, rules and pause." },
  getQueuesConfiguration,
  pauseQueue,
  unpauseQueue,
  getQueuePause,
  deleteQueuePause,
  getQueues,
  getQueueBranches
) {}
