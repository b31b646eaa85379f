/** The handlers of the routes that feed merge queues: one use case each. */
import { Api } from "@lazaret/api"
import { Queues } from "@lazaret/services"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ServiceErrors from "../response/ServiceErrors.ts"
import * as QueueFeed from "./QueueFeed.ts"

/** A client that goes away must not cut a write in two. */
const options = { uninterruptible: true }

/** The handlers over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "queueFeeds",
  Effect.fnUntraced(function* (handlers) {
    const queues = yield* Queues

    return handlers.handleAll({
      recordQueueEvents: {
        handler: ({ params, payload }) =>
          queues.record(params, payload.events).pipe(
            Effect.map((outcomes) => ({ outcomes })),
            ServiceErrors.toProblem
          ),
        options
      },
      putQueuesConfiguration: {
        handler: ({ params, payload }) =>
          queues.configure(params, payload).pipe(Effect.map(QueueFeed.keptOf), ServiceErrors.toProblem),
        options
      }
    })
  })
)
