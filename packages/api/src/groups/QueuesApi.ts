/** The routes of the merge queue (interface 4.2). The interface flags all of them as deprecated. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authentication } from "../Authentication.ts"
import * as Problem from "../Problem.ts"
import { RequestErrors } from "../RequestErrors.ts"
import * as Parameter from "../wire/Parameter.ts"
import { BranchesQuery, PauseQueue, QueueBranches, QueuePauses, Queues, QueuesConfiguration } from "../wire/Queue.ts"

const deprecated = (summary: string, description: string) =>
  OpenApi.annotations({ summary, description, deprecated: true })

const params = Parameter.repository

const error = [Problem.NotFound, Problem.Unprocessable, Problem.Unavailable]

const ended = HttpApiSchema.NoContent.annotate({ description: "The queue is not paused any more." })

/** Interface 4.2.1. */
const getQueuesConfiguration = HttpApiEndpoint.get("getQueuesConfiguration", "/queues/configuration", {
  params,
  success: QueuesConfiguration,
  error
}).annotateMerge(
  deprecated(
    "Get the queue rules",
    "Lists all rules in processing order, every setting filled in, durations in seconds. An invalid configuration file " +
      "answers 422 with every fault and its line."
  )
)

/** Interface 4.2.2. */
const pauseQueue = HttpApiEndpoint.put("pauseQueue", "/queue/pause", {
  params,
  payload: PauseQueue,
  success: QueuePauses,
  error: [Problem.ContentTooLarge, Problem.UnsupportedMediaType, Problem.Unprocessable, Problem.Unavailable]
}).annotateMerge(
  deprecated(
    "Pause the queue",
    "Pauses the queues of the repository. A pause that holds keeps its date and takes the new reason."
  )
)

/** Interface 4.2.3. */
const unpauseQueue = HttpApiEndpoint.delete("unpauseQueue", "/queue/pause", {
  params,
  success: ended,
  error
}).annotateMerge(deprecated("Unpause the queue", "Ends the pause; not found when there is none."))

/** Interface 4.2.4. */
const getQueuePause = HttpApiEndpoint.get("getQueuePause", "/queue/pause", {
  params,
  success: QueuePauses,
  error
}).annotateMerge(deprecated("Get the pause", "Shows the pause, or an empty list when the queue is not paused."))

/** Interface 4.2.5. */
const deleteQueuePause = HttpApiEndpoint.post("deleteQueuePause", "/queue/pause/delete", {
  params,
  success: ended,
  error
}).annotateMerge(deprecated("Unpause the queue by POST", "Does what `DELETE` on the pause does."))

/** Interface 4.2.6. */
const getQueues = HttpApiEndpoint.get("getQueues", "/queues", { params, success: Queues, error }).annotateMerge(
  deprecated(
    "List the queues",
    "Shows the queued pull requests of each base branch in merge order, with their checks and the estimated time of merge."
  )
)

/** Interface 4.2.7. */
const getQueueBranches = HttpApiEndpoint.get("getQueueBranches", "/queues/branches", {
  params,
  query: BranchesQuery,
  success: QueueBranches,
  error
}).annotateMerge(
  deprecated("List the base branches", "Lists the base branches with any queue event in the span, by name.")
)

/** The group of the routes of the merge queue. */
export class QueuesApi extends HttpApiGroup.make("queues", { topLevel: true })
  .add(getQueuesConfiguration, pauseQueue, unpauseQueue, getQueuePause, deleteQueuePause, getQueues, getQueueBranches)
  .prefix("/v1/repos/:owner/:repository")
  .middleware(RequestErrors)
  .middleware(Authentication)
  .annotateMerge(OpenApi.annotations({ description: "The merge queue: what stands in it, its rules, its pause." })) {}
