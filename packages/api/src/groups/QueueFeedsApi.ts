/**
 * The routes that feed merge queues: what happened in them, and the file that configures them (beyond the interface).
 */
import { ByteSize } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication } from "../Authentication.ts"
import { BodyLimit } from "../BodyLimit.ts"
import * as Problem from "../Problem.ts"
import { RequestErrors } from "../RequestErrors.ts"
import * as Parameter from "../wire/Parameter.ts"
import { KeptQueueConfiguration, QueueConfigurationText, QueueEvents, QueueOutcomes } from "../wire/QueueFeed.ts"

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

const params = Parameter.repository

const error = [Problem.ContentTooLarge, Problem.UnsupportedMediaType, Problem.Unprocessable, Problem.Unavailable]

const recordQueueEvents = HttpApiEndpoint.post("recordQueueEvents", "/queue/events", {
  params,
  payload: QueueEvents,
  success: QueueOutcomes,
  error
}).annotateMerge(
  described(
    "Record queue events",
    "Takes up to 1,000 events in any order and says what became of each. The time of an event is when it happened; an id " +
      "that is known already changes nothing. An event that says what cannot be is kept and ignored, with the reason; one " +
      "that is malformed refuses the whole batch."
  )
)

const putQueuesConfiguration = HttpApiEndpoint.put("putQueuesConfiguration", "/queues/configuration", {
  params,
  payload: QueueConfigurationText,
  success: KeptQueueConfiguration,
  error
})
  .annotateMerge(
    described(
      "Give the configuration file",
      "Keeps the text of the repository's file, valid or not, and says what is wrong with it. Up to 64 KiB of YAML."
    )
  )
  .annotate(BodyLimit, ByteSize.kibibytes(64))

/** The group of the feeds. */
export class QueueFeedsApi extends HttpApiGroup.make("queueFeeds", { topLevel: true })
  .add(recordQueueEvents, putQueuesConfiguration)
  .prefix("/v1/repos/:owner/:repository")
  .middleware(RequestErrors)
  .middleware(Authentication)
  .annotateMerge(
    OpenApi.annotations({ title: "queue feeds", description: "What keeps the merge queue up to date." })
  ) {}
