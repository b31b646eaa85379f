/** How many requests a caller may send: each has a bucket of credit that fills up again with time. */
import { Problem } from "@lazaret/api"
import { Clock, Context, Effect, Layer, Option, Result } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { IpNetwork, NetAddress } from "effect/net"
import { LRUCache } from "lru-cache"
import { HttpConfig } from "./HttpConfig.ts"
import * as Limits from "./Limits.ts"

type Limited<A> = Effect.Effect<A, Problem.TooManyRequests, HttpServerRequest.HttpServerRequest>

/**
 * Takes the credit of a request, or refuses the request.
 *
 * **Details**
 *
 * - Without a limit in `HttpConfig` every request passes, except sign-ins: these always have a limit of their own.
 * - A caller has credit for as many requests as the limit allows in a minute, and gets it back evenly: after a quiet
 *   minute a burst of all of them passes. A refused request costs nothing.
 * - This process keeps the buckets of the 10,000 callers that sent a request last. Several processes count apart.
 */
export class RateLimit extends Context.Service<
  RateLimit,
  {
    /** Takes the credit of a request from the bucket of a caller. */
    readonly take: (of: string) => Limited<void>
    /** As `take`, at an instant: whether the bucket has held the credit. */
    readonly pay: (of: string, now: number) => boolean
    /** Takes the credit of a step of a sign-in, from both buckets of an address: that of requests and that of sign-ins. */
    readonly signIn: (of: string) => Limited<void>
    /**
     * Runs the look-up of a credential, whose hash is computed where it is needed, and takes the credit of the request.
     *
     * **Details**
     *
     * A credential that was found before pays from its own bucket. Any other one pays from the bucket of the address
     * before it is looked up, and gets that credit back when it is found: so the limit of an address bounds guesses,
     * and a refusal does not depend on whether the guess is right. `callerOf` names the bucket of a found credential.
     */
    readonly lookUp: <A, E, R>(
      hash: () => string,
      find: Effect.Effect<Option.Option<A>, E, R>,
      callerOf: (found: A) => string
    ) => Effect.Effect<Option.Option<A>, E | Problem.TooManyRequests, R | HttpServerRequest.HttpServerRequest>
  }
>()("@lazaret/http/RateLimit") {
  /** The limit of `HttpConfig`. */
  static readonly layer = Layer.effect(
    RateLimit,
    Effect.gen(function* () {
      const { rateLimit } = yield* HttpConfig
      const requests = Option.isNone(rateLimit) ? unlimited : make(rateLimit.value)
      const signIns = make(Limits.signInsPerMinute)
      return RateLimit.of({
        ...requests,
        signIn: (of) => Effect.andThen(requests.take(of), signIns.take(of))
      })
    })
  )
}

/** The bucket that the current request has been paid from already; null: none. */
export const Paid = Context.Reference<string | null>("@lazaret/http/RateLimit/Paid", { defaultValue: () => null })

/** The bucket of a key. */
export const keyOf = (id: string): string => `key:${id}`

type Requests = Omit<RateLimit["Service"], "signIn">

const unlimited: Requests = { take: () => Effect.void, pay: () => true, lookUp: (_, find) => find }

/**
 * The caller behind an address, for requests without a valid credential.
 *
 * **Details**
 *
 * The addresses of an IPv6 network of 64 bits are one caller, because a single machine has all of them. An IPv4 address
 * that is written as an IPv6 one is the same caller as in its own form.
 */
export const addressOf = ({ remoteAddress }: HttpServerRequest.HttpServerRequest): string =>
  `address:${Option.match(remoteAddress, { onNone: () => "unknown", onSome: networkOf })}`

const networkOf = (text: string): string =>
  Result.match(NetAddress.ipFromString(text), {
    onFailure: () => text,
    onSuccess: (ip) => {
      const address = NetAddress.toCanonical(ip)
      return NetAddress.isIpv6Address(address)
        ? IpNetwork.format(IpNetwork.fromAddressUnsafe(address, machinePrefix))
        : NetAddress.formatIp(address)
    }
  })

/** The bits of an IPv6 address that a provider gives to one customer at most. */
const machinePrefix = 64

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

/** Takes the price of a request from a bucket, or yields the milliseconds after which it holds that much. */
export const take = (
  bucket: Bucket,
  perMinute: number,
  now: number
): { readonly bucket: Bucket; readonly wait: number } => {
  // The system clock may have been set back.
  const elapsed = Math.max(0, now - bucket.at)
  const credit = Math.min(perMinute * price, bucket.credit + elapsed * perMinute)
  if (credit >= price) return { bucket: { credit: credit - price, at: now }, wait: 0 }
  return { bucket: { credit, at: now }, wait: Math.ceil((price - credit) / perMinute) }
}

const price = 60_000

const mostCallers = 10_000

function make(perMinute: number): Requests {
  const full = perMinute * price
  const buckets = new LRUCache<string, Bucket>({ max: mostCallers })
  /** The callers of credentials that were found, by hash. */
  const known = new LRUCache<string, string>({ max: mostCallers })

  /** The milliseconds to wait, 0 when the request is paid. */
  const waitOf = (of: string, now: number): number => {
    const { bucket, wait } = take(buckets.get(of) ?? { credit: full, at: now }, perMinute, now)
    buckets.set(of, bucket)
    return wait
  }

  const takeFrom = (of: string) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const wait = waitOf(of, now)
      return wait > 0 ? refuse(perMinute, Math.ceil(wait / 1000)) : Effect.void
    })

  const giveBack = (of: string): void => {
    const held = buckets.get(of)
    if (held !== undefined) buckets.set(of, { ...held, credit: Math.min(full, held.credit + price) })
  }

  const lookUp: Requests["lookUp"] = Effect.fnUntraced(function* (hashOf, find, callerOf) {
    const hash = hashOf()
    const caller = known.get(hash)
    const paid = yield* Paid
    const pay = (of: string) => (of === paid ? Effect.void : takeFrom(of))
    if (caller !== undefined) return yield* Effect.andThen(pay(caller), find)
    const address = addressOf(yield* HttpServerRequest.HttpServerRequest)
    yield* takeFrom(address)
    const found = yield* find
    if (Option.isSome(found)) {
      giveBack(address)
      known.set(hash, callerOf(found.value))
      yield* pay(callerOf(found.value))
    }
    return found
  })

  return { take: takeFrom, pay: (of, now) => waitOf(of, now) === 0, lookUp }
}

const refuse = (perMinute: number, seconds: number) =>
  Effect.andThen(
    HttpEffect.appendPreResponseHandler((_, response) =>
      Effect.succeed(HttpServerResponse.setHeader(response, "retry-after", String(seconds)))
    ),
    new Problem.TooManyRequests({
      detail: `This server accepts ${perMinute} requests per minute from a caller: send it again in ${seconds} s, and send fewer at once.`
    })
  )
