/** The middleware of every response: request id, problem documents for all failures, and no internals of the server. */
import { randomUUID } from "node:crypto"
import { Api, Problem } from "@lazaret/api"
import { Cause, Clock, Context, Effect, Option, Schema } from "effect"
import {
  HttpBody,
  HttpRouter,
  HttpServerError,
  HttpServerRequest,
  HttpServerRespondable,
  HttpServerResponse
} from "effect/http"
import { answerTo, KeptAnswers, type Recalled } from "./KeptAnswers.ts"
import { requestIdLength } from "../request/Limits.ts"
import * as Methods from "../request/Methods.ts"
import * as Pages from "./Pages.ts"
import * as RateLimit from "../request/RateLimit.ts"
import * as RequestMetrics from "../request/RequestMetrics.ts"
import { identified, requestIdHeader, standing } from "./ResponseHeaders.ts"

/**
 * The middleware around every route.
 *
 * **Details**
 *
 * - A request id of the caller is kept if it has 1 to 128 letters, digits, `.`, `_` and `-`; otherwise a new one is made.
 * - A repeated question gets its kept answer before it is routed (`KeptAnswers`).
 * - An unknown path is 404, as is a path with `;`, `#` or an empty segment. An unknown method of a known path is 405 with `Allow`;
 *   `OPTIONS` is 204 with `Allow`.
 * - A problem document repeats the request id as `request_id`.
 * - The headers of every response are set (`ResponseHeaders`).
 * - Requests to public routes are limited by address, sign-ins by a limit of their own; `Authentication` limits the others by key.
 * - A defect is logged with its cause and answered as 500 without it.
 */
export const layer = HttpRouter.middleware(
  Effect.map(Effect.all([RateLimit.RateLimit, KeptAnswers]), ([rateLimit, answers]) => {
    const pages = ["/" as const, ...Object.values(Pages.paths)].map((path) => ({ method: "GET", path }))
    const routes = [...Methods.routesOf(Api), ...pages]
    const methodsOf = Methods.finder(routes, Methods.routerConfig)
    const routeOf = Methods.pathFinder(routes, Methods.routerConfig)
    const limitedElsewhere = new Set([...Methods.guardedRoutesOf(Api), ...unlimited])
    const deprecated = new Set(Methods.deprecatedRoutesOf(Api))
    const limitOf = (route: string) =>
      signIns.has(route) ? rateLimit.signIn : limitedElsewhere.has(route) ? null : rateLimit.take
    return (routed) => {
      const made = (seen: RequestMetrics.Seen) => {
        const { request, requestId, route } = seen
        const whole = isWhole(request) ? routed : toResponse(unknownPath)
        const app = hasOneHost(request) ? whole : Effect.succeed(twoHosts)
        const limitedBy = limitOf(`${request.method} ${route}`)
        const limited =
          limitedBy === null
            ? app
            : Effect.matchEffect(limitedBy(RateLimit.addressOf(request)), {
                onFailure: toResponse,
                onSuccess: () => app
              })
        return limited.pipe(
          Effect.flatMap((given) =>
            isBareFailure(given) ? toResponse(ofStatus(given.status)) : Effect.succeed(given)
          ),
          Effect.catchCause((cause) =>
            Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : failed(cause, seen, methodsOf)
          ),
          Effect.map((given) => finished(given, requestId, deprecated.has(`${request.method} ${route}`)))
        )
      }

      const repeated = (seen: RequestMetrics.Seen, { bucket, kept }: Recalled) =>
        Effect.flatMap(answers.holds(kept), (holds) =>
          holds
            ? Effect.succeed(identified(answerTo(seen.request, kept), seen.requestId))
            : Effect.provideService(made(seen), RateLimit.Paid, bucket)
        )

      return Effect.contextWith((context: Context.Context<HttpServerRequest.HttpServerRequest>) => {
        const request = Context.get(context, HttpServerRequest.HttpServerRequest)
        const requestId = requestIdOf(request)
        const recalled = hasOneHost(request) ? answers.recall(request, Context.get(context, Clock.Clock)) : null
        if (recalled !== null) {
          const seen = { request, requestId, route: recalled.kept.route }
          return RequestMetrics.observe(repeated(seen, recalled), seen)
        }
        const seen = { request, requestId, route: isWhole(request) ? routeOf(request.method, request.url) : null }
        return RequestMetrics.observe(made(seen), seen)
      })
    }
  }),
  { global: true }
)

const isWhole = (request: HttpServerRequest.HttpServerRequest): boolean =>
  Methods.isWhole(RequestMetrics.pathOf(request))

