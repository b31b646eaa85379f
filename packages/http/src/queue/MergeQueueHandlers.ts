/** The handlers of the newer routes of the merge queue: one use case each. */
import { Api, Principal } from "@lazaret/api"
import { MergeQueues, Queues, type QueueAction } from "@lazaret/services"
import { QueuePriority } from "@lazaret/queue"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as Links from "../response/Links.ts"
import * as ServiceErrors from "../response/ServiceErrors.ts"
import * as MergeQueue from "./MergeQueue.ts"
import * as Queue from "./Queue.ts"

/** A client that goes away must not cut a write in two. */
const options = { uninterruptible: true }

/** The handlers over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "mergeQueue",
  Effect.fnUntraced(function* (handlers) {
    const queues = yield* Queues
    const mergeQueues = yield* MergeQueues

    const ask = (params: Params, action: QueueAction, asked: Options = {}) =>
      Effect.flatMap(Principal, ({ subject: by }) =>
        mergeQueues.ask(params, { number: params.number, action, by, ...asked }).pipe(
          Effect.map((branch) => ({ number: params.number, branch })),
          ServiceErrors.toProblem
        )
      )

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
        Effect.zipWith(queues.pauseOf(params), mergeQueues.isActing(params), ([pause], isActing) =>
          MergeQueue.pauseOf(pause, isActing)
        ).pipe(ServiceErrors.toProblem),
      pauseMergeQueue: {
        handler: ({ params, payload }) =>
          Effect.flatMap(Principal, ({ subject }) =>
            Effect.zipWith(
              queues.pause(params, payload.reason, subject),
              mergeQueues.isActing(params),
              MergeQueue.pauseOf
            ).pipe(ServiceErrors.toProblem)
          ),
        options
      },
      unpauseMergeQueue: {
        handler: ({ params }) =>
          Effect.flatMap(Principal, ({ subject }) => ServiceErrors.toProblem(queues.unpause(params, subject))),
        options
      },
      getMergeQueueEngine: ({ params }) =>
        mergeQueues.engines(params).pipe(Effect.map(MergeQueue.enginesOf), ServiceErrors.toProblem),
      getMergeQueuePreflight: ({ params, query }) =>
        mergeQueues
          .preflight(params, query.branch ?? null)
          .pipe(Effect.map(MergeQueue.preflightOf), ServiceErrors.toProblem),
      listMergeQueueLog: ({ params, query, request }) => {
        const asked = MergeQueue.requestOf(query)
        return mergeQueues
          .log(params, asked)
          .pipe(Links.paged(request, MergeQueue.logOf(asked.perPage)), ServiceErrors.toProblem)
      },
      getMergeQueueHistory: ({ params }) =>
        Effect.zipWith(
          mergeQueues.history(params, params.number),
          mergeQueues.fates(params, params.number),
          (lines, fates) => MergeQueue.historyOf(params.number, lines, fates)
        ).pipe(ServiceErrors.toProblem),
      queuePull: { handler: ({ params, query }) => ask(params, "queue", optionsOf(query)), options },
      dequeuePull: { handler: ({ params }) => ask(params, "dequeue"), options }
    })
  })
)

interface Options {
  readonly rule?: string
  readonly priority?: number | null
}

const optionsOf = ({ priority, ...rule }: { readonly rule?: string; readonly priority?: string }): Options =>
  priority === undefined ? rule : { ...rule, priority: QueuePriority.parse(priority) }

interface Params {
  readonly owner: string
  readonly repository: string
  readonly number: number
}
