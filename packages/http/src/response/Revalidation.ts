/** The implementation of `Revalidation`: entity tags, and the answers that are kept. */
import { hash } from "node:crypto"
import { OfCaller, Principal, Revalidated, Revalidation } from "@lazaret/api"
import type { ApplicationKey } from "@lazaret/domain"
import { AnswerVersion, Lifetime } from "@lazaret/services"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { HttpBody, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { allow, type Answer, answerTo, type Kept, KeptAnswers, questionOf } from "./KeptAnswers.ts"
import { isDeprecated } from "../request/Methods.ts"
import { standing } from "./ResponseHeaders.ts"

/**
 * Fills `KeptAnswers`, and gives answers an entity tag.
 *
 * **Details**
 *
 * - An answer is kept for each URL and host: both are in its links. Authentication came before; of the caller an answer depends
 *   on the kind of credential only, so it is kept for each kind. An answer that depends on the caller alone is kept for each key.
 * - The tag is a hash of the answer: all servers give equal answers equal tags, and a write elsewhere in the repository keeps it.
 * - `private, no-cache`: a browser may keep the answer for its user and asks before it uses it. Other answers are `no-store`.
 */
export const layer = Layer.effect(
  Revalidation,
  Effect.gen(function* () {
    const versions = yield* AnswerVersion
    const answers = yield* KeptAnswers

    const refOf = Effect.map(HttpRouter.RouteContext, ({ params: { owner = "", repository = "" } }) => ({
      owner,
      repository
    }))

    /** A failing store fails the answer itself. */
    const versionOf = (ref: Question["ref"]) => Effect.orElseSucceed(versions.of(ref), Option.none<string>)

    const make = Effect.fnUntraced(function* <E, R>(handler: Handler<E, R>, question: Question) {
      const { endpoint, principal, ref, request, text, version } = question
      const lifetime = new Lifetime.Lifetime()
      const made = yield* Effect.provideService(handler, Lifetime.Current, lifetime)
      if (!lifetime.isDeclared || made.status !== 200 || made.body._tag !== "Uint8Array") return made
      const answer = tagged(made, made.body.body, isDeprecated(endpoint))
      const after = yield* versionOf(ref)
      if (Option.contains(after, version)) {
        const kept: Kept = { ...answer, origin: { ref, version, lifetime }, ...newlyKept(endpoint) }
        allow(kept, principal)
        answers.keep(text, kept)
      }
      return answerTo(request, answer)
    })

    const answered = Effect.fnUntraced(function* <E, R>(handler: Handler<E, R>, endpoint: Endpoint) {
      const ref = yield* refOf
      const version = yield* versionOf(ref)
      if (Option.isNone(version)) return yield* handler
      const request = yield* HttpServerRequest.HttpServerRequest
      const principal = yield* Principal
      const text = questionOf(request, principal.kind)
      const found = answers.get(text)
      const now = yield* Clock.currentTimeMillis
      if (found?.origin?.version !== version.value || !found.origin.lifetime.holds(now)) {
        return yield* make(handler, { endpoint, principal, ref, request, text, version: version.value })
      }
      allow(found, principal)
      return answerTo(request, found)
    })

    const remembered = Effect.fnUntraced(function* <E, R>(handler: Handler<E, R>, endpoint: Endpoint) {
      const made = yield* handler
      const request = yield* HttpServerRequest.HttpServerRequest
      const principal = yield* Principal
      if (principal.key !== null && principal.sessionId === undefined && made.status === 200) {
        const whole = short(standing(made, isDeprecated(endpoint)))
        const kept: Kept = { etag: null, whole, unchanged: whole, origin: null, ...newlyKept(endpoint) }
        allow(kept, principal)
        answers.keep(questionOf(request, principal.key.id), kept)
      }
      return made
    })

    return (handler, { endpoint }) =>
      Context.get(endpoint.annotations, Revalidated)
        ? answered(handler, endpoint)
        : Context.get(endpoint.annotations, OfCaller)
          ? remembered(handler, endpoint)
          : handler
  })
)

type Endpoint = HttpApiEndpoint.Top

const newlyKept = ({ path }: Endpoint) => ({ route: path, callers: new WeakSet<ApplicationKey.ApplicationKey>() })

type Response = HttpServerResponse.HttpServerResponse

type Handler<E, R> = Effect.Effect<Response, E, R>

/** A request, the name of its question, its repository, and the version of that when it came. */
interface Question {
  readonly endpoint: Endpoint
  readonly request: HttpServerRequest.HttpServerRequest
  readonly principal: Principal["Service"]
  readonly text: string
  readonly ref: { readonly owner: string; readonly repository: string }
  readonly version: string
}

/** The answers that are kept are complete but for the id of the request. */
const tagged = (made: Response, body: Uint8Array, isOld: boolean): Answer & { readonly etag: string } => {
  const content = hash("sha256", body, "base64url")
  const etag = `"${hash("sha256", `${content} ${made.headers["link"] ?? ""}`, "base64url").slice(0, 22)}"`
  const headers = { etag, "cache-control": "private, no-cache", vary: "authorization, cookie" }
  return {
    etag,
    whole: short(standing(HttpServerResponse.setHeaders(made, headers), isOld)),
    unchanged: standing(HttpServerResponse.empty({ status: 304, headers }), isOld)
  }
}

/** A short body as text: Node sends it with the headers in one piece. */
const short = (made: Response): Response => {
  const { body } = made
  if (body._tag !== "Uint8Array" || body.text !== undefined || body.contentLength > longestText) return made
  return HttpServerResponse.setBody(made, HttpBody.text(new TextDecoder().decode(body.body), body.contentType))
}

/** The bytes of a body from which on a second piece costs less than its encoding. */
const longestText = 8192
