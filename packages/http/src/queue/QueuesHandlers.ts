/** The handlers of the routes of the merge queue: one use case each. */
import { Api, Principal } from "@lazaret/api"
import { Queues } from "@lazaret/services"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ServiceErrors from "../response/ServiceErrors.ts"
import * as Queue from "./Queue.ts"

/** A client that goes away must not cut a write in two. */
const options = { uninterruptible: true }

/** The handlers over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "queues",
  Effect.fnUntraced(function* (handlers) {
    const queues = yield* Queues

    const unpause = (ref: Parameters<typeof queues.unpause>[0]) =>
      Effect.flatMap(Principal, ({ subject }) => ServiceErrors.toProblem(queues.unpause(ref, subject)))

    return handlers.handleAll({
      getQueuesConfiguration: ({ params }) =>
        queues.configuration(params).pipe(
          Effect.map((rules) => ({ configuration: rules.map(Queue.ruleOf) })),
          ServiceErrors.toProblem
        ),
      pauseQueue: {
        handler: ({ params, payload }) =>
          Effect.flatMap(Principal, ({ subject }) =>
            queues.pause(params, payload.reason, subject).pipe(
              Effect.map((pause) => ({ queue_pause: [Queue.pauseOf(pause)] })),
              ServiceErrors.toProblem
            )
          ),
        options
      },
      unpauseQueue: { handler: ({ params }) => unpause(params), options },
      getQueuePause: ({ params }) =>
        queues.pauseOf(params).pipe(
          Effect.map((pauses) => ({ queue_pause: pauses.map(Queue.pauseOf) })),
          ServiceErrors.toProblem
        ),
      deleteQueuePause: { handler: ({ params }) => unpause(params), options },
      getQueues: ({ params }) =>
        queues.queues(params).pipe(
          Effect.map((each) => ({ queues: each.map(Queue.queueOf) })),
          ServiceErrors.toProblem
        ),
      getQueueBranches: ({ params, query }) =>
        queues.branches(params, Queue.branchesOf(query)).pipe(
          Effect.map((branches) => ({ base_refs: branches })),
          ServiceErrors.toProblemWith({ start: "start_at", end: "end_at" })
        )
    })
  })
)
