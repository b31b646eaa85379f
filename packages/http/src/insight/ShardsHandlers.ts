/** The handlers of the routes of shards: one use case each. */
import { Api, type Schemas } from "@lazaret/api"
import { type Share, Shards } from "@lazaret/services"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ServiceErrors from "../response/ServiceErrors.ts"

/** The handlers over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "shards",
  Effect.fnUntraced(function* (handlers) {
    const shards = yield* Shards

    return handlers.handleAll({
      askShardDurations: ({ params, payload: { by, job_name: jobName = null, names } }) =>
        shards.weigh(params, { piece: by, names, jobName }).pipe(
          Effect.map(({ known, units }) => ({ by, known, durations: units })),
          ServiceErrors.toProblem
        ),
      planShard: {
        handler: ({ params, payload }) =>
          shards.share(params, requestOf(payload)).pipe(Effect.map(shareOf), ServiceErrors.toProblem),
        options: { uninterruptible: true }
      }
    })
  })
)

const requestOf = (payload: typeof Schemas.ShardQuestion.Type) => ({
  runId: payload.run_id,
  jobName: payload.job_name,
  total: payload.total,
  index: payload.index,
  piece: payload.by,
  names: payload.names,
  seconds: payload.seconds ?? null
})

const shareOf = ({ gain, isNew, known, names, seconds }: Share): typeof Schemas.ShardShare.Type => ({
  names,
  seconds,
  is_new: isNew,
  known,
  gain: { by_count: gain.byCount, by_time: gain.byTime, mean: gain.mean, longest: gain.longest }
})
