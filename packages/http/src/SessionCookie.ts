/**
 * The cookie of the dashboard: a further way to present an application key.
 *
 * It holds the key itself, so that several processes need no common memory and a revoked key ends its sessions at once.
 * Scripts cannot read it, and it counts only for requests that pages of this server make.
 */
import { Effect, Option, Redacted } from "effect"
import { HttpEffect, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpConfig } from "./HttpConfig.ts"

/** The name of the cookie. */
export const name = "lazaret_session"

/**
 * Uses the cookie when the request has no `Authorization` header.
 *
 * **Details**
 *
 * For `POST`, `PUT`, `PATCH` and `DELETE` the request must come from a page of this server: the browser says so by
 * `Sec-Fetch-Site: same-origin`, or where it sends no such header, by an `Origin` that is the server's. Else the cookie
 * is as good as not there. `SameSite=Strict` keeps it from requests of other sites in the first place.
 */
export const layer = HttpRouter.middleware(
  Effect.map(
    HttpConfig,
    ({ publicUrl }) =>
      (app) =>
        Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
          // Nearly all requests are those of programs: they are passed on as they came.
          if (request.headers["cookie"] === undefined || request.headers["authorization"] !== undefined) return app
          const key = request.cookies[name]
          if (key === undefined || key === "" || !isOurs(request, publicUrl)) return app
          const signed = request.modify({ headers: { ...request.headers, authorization: `Bearer ${key}` } })
          return Effect.provideService(app, HttpServerRequest.HttpServerRequest, signed)
        })
  ),
  { global: true }
)

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
export const set = (key: Redacted.Redacted) => place(Redacted.value(key), "30 days")

/** Removes the cookie with the answer to the current request. */
export const remove = Effect.suspend(() => place("", "0 seconds"))

const place = Effect.fnUntraced(function* (value: string, maxAge: "30 days" | "0 seconds") {
  const { publicUrl } = yield* HttpConfig
  // A pre-response handler gets the request as it came, without the protocol that a trusted proxy forwards.
  const request = yield* HttpServerRequest.HttpServerRequest
  const base = Option.map(publicUrl, (url) => new URL(url))
  yield* HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.orDie(
      HttpServerResponse.setCookie(response, name, value, {
        httpOnly: true,
        sameSite: "strict",
        secure: Option.orElse(base, () => HttpServerRequest.toURL(request)).pipe(
          Option.exists(({ protocol }) => protocol === "https:")
        ),
        path: Option.match(base, { onNone: () => "/", onSome: ({ pathname }) => pathname }),
        maxAge
      })
    )
  )
})
