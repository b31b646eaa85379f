/** `/metrics`: what the server counts and measures, in the text format of Prometheus (docs/reference/metrics.md). */
import { createHash, timingSafeEqual } from "node:crypto"
import { Problem } from "@lazaret/api"
import { Effect, Layer, Option, Redacted } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { HttpConfig } from "../request/HttpConfig.ts"
import * as Pages from "../response/Pages.ts"

/**
 * The route.
 *
 * **Details**
 *
 * It answers callers on the machine itself that no proxy has sent, and those that present the token of `HttpConfig` as
 * `Authorization: Bearer`. All others are 403: how busy a server is, and with what, is not for everyone. A caller on the
 * machine must name it by a loopback address or `localhost`: a proxy passes the name of the server on, and a web page that
 * rebinds its own name to a loopback address sends that name.
 */
export const layer = Layer.unwrap(
  Effect.map(HttpConfig, ({ metricsToken }) =>
    HttpRouter.add(
      "GET",
      Pages.paths.metrics,
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const mayRead = isOfThisMachine(request) || Option.exists(metricsToken, presentedBy(request))
        if (!mayRead) return yield* Effect.orDie(HttpServerRespondable.toResponse(forbidden))
        return HttpServerResponse.text(yield* PrometheusMetrics.format(), {
          contentType: "text/plain; version=0.0.4; charset=utf-8"
        })
      })
    )
  )
)

const isOfThisMachine = ({ headers, peerAddress }: HttpServerRequest.HttpServerRequest): boolean =>
  Option.exists(peerAddress, (address) => /^(?:::ffff:)?127\.|^::1$/u.test(address)) &&
  /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/iu.test(headers["host"] ?? "") &&
  ["forwarded", "x-forwarded-for", "x-real-ip", "via"].every((name) => headers[name] === undefined)

const presentedBy =
  ({ headers }: HttpServerRequest.HttpServerRequest) =>
  (token: Redacted.Redacted): boolean =>
    timingSafeEqual(digest(headers["authorization"] ?? ""), digest(`Bearer ${Redacted.value(token)}`))

const digest = (text: string): Uint8Array => createHash("sha256").update(text).digest()

const forbidden = new Problem.Forbidden({
  detail: "Ask from the machine of the server itself, or send `Authorization: Bearer` with its LAZARET_METRICS_TOKEN."
})
