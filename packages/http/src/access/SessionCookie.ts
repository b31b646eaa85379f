/**
 * The cookie of the dashboard: the secret of a session.
 *
 * Scripts cannot read it, and it counts only for requests that pages of this server make. The session is in the store: it ends
 * on the server, for all copies of the cookie.
 */
import { Duration, Effect, Option, Redacted } from "effect"
import { Headers, HttpEffect, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { isSessionSecret, SessionLimits } from "@lazaret/services"
import { HttpConfig } from "../request/HttpConfig.ts"

/** The name of the cookie. */
const name = "lazaret_session"

/**
 * Uses the cookie when the request has no `Authorization` header.
 *
 * **Details**
 *
 * For `POST`, `PUT`, `PATCH` and `DELETE` the request must come from a page of this server: the browser says so by
 * `Sec-Fetch-Site: same-origin`, or where it sends no such header, by an `Origin` that is the server's. Else the cookie
 * is as good as not there. `SameSite=Strict` keeps it from requests of other sites in the first place. The secret of a session
 * counts in the cookie alone: in an `Authorization` header it would pass without these checks, so it is removed there.
 */
export const layer = HttpRouter.middleware(
  Effect.map(
    HttpConfig,
    ({ publicUrl }) =>
      (app) =>
        Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
          const { authorization, ...headers } = request.headers
          if (authorization !== undefined) {
            if (!isSessionSecret(Redacted.make(tokenOf(authorization)))) return app
            const unsigned = request.modify({ headers: Headers.fromInput(headers) })
            return Effect.provideService(app, HttpServerRequest.HttpServerRequest, unsigned)
          }
          const secret = secretOf(request, publicUrl)
          if (Option.isNone(secret)) return app
          const signed = request.modify({
            headers: Headers.set(request.headers, "authorization", `Bearer ${Redacted.value(secret.value)}`)
          })
          return Effect.provideService(app, HttpServerRequest.HttpServerRequest, signed)
        })
  ),
  { global: true }
)

const tokenOf = (authorization: string): string => authorization.replace(/^\s*bearer\s+/iu, "")

/** The secret in the cookie of a request that comes from a page of this server. */
export const secretOf = (
  request: HttpServerRequest.HttpServerRequest,
  publicUrl: Option.Option<string>
): Option.Option<Redacted.Redacted> => {
  if (request.headers["cookie"] === undefined) return Option.none()
  const secret = Redacted.make(request.cookies[name] ?? "")
  return isSessionSecret(secret) && isOurs(request, publicUrl) ? Option.some(secret) : Option.none()
}

/**
 * Whether a browser says that the request comes from a page of another server. Other clients do not send these headers.
 */
export const isForeign = (request: HttpServerRequest.HttpServerRequest, publicUrl: Option.Option<string>): boolean =>
  (request.headers["sec-fetch-site"] ?? request.headers["origin"]) !== undefined && !isOurs(request, publicUrl)

const safe: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"])

const isOurs = (request: HttpServerRequest.HttpServerRequest, publicUrl: Option.Option<string>): boolean => {
  if (safe.has(request.method)) return true
  const site = request.headers["sec-fetch-site"]
  if (site !== undefined) return site === "same-origin"
  const origin = request.headers["origin"]
  return origin !== undefined && hostsOf(request, publicUrl).includes(URL.parse(origin)?.host ?? "")
}

const hostsOf = (
  request: HttpServerRequest.HttpServerRequest,
  publicUrl: Option.Option<string>
): ReadonlyArray<string | undefined> => [
  request.headers["host"],
  ...Option.match(publicUrl, { onNone: () => [], onSome: (url) => [URL.parse(url)?.host] })
]

/** Sets the cookie on the answer to the current request. */
export const set = (secret: Redacted.Redacted) =>
  Effect.flatMap(SessionLimits, ({ absolute }) => place(Redacted.value(secret), Duration.millis(absolute)))

/** Removes the cookie with the answer to the current request, and the answers that the browser keeps for its user. */
export const remove = Effect.suspend(() =>
  Effect.andThen(
    place("", Duration.zero),
    HttpEffect.appendPreResponseHandler((_, response) =>
      Effect.succeed(HttpServerResponse.setHeader(response, "clear-site-data", '"cache"'))
    )
  )
)

const place = Effect.fnUntraced(function* (value: string, maxAge: Duration.Duration) {
  const { publicUrl } = yield* HttpConfig
  // A pre-response handler gets the request as it came, without the protocol that a trusted proxy forwards.
  const request = yield* HttpServerRequest.HttpServerRequest
  const options = { ...attributesOf(request, publicUrl), sameSite: "strict", maxAge } as const
  yield* HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.orDie(HttpServerResponse.setCookie(response, name, value, options))
  )
})

/** The attributes of every cookie: not for scripts, only below the path of the server, and over `https` only when it has it. */
export const attributesOf = (
  request: HttpServerRequest.HttpServerRequest,
  publicUrl: Option.Option<string>
): { readonly httpOnly: true; readonly secure: boolean; readonly path: string } => {
  const base = Option.map(publicUrl, (url) => new URL(url))
  return {
    httpOnly: true,
    secure: Option.orElse(base, () => HttpServerRequest.toURL(request)).pipe(
      Option.exists(({ protocol }) => protocol === "https:")
    ),
    path: Option.match(base, { onNone: () => "/", onSome: ({ pathname }) => pathname })
  }
}
