/** The handlers of the newer routes of the merge queue: one use case each. */
import { Principal, Queues } from "@lazaret/services"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "./Api.ts"
import * as Problem from "./Problem.ts"

/** A client that goes away must not cut a write in two. */
const options = { uninterruptible: true }

/** The handlers over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "mergeQueue",
  Effect.fnUntraced(function* (handlers) {
    const queues = yield* Queues

    return handlers.handleAll({
      getMergeQueueStatus: ({ params }) => Problem.fromService(queues.status(params)),
      getMergeQueuePull: ({ params }) => Problem.fromService(queues.pull(params, params.number)),
      getMergeQueueBranches: ({ params }) =>
        queues.queuedBranches(params).pipe(
          Effect.map((branches) => ({ branches })),
          Problem.fromService
        ),
      getMergeQueuePause: ({ params }) =>
        queues.pauseOf(params).pipe(
          Effect.map(([pause = null]) => ({ pause })),
          Problem.fromService
        ),
      pauseMergeQueue: {
        handler: ({ params, payload }) =>
          Effect.flatMap(Principal, ({ subject }) => queues.pause(params, payload.reason, subject)).pipe(
            Effect.map((pause) => ({ pause })),
            Problem.fromService
          ),
        options
      },
      unpauseMergeQueue: {
        handler: ({ params }) =>
          Effect.flatMap(Principal, ({ subject }) => Problem.fromService(queues.unpause(params, subject))),
        options
      }
    })
  })
)
