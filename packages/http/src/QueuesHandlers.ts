/** The handlers of the routes of the merge queue: one use case each. */
import { Principal, Queues } from "@lazaret/services"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "./Api.ts"
import * as Problem from "./Problem.ts"
import * as Queue from "./wire/Queue.ts"

/** A client that goes away must not cut a write in two. */
const options = { uninterruptible: true }

/** The handlers over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "queues",
  Effect.fnUntraced(function* (handlers) {
    const queues = yield* Queues

    const unpause = (ref: Parameters<typeof queues.unpause>[0]) =>
      Effect.flatMap(Principal, ({ subject }) => Problem.fromService(queues.unpause(ref, subject)))

    return handlers.handleAll({
      getQueuesConfiguration: ({ params }) =>
        queues.configuration(params).pipe(
          Effect.map((configuration) => ({ configuration })),
          Problem.fromService
        ),
      pauseQueue: {
        handler: ({ params, payload }) =>
          Effect.flatMap(Principal, ({ subject }) =>
            queues.pause(params, payload.reason, subject).pipe(
              Effect.map((pause) => ({ queue_pause: [pause] })),
              Problem.fromService
            )
          ),
        options
      },
      unpauseQueue: { handler: ({ params }) => unpause(params), options },
      getQueuePause: ({ params }) =>
        queues.pauseOf(params).pipe(
          Effect.map((pauses) => ({ queue_pause: pauses })),
          Problem.fromService
        ),
      deleteQueuePause: { handler: ({ params }) => unpause(params), options },
      getQueues: ({ params }) =>
        queues.queues(params).pipe(
          Effect.map((each) => ({ queues: each })),
          Problem.fromService
        ),
      getQueueBranches: ({ params, query }) =>
        queues.branches(params, Queue.branchesOf(query)).pipe(
          Effect.map((branches) => ({ base_refs: branches })),
          Problem.fromService
        )
    })
  })
)
