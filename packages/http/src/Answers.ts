/** What holds for every answer: a request id, a problem document for every failure, and nothing of our insides. */
import { randomUUID } from "node:crypto"
import { Api, Problem } from "@lazaret/api"
import { Cause, Effect } from "effect"
import {
  HttpBody,
  HttpRouter,
  HttpServerError,
  HttpServerRequest,
  HttpServerRespondable,
  HttpServerResponse
} from "effect/http"
import * as Methods from "./Methods.ts"
import * as Pages from "./Pages.ts"
import * as RateLimit from "./RateLimit.ts"
import * as Traffic from "./Traffic.ts"

/** The header that carries the request id. */
export const requestIdHeader = "x-request-id"

/**
 * The middleware around every route.
 *
 * **Details**
 *
 * - A request id that the caller sends is kept when it is 1 to 128 letters, digits, `.`, `_` and `-`; else there is a new one.
 * - A path that no route has is 404, and so is one with `;` or `#` in it. A method that its path does not take is 405 with `Allow`; `OPTIONS` answers 204 with it.
 * - A problem document repeats the request id as `request_id`.
 * - Requests to routes without authentication are limited by address; `Authentication` limits the others by key.
 * - A defect is logged with its cause and answered as 500 without it.
 */
export const layer = HttpRouter.middleware(
  Effect.map(RateLimit.RateLimit, (rateLimit) => {
    const pages = ["/" as const, ...Object.values(Pages.paths)].map((path) => ({ method: "GET", path }))
    const routes = [...Methods.routesOf(Api), ...pages]
    const methodsOf = Methods.finder(routes, Methods.routerConfig)
    const routeOf = Methods.pathFinder(routes, Methods.routerConfig)
    const limitedElsewhere = new Set([...Methods.guardedRoutesOf(Api), ...unlimited])
    return (routed) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
        const isWhole = Methods.isWhole(Traffic.pathOf(request))
        const app = isWhole ? routed : toResponse(unknownPath)
        const route = isWhole ? routeOf(request.method, request.url) : null
        const seen = { request, requestId: requestIdOf(request), route }
        const isLimitedHere = !limitedElsewhere.has(`${request.method} ${seen.route}`)
        const limited = isLimitedHere
          ? Effect.matchEffect(rateLimit.take(RateLimit.addressOf(request)), {
              onFailure: toResponse,
              onSuccess: () => app
            })
          : app
        const answer = limited.pipe(
          Effect.flatMap((given) =>
            isBareFailure(given) ? toResponse(ofStatus(given.status)) : Effect.succeed(given)
          ),
          Effect.catchCause((cause) =>
            Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : failed(cause, seen, methodsOf)
          ),
          Effect.map((given) => finished(given, seen.requestId))
        )
        return Traffic.observe(answer, seen)
      })
  }),
  { global: true }
)

const finished = (
  response: HttpServerResponse.HttpServerResponse,
  requestId: string
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.setHeaders(isProblem(response) ? named(response, requestId) : response, {
    [requestIdHeader]: requestId,
    ...(response.status === 503 ? { "retry-after": retryAfterSeconds } : {})
  })

/** A problem says which request it is about, since people pass on the body and not the headers. */
const named = (response: HttpServerResponse.HttpServerResponse, requestId: string) => {
  if (response.body._tag !== "Uint8Array") return response
  const text = new TextDecoder().decode(response.body.body)
  // Ours alone have this type, and they are JSON objects that end so.
  const document = `${text.slice(0, text.lastIndexOf("}"))},"request_id":${JSON.stringify(requestId)}}`
  return HttpServerResponse.setBody(response, HttpBody.text(document, problemType))
}

/** What asks these belongs to the operator. */
const unlimited: ReadonlyArray<string> = ["/health/live", "/health/ready", "/metrics"].map((path) => `GET ${path}`)

/** The storage of a server that restarts is back after about so long; reporters try for half a minute. */
const retryAfterSeconds = "2"

const requestIdOf = (request: HttpServerRequest.HttpServerRequest): string => {
  const given = request.headers[requestIdHeader]
  return given !== undefined && /^[\w.-]{1,128}$/u.test(given) ? given : randomUUID()
}

const toResponse = (problem: Respondable) => Effect.orDie(HttpServerRespondable.toResponse(problem))

type Respondable = HttpServerRespondable.Respondable

const failed = (
  cause: Cause.Cause<unknown>,
  { request }: Traffic.Seen,
  methodsOf: (url: string) => ReadonlyArray<string>
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const error = Cause.squash(cause)
  if (HttpServerError.isHttpServerError(error)) {
    if (error.reason._tag === "RouteNotFound") return unrouted(request, methodsOf(request.url))
    if (error.reason._tag === "RequestParseError") return toResponse(unreadable(error.reason.reason))
  }
  return Effect.logError("The request failed", cause).pipe(
    Effect.andThen(
      toResponse(
        new Problem.Internal({
          detail: "Something is broken on the server. Give the operator the request_id: it finds the cause in the log."
        })
      )
    )
  )
}

const unrouted = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  methods: ReadonlyArray<string>
) {
  if (methods.length === 0) return yield* toResponse(unknownPath)
  const allow = methods.join(", ")
  if (request.method === "OPTIONS") return HttpServerResponse.empty({ status: 204, headers: { allow } })
  const problem = new Problem.MethodNotAllowed({ detail: `This path takes ${allow}: use one of these methods.` })
  return HttpServerResponse.setHeader(yield* toResponse(problem), "allow", allow)
})

const unreadable = (reason: "Parse" | "BodyTooLarge" | undefined): Respondable =>
  reason === "BodyTooLarge"
    ? tooLarge
    : Problem.unprocessable([{ location: "body", message: "The body cannot be read: send it whole and well-formed." }])

const unknownPath = new Problem.NotFound({
  detail: "No route has this path. The description of the API at /openapi.json lists all of them."
})

const tooLarge = new Problem.ContentTooLarge({ detail: "The body is larger than this route takes: send less at once." })

/** The framework refuses some requests with a status and no problem document. */
const isBareFailure = (response: HttpServerResponse.HttpServerResponse): boolean =>
  response.status >= 400 && !isProblem(response)

const isProblem = ({ body }: HttpServerResponse.HttpServerResponse): boolean =>
  "contentType" in body && body.contentType === problemType

const problemType = "application/problem+json"

const ofStatus = (status: number): Respondable => {
  switch (status) {
    case 413:
      return tooLarge
    case 415:
      return new Problem.UnsupportedMediaType({
        detail: "This route does not take a body of this type: see /openapi.json for the types that it takes."
      })
    default:
      return unknownPath
  }
}
