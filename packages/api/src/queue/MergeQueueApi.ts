/** The current operations on the merge queue (beyond the interface): other views of the state that `QueuesApi` shows. */
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import * as Access from "../definition/Access.ts"
import { linked } from "../definition/Linked.ts"
import * as Operation from "../definition/Operation.ts"
import { queuePath } from "../definition/paths.ts"
import * as Problem from "../definition/Problem.ts"
import {
  EngineLogQuery,
  EngineQuery,
  MergeQueueAsked,
  MergeQueueBranches,
  MergeQueueEngines,
  MergeQueueHistory,
  MergeQueueLog,
  MergeQueuePause,
  MergeQueuePreflight,
  MergeQueuePull,
  MergeQueueStatus,
  pullNumber,
  QueueQuery
} from "./MergeQueue.ts"
import * as Parameter from "../definition/Parameter.ts"
import { PauseQueue } from "./Queue.ts"

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
      "Shows the pause, and the queued pull requests of each base branch in merge order with the estimated time of merge."
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
    description: "Shows the position of a pull request and each of its checks. Not found when it is not queued."
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
      "median duration of a round of checks in seconds, from which the estimates follow."
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
    description:
      "Shows the pause, or null when the queue is not paused, and whether a pause holds merges or is only shown."
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
    description:
      "Pauses the queues of the repository. An active pause keeps its date and gets the new reason. Where no gate acts the " +
      "pause is only shown, and the answer says so."
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

const getMergeQueueEngine = HttpApiEndpoint.get("getMergeQueueEngine", `${prefix}/engine`, {
  params,
  success: MergeQueueEngines,
  error
}).pipe(
  readDemand,
  Operation.documented({
    summary: "Get the engines of the merge queue",
    description:
      "Shows for each base branch the mode, the chain of groups or batches, the reason why each waits, the pull requests that the " +
      "platform evicted, and the rules of the repository that keep a gate or a driven queue in the shadow. In the shadow it shows " +
      "what it would do."
  })
)

const getMergeQueuePreflight = HttpApiEndpoint.get("getMergeQueuePreflight", `${prefix}/preflight`, {
  params,
  query: EngineQuery,
  success: MergeQueuePreflight,
  error
}).pipe(
  readDemand,
  Operation.documented({
    summary: "Check the rules for a gate or a driven queue",
    description:
      "Reads the rules of the repository for a base branch at the hosting platform, and says for each whether a gate can " +
      "keep its promises with it, or for a driven queue whether it is fine, needs a bypass for the app, or makes driving impossible. When the platform does not answer, the rules are those that the engine read last."
  })
)

const listMergeQueueLog = HttpApiEndpoint.get("listMergeQueueLog", `${prefix}/log`, {
  params,
  query: EngineLogQuery,
  success: linked(MergeQueueLog),
  error
}).pipe(
  readDemand,
  Operation.documented({
    summary: "List the log of the merge queue",
    description:
      "Lists what the engine of a base branch read and decided, as sentences, newest first. Each eviction is explained."
  })
)

const getMergeQueueHistory = HttpApiEndpoint.get("getMergeQueueHistory", `${prefix}/pull/:number/history`, {
  params: { ...params, number: pullNumber },
  success: MergeQueueHistory,
  error
}).pipe(
  readDemand,
  Operation.documented({
    summary: "Get the history of a pull request in the merge queue",
    description:
      "Shows the newest 100 sentences of the log about a pull request. Not found when the newest 10,000 events of the " +
      "log do not name it."
  })
)

const queuePull = HttpApiEndpoint.put("queuePull", `${prefix}/pull/:number`, {
  params: { ...params, number: pullNumber },
  query: QueueQuery,
  success: MergeQueueAsked.pipe(HttpApiSchema.status(202)),
  error
}).pipe(
  writeDemand,
  Operation.documented({
    summary: "Put a pull request into the merge queue",
    description:
      "Queues an open pull request at its head of now, also again after an eviction: a gate puts it into the queue of the hosting " +
      "platform; a queue that Lazaret drives tests and merges it, in the shadow it only plans. A queued pull request stays where it is, " +
      "with a `priority` it gets that. A conflict when the queue is mirrored, or its gate is in the shadow."
  })
)

const dequeuePull = HttpApiEndpoint.delete("dequeuePull", `${prefix}/pull/:number`, {
  params: { ...params, number: pullNumber },
  success: MergeQueueAsked.pipe(HttpApiSchema.status(202)),
  error
}).pipe(
  writeDemand,
  Operation.documented({
    summary: "Take a pull request out of the merge queue",
    description:
      "Takes a pull request out of the queue that Lazaret drives, or asks the gate to take it out of that of the hosting platform. A " +
      "conflict when the queue is mirrored, or its gate is in the shadow."
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
  unpauseMergeQueue,
  getMergeQueueEngine,
  getMergeQueuePreflight,
  listMergeQueueLog,
  getMergeQueueHistory,
  queuePull,
  dequeuePull
) {}
