/** How many requests a caller may send: each has a bucket of credit that fills up again with time. */
import { Problem } from "@lazaret/api"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpConfig } from "./HttpConfig.ts"

/**
 * Takes the token of a request, or refuses it.
 *
 * **Details**
 *
 * - Without a limit in `HttpConfig` every request passes.
 * - A caller has credit for as many as the limit allows in a minute, and gets it back evenly: after a quiet minute a burst of all
 *   of them passes.
 * - `of` names a caller: a key, or the address of one without a fit credential. A refused request costs nothing.
 * - The 10,000 callers who came last are remembered, by this process: several processes count apart.
 *
 * Our own buckets, because those of Effect are kept for ever, and anybody could fill the memory with addresses.
 */
export class RateLimit extends Context.Service<
  RateLimit,
  {
    readonly take: (of: string) => Effect.Effect<void, Problem.TooManyRequests, HttpServerRequest.HttpServerRequest>
  }
>()("@lazaret/http/RateLimit") {
  /** The limit of `HttpConfig`. */
  static readonly layer = Layer.effect(
    RateLimit,
    Effect.map(HttpConfig, ({ rateLimit }) =>
      RateLimit.of({
        take: Option.match(rateLimit, { onNone: () => () => Effect.void, onSome: (limit) => taker(limit) })
      })
    )
  )
}

/** The caller behind an address, for requests without a fit credential. */
export const addressOf = ({ remoteAddress }: HttpServerRequest.HttpServerRequest): string =>
  `address:${Option.getOrElse(remoteAddress, () => "unknown")}`

/**
 * The credit of a caller at an instant (milliseconds).
 *
 * **Details**
 *
 * A request costs 60,000 units, and each millisecond adds as many units as there are requests per minute. Whole numbers
 * guarantee that a caller who waits for the reported time is accepted.
 */
export interface Bucket {
  readonly credit: number
  readonly at: number
}

/** Takes the price of a request from a bucket, or tells after how many milliseconds it will hold that much. */
export const take = (
  bucket: Bucket,
  perMinute: number,
  now: number
): { readonly bucket: Bucket; readonly wait: number } => {
  // A clock may be set back.
  const elapsed = Math.max(0, now - bucket.at)
  const credit = Math.min(perMinute * price, bucket.credit + elapsed * perMinute)
  if (credit >= price) return { bucket: { credit: credit - price, at: now }, wait: 0 }
  return { bucket: { credit, at: now }, wait: Math.ceil((price - credit) / perMinute) }
}

const price = 60_000

const mostCallers = 10_000

const taker = (perMinute: number) => {
  const buckets = new Map<string, Bucket>()
  const remember = (of: string, bucket: Bucket) => {
    // A map keeps the order of insertion: the first one has not come for the longest time.
    buckets.delete(of)
    buckets.set(of, bucket)
    if (buckets.size > mostCallers) for (const oldest of buckets.keys()) return void buckets.delete(oldest)
  }
  return Effect.fnUntraced(function* (of: string) {
    const now = yield* Clock.currentTimeMillis
    const { bucket, wait } = take(buckets.get(of) ?? { credit: perMinute * price, at: now }, perMinute, now)
    remember(of, bucket)
    if (wait > 0) return yield* refuse(perMinute, Math.ceil(wait / 1000))
  })
}

const refuse = (perMinute: number, seconds: number) =>
  Effect.andThen(
    HttpEffect.appendPreResponseHandler((_, response) =>
      Effect.succeed(HttpServerResponse.setHeader(response, "retry-after", String(seconds)))
    ),
    new Problem.TooManyRequests({
      detail: `This server takes ${perMinute} requests per minute from a caller: send it again in ${seconds} s, and fewer at once.`
    })
  )
