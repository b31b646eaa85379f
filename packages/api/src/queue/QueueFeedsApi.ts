/** The operations that feed merge queues: events, and the configuration file (beyond the interface). */
import { ByteSize } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import * as Access from "../definition/Access.ts"
import { BodyLimit } from "../definition/BodyLimit.ts"
import * as Operation from "../definition/Operation.ts"
import { queuePath } from "../definition/paths.ts"
import * as Problem from "../definition/Problem.ts"
import * as Parameter from "../definition/Parameter.ts"
import { KeptQueueConfiguration, QueueConfigurationText, QueueEvents, QueueOutcomes } from "./QueueFeed.ts"

const params = Parameter.repository

const error = Problem.ofRepositoryBody

const demand = Operation.demands(Access.administrative("write"))

const recordQueueEvents = HttpApiEndpoint.post("recordQueueEvents", `${queuePath}/queue/events`, {
  params,
  payload: QueueEvents,
  success: QueueOutcomes,
  error
}).pipe(
  demand,
  // The events are data of the queue.
  Operation.audited(false),
  Operation.documented({
    summary: "Record queue events",
    description:
      "Accepts up to 1,000 events in any order and reports the outcome of each. An event is applied at the time that it states; " +
      "an event with a known id changes nothing. An event that contradicts the queue is kept and ignored, with the reason; a " +
      "malformed event refuses the whole batch."
  })
)

const putQueuesConfiguration = HttpApiEndpoint.put("putQueuesConfiguration", `${queuePath}/queues/configuration`, {
  params,
  payload: QueueConfigurationText,
  success: KeptQueueConfiguration,
  error
})
  .annotate(BodyLimit, ByteSize.kibibytes(64))
  .pipe(
    demand,
    Operation.documented({
      summary: "Store the configuration file",
      description:
        "Stores the text of the repository's file, valid or not, and reports its faults. Up to 64 KiB of YAML."
    })
  )

/** The group of the feeds. */
export class QueueFeedsApi extends Operation.guarded(
  "queueFeeds",
  { title: "queue feeds", description: "Input of the merge queue: events and the configuration file." },
  recordQueueEvents,
  putQueuesConfiguration
) {}
