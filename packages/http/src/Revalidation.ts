/** The implementation of `Revalidation`: entity tags, and answers that are kept as bytes while nothing changes them. */
import { hash } from "node:crypto"
import { Principal, Revalidated, Revalidation } from "@lazaret/api"
import { AnswerVersion, Lifetime } from "@lazaret/services"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { LRUCache } from "lru-cache"
import * as Assets from "./Assets.ts"
import * as Limits from "./Limits.ts"

/**
 * Keeps answers, and gives them an entity tag.
 *
 * **Laws**
 *
 * A kept answer equals the one that would be made now. It is given only while the version of the repository is the one that held
 * before and after it was made, and within its `Lifetime`. The version is read for every request, so that a write by another
 * server counts as well.
 *
 * **Details**
 *
 * - An answer is kept for each URL and host: both are in its links. Authentication came before; of the caller an answer depends
 *   on the kind of credential only, so it is kept for each kind.
 * - The tag is a hash of the answer: all servers give equal answers equal tags, and a write elsewhere in the repository keeps it.
 * - `private, no-cache`: a browser may keep the answer for its user and asks before it uses it. Other answers are `no-store`.
 */
export const layer = Layer.effect(
  Revalidation,
  Effect.map(AnswerVersion, (versions) => {
    const kept = new LRUCache<string, Kept>({ maxSize: Limits.keptAnswers, sizeCalculation: ({ bytes }) => bytes })

    const versionOf = Effect.fnUntraced(function* () {
      const { params } = yield* HttpRouter.RouteContext
      const { owner = "", repository = "" } = params
      // A failing store fails the answer itself.
      return yield* Effect.orElseSucceed(versions.of({ owner, repository }), Option.none<string>)
    })

    const make = Effect.fnUntraced(function* <E, R>(handler: Handler<E, R>, { key, request, version }: Question) {
      const lifetime = new Lifetime.Lifetime()
      const made = yield* Effect.provideService(handler, Lifetime.Current, lifetime)
      if (!lifetime.isDeclared || made.status !== 200 || made.body._tag !== "Uint8Array") return made
      const answer = answerOf(made, made.body.body)
      const after = yield* versionOf()
      if (Option.isSome(after) && after.value === version) kept.set(key, { ...answer, version, lifetime })
      return given(answer, request)
    })

    const answered = Effect.fnUntraced(function* <E, R>(handler: Handler<E, R>) {
      const version = yield* versionOf()
      if (Option.isNone(version)) return yield* handler
      const request = yield* HttpServerRequest.HttpServerRequest
      const key = keyOf(request, yield* Principal)
      const found = kept.get(key)
      const now = yield* Clock.currentTimeMillis
      return found?.version === version.value && found.lifetime.holds(now)
        ? given(found, request)
        : yield* make(handler, { request, key, version: version.value })
    })

    return (handler, { endpoint }) => (Context.get(endpoint.annotations, Revalidated) ? answered(handler) : handler)
  })
)

type Handler<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

type Request = HttpServerRequest.HttpServerRequest

/** A request, the key of its answer, and the version of the repository when it came. */
interface Question {
  readonly request: Request
  readonly key: string
  readonly version: string
}

/** An answer as it is sent, to callers that have it and to others. */
interface Answer {
  readonly etag: string
  readonly whole: HttpServerResponse.HttpServerResponse
  readonly unchanged: HttpServerResponse.HttpServerResponse
  /** The memory that it takes. */
  readonly bytes: number
}

interface Kept extends Answer {
  readonly version: string
  readonly lifetime: Lifetime.Lifetime
}

/** Of the protocol and the host only these headers are read, those of trusted proxies included (`Links`). */
const keyOf = ({ headers, url }: Request, { kind }: Principal["Service"]): string =>
  `${kind} ${headers["x-forwarded-proto"]} ${headers["host"]} ${url}`

const answerOf = (made: HttpServerResponse.HttpServerResponse, body: Uint8Array): Answer => {
  const content = hash("sha256", body, "base64url")
  const etag = `"${hash("sha256", `${content} ${made.headers["link"] ?? ""}`, "base64url").slice(0, 22)}"`
  const headers = { etag, "cache-control": "private, no-cache", vary: "authorization, cookie" }
  return {
    etag,
    whole: HttpServerResponse.setHeaders(made, headers),
    unchanged: HttpServerResponse.empty({ status: 304, headers }),
    bytes: body.length + overhead
  }
}

/** The keys, the objects and the headers of a kept answer, in bytes. */
const overhead = 2048

const given = ({ etag, unchanged, whole }: Answer, request: Request): HttpServerResponse.HttpServerResponse =>
  request.headers["if-none-match"] !== undefined && Assets.isKnown(request, etag) ? unchanged : whole
