/** The memory that bodies of requests may take, so that callers cannot exhaust that of the process. */
import { Problem } from "@lazaret/api"
import { Context, Effect, Layer, Metric, Schedule } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
import { HttpConfig } from "./HttpConfig.ts"
import * as HeapGrowth from "./HeapGrowth.ts"
import * as InFlight from "./InFlight.ts"
import * as HttpLimits from "./Limits.ts"

/**
 * The budgets of bodies that are larger than those of other requests.
 *
 * **Details**
 *
 * - `uploads`, by application key: `HttpConfig.upload.memory` holds the largest upload, and shares the rest. A key has at
 *   most half of the rest. While the largest upload is read and recorded, the heap grows less (`HeapGrowth`).
 * - `deliveries` of GitHub, by address, because nothing is known of the sender before a delivery is read.
 */
export class BodyBudget extends Context.Service<
  BodyBudget,
  { readonly uploads: InFlight.InFlight; readonly deliveries: InFlight.InFlight }
>()("@lazaret/http/BodyBudget") {
  /** The budgets by `HttpConfig`; it also measures how much is reserved. */
  static readonly layer = Layer.effect(
    BodyBudget,
    Effect.gen(function* () {
      const { upload } = yield* HttpConfig
      const uploads = InFlight.make({ ...HttpLimits.uploads(upload), onLargest: HeapGrowth.bound })
      const measure = Effect.suspend(() => Metric.update(reserved, uploads.reserved()))
      yield* Metric.update(refusals, 0)
      yield* Effect.forkScoped(Effect.repeat(measure, Schedule.spaced("5 seconds")))
      return BodyBudget.of({ uploads, deliveries: InFlight.make(HttpLimits.deliveries) })
    })
  )
}

const reserved = Metric.gauge("lazaret_upload_memory_reserved_bytes", {
  description: "Memory that uploads have reserved while they are read and recorded."
})

const refusals = Metric.counter("lazaret_bodies_refused_total", {
  description: "Uploads and deliveries that found no memory in time and were answered with 503.",
  incremental: true
})

/** Fails with 503 and `Retry-After` unless the reservation was made. */
export const orRefuse = (isMade: boolean): Effect.Effect<void, Problem.Unavailable, HttpEffectR> =>
  isMade ? Effect.void : Effect.andThen(Metric.update(refusals, 1), Effect.andThen(retryLater, Effect.fail(busy)))

type HttpEffectR = Effect.Services<typeof retryLater>

const retryLater = HttpEffect.appendPreResponseHandler((_, response) =>
  Effect.succeed(HttpServerResponse.setHeader(response, "retry-after", `${HttpLimits.busySeconds}`))
)

const busy = new Problem.Unavailable({
  detail: `The server has no memory for another upload at the moment. Send the same request again after ${HttpLimits.busySeconds} seconds.`
})
