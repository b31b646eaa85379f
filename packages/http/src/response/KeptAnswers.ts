/** Answers that are kept as bytes while nothing changes them, and that are given again before a request is routed. */
import { ApplicationKey, type Credential, type Repository } from "@lazaret/domain"
import { AnswerVersion, hashOf, KeyRegistry, type Lifetime } from "@lazaret/services"
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { LRUCache } from "lru-cache"
import * as Assets from "./Assets.ts"
import * as Limits from "../request/Limits.ts"
import * as RateLimit from "../request/RateLimit.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** An answer as it is sent, to callers that have it and to others. */
export interface Answer {
  /** Null for an answer without an entity tag. */
  readonly etag: string | null
  readonly whole: Response
  readonly unchanged: Response
}

/** The facts that an answer about a repository was made from. */
export interface Origin {
  readonly ref: Repository.RepositoryRef
  readonly version: string
  readonly lifetime: Lifetime.Lifetime
}

/** A kept answer; `origin` is null where it depends on its caller alone. */
export interface Kept extends Answer {
  readonly origin: Origin | null
  /** The declared path of its route. */
  readonly route: string
  /** The keys that were authorised for this answer. */
  readonly callers: WeakSet<ApplicationKey.ApplicationKey>
}

/** A kept answer to a request, which has been paid from a bucket (`RateLimit`). */
export interface Recalled {
  readonly kept: Kept
  readonly bucket: string
}

/**
 * Keeps answers as bytes.
 *
 * **Laws**
 *
 * A kept answer equals the one that would be made now. It is given only while the version of the repository is the one that held
 * before and after it was made, and within its `Lifetime`. The version is read for every request, so that a write by another
 * server counts as well.
 */
export class KeptAnswers extends Context.Service<
  KeptAnswers,
  {
    /** The answer to a question that was kept last, whether or not it still holds. */
    readonly get: (question: string) => Kept | undefined
    readonly keep: (question: string, answer: Kept) => void
    /**
     * The answer to a request that is kept and was given to the same key before, whether or not it still holds; null for all other
     * requests.
     *
     * **Details**
     *
     * What routing and authorisation decide is the same for equal keys and URLs. So only these are checked again: that the key is in
     * force (within the second of `KeyRegistry.authenticate`), and its rate limit.
     */
    readonly recall: (request: Request, clock: Clock.Clock) => Recalled | null
    /** Whether a kept answer holds now. */
    readonly holds: (kept: Kept) => Effect.Effect<boolean>
  }
>()("@lazaret/http/KeptAnswers") {
  /** At most `Limits.keptAnswers` bytes, the longest unused first out. */
  static readonly layer = Layer.effect(
    KeptAnswers,
    Effect.gen(function* () {
      const versions = yield* AnswerVersion
      const keys = yield* KeyRegistry
      const { pay } = yield* RateLimit.RateLimit
      const kept = new LRUCache<string, Kept>({ maxSize: Limits.keptAnswers, sizeCalculation: bytesOf })

      const knownTo = (request: Request, key: ApplicationKey.ApplicationKey): Kept | undefined => {
        const kind = ApplicationKey.kindOf(key.scope)
        const found = kept.get(questionOf(request, kind)) ?? kept.get(questionOf(request, key.id))
        return found?.callers.has(key) === true ? found : undefined
      }

      return KeptAnswers.of({
        get: (question) => kept.get(question),
        keep: (question, answer) => void kept.set(question, answer),
        recall: (request, clock) => {
          const secret = secretOf(request)
          if (secret === null) return null
          const key = keys.recent(hashOf(secret), clock.monotonicTimeNanosUnsafe())
          const found = key === undefined ? undefined : knownTo(request, key)
          if (key === undefined || found === undefined) return null
          const bucket = RateLimit.keyOf(key.id)
          // Over the rate limit: take the normal path, which answers 429.
          return pay(bucket, clock.currentTimeMillisUnsafe()) ? { kept: found, bucket } : null
        },
        holds: ({ origin }) =>
          origin === null
            ? Effect.succeed(true)
            : Effect.zipWith(
                Effect.orElseSucceed(versions.of(origin.ref), Option.none<string>),
                Clock.currentTimeMillis,
                (version, now) => Option.contains(version, origin.version) && origin.lifetime.holds(now)
              )
      })
    })
  )
}

/**
 * The name of a question in the cache.
 *
 * **Details**
 *
 * `caller` is the part of the caller that the answer depends on. Links (`Links`) begin with the protocol and the host of the request,
 * or with those that a trusted proxy forwards; what other callers claim about them counts for nothing.
 */
export const questionOf = (request: Request, caller: string): string =>
  `${caller} ${protocolOf(request)} ${request.headers["host"]} ${request.url}`

/** As `HttpServerRequest.toURL` finds it. */
const protocolOf = (request: Request): string =>
  request.protocol ?? (/^https:/iu.test(request.originalUrl) ? "https" : "http")

/** The answer to a request: whole, or that it has not changed. */
export const answerTo = (request: Request, { etag, unchanged, whole }: Answer): Response =>
  etag !== null && request.headers["if-none-match"] !== undefined && Assets.isKnown(request, etag) ? unchanged : whole

/** Lets a caller that was authorised for an answer have it again; keys of sessions are authorised each time. */
export const allow = ({ callers }: Kept, { key, sessionId }: Credential.Principal): void => {
  if (key !== null && sessionId === undefined) callers.add(key)
}

/** The secret of a request that only reads; null for a request without one, and for any other credential. */
const secretOf = ({ headers, method }: Request): string | null => {
  const { authorization } = headers
  return method === "GET" && authorization !== undefined && authorization.startsWith(scheme)
    ? authorization.slice(scheme.length)
    : null
}

const scheme = "Bearer "

/** The memory that an answer takes: its body, and `overhead` for its keys, objects and headers. */
const bytesOf = ({ whole: { body } }: Kept): number => (body._tag === "Uint8Array" ? body.contentLength : 0) + overhead

const overhead = 2048