/** Node keeps the first of several `Host` headers; a proxy may have chosen another one (RFC 9112, section 3.2). */
const hasOneHost = ({ source }: HttpServerRequest.HttpServerRequest): boolean => {
  const raw: unknown = "rawHeaders" in source ? source.rawHeaders : []
  if (!Array.isArray(raw)) return true
  let hosts = 0
  // Every other entry is a name.
  for (let index = 0; index < raw.length; index += 2) {
    const name = String(raw[index])
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1
  }
  return hosts <= 1
}

const twoHosts = HttpServerResponse.text(
  JSON.stringify({ type: "about:blank", status: 400, title: "Bad Request", detail: "Send the header `Host` once." }),
  { status: 400, contentType: "application/problem+json" }
)

const finished = (
  response: HttpServerResponse.HttpServerResponse,
  requestId: string,
  isDeprecated: boolean
): HttpServerResponse.HttpServerResponse =>
  identified(standing(isProblem(response) ? withRequestId(response, requestId) : response, isDeprecated), requestId)

/** Users forward the body of a response and not its headers, so that the body must identify the request. */
const withRequestId = (response: HttpServerResponse.HttpServerResponse, requestId: string) =>
  Option.match(problemOf(response), {
    onNone: () => response,
    onSome: (problem) =>
      HttpServerResponse.setBody(
        response,
        HttpBody.text(JSON.stringify({ ...problem, request_id: requestId }), problemType)
      )
  })

const problemOf = ({ body }: HttpServerResponse.HttpServerResponse) =>
  body._tag === "Uint8Array" ? decodeProblem(new TextDecoder().decode(body.body)) : Option.none()

const decodeProblem = Schema.decodeOption(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

/** The steps of a sign-in: each takes a secret that somebody could guess, or makes the server ask the provider. */
const signIns: ReadonlySet<string> = new Set([
  "POST /session",
  `GET ${Pages.paths.signInWith}`,
  `GET ${Pages.paths.signInCallback}`,
  `GET ${Pages.paths.signInWithGitHub}`,
  `GET ${Pages.paths.gitHubCallback}`
])

/** The routes of the operator's own probes. */
const unlimited: ReadonlyArray<string> = ["/health/live", "/health/ready", "/metrics"].map((path) => `GET ${path}`)

const requestIdOf = (request: HttpServerRequest.HttpServerRequest): string => {
  const given = request.headers[requestIdHeader]
  return given !== undefined && /^[\w.-]+$/u.test(given) && given.length <= requestIdLength ? given : randomUUID()
}

const toResponse = (problem: Respondable) => Effect.orDie(HttpServerRespondable.toResponse(problem))

type Respondable = HttpServerRespondable.Respondable

const failed = (
  cause: Cause.Cause<unknown>,
  { request }: RequestMetrics.Seen,
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
          detail: "The server failed. Give the request_id to the operator of the server: the log has the cause."
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
  const problem = new Problem.MethodNotAllowed({ detail: `This path has the methods ${allow}: use one of them.` })
  return HttpServerResponse.setHeader(yield* toResponse(problem), "allow", allow)
})

const unreadable = (reason: "Parse" | "BodyTooLarge" | undefined): Respondable =>
  reason === "BodyTooLarge"
    ? tooLarge
    : Problem.unprocessable([{ location: "body", message: "cannot be read: send the whole body, well-formed" }])

const unknownPath = new Problem.NotFound({
  detail: "This path does not exist. The OpenAPI document at /openapi.json lists all paths."
})

const tooLarge = new Problem.ContentTooLarge({
  detail: "The body exceeds the limit of this operation: send less at once."
})

/** The framework refuses some requests with a status and no problem document. */
const isBareFailure = (response: HttpServerResponse.HttpServerResponse): boolean =>
  response.status >= 400 && !isProblem(response) && !isPage(response)

const isProblem = ({ body }: HttpServerResponse.HttpServerResponse): boolean =>
  "contentType" in body && body.contentType === problemType

/** A page of ours for people. */
const isPage = ({ body }: HttpServerResponse.HttpServerResponse): boolean =>
  "contentType" in body && body.contentType?.startsWith("text/html") === true

const problemType = "application/problem+json"

const ofStatus = (status: number): Respondable => {
  switch (status) {
    case 413:
      return tooLarge
    case 415:
      return new Problem.UnsupportedMediaType({
        detail:
          "This operation does not accept a body of this type. The OpenAPI document at /openapi.json lists the types."
      })
    default:
      return unknownPath
  }
}
