/** The handlers of the newer routes of the merge queue: one use case each. */
import { Api, Principal } from "@lazaret/api"
import { Queues } from "@lazaret/services"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ServiceErrors from "./ServiceErrors.ts"
import * as Queue from "./wire/Queue.ts"

/** A client that goes away must not cut a write in two. */
const options = { uninterruptible: true }

/** The handlers over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "mergeQueue",
  Effect.fnUntraced(function* (handlers) {
    const queues = yield* Queues

    return handlers.handleAll({
      getMergeQueueStatus: ({ params }) =>
        queues.status(params).pipe(Effect.map(Queue.statusOf), ServiceErrors.toProblem),
      getMergeQueuePull: ({ params }) =>
        queues.pull(params, params.number).pipe(Effect.map(Queue.pullOf), ServiceErrors.toProblem),
      getMergeQueueBranches: ({ params }) =>
        queues.queuedBranches(params).pipe(
          Effect.map((branches) => ({ branches: branches.map(Queue.branchOf) })),
          ServiceErrors.toProblem
        ),
      getMergeQueuePause: ({ params }) =>
        queues.pauseOf(params).pipe(
          Effect.map(([pause]) => ({ pause: pause === undefined ? null : Queue.pauseOf(pause) })),
          ServiceErrors.toProblem
        ),
      pauseMergeQueue: {
        handler: ({ params, payload }) =>
          Effect.flatMap(Principal, ({ subject }) => queues.pause(params, payload.reason, subject)).pipe(
            Effect.map((pause) => ({ pause: Queue.pauseOf(pause) })),
            ServiceErrors.toProblem
          ),
        options
      },
      unpauseMergeQueue: {
        handler: ({ params }) =>
          Effect.flatMap(Principal, ({ subject }) => ServiceErrors.toProblem(queues.unpause(params, subject))),
        options
      }
    })
  })
)
