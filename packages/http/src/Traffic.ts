/**
 * What is seen of every request from outside: counted and timed by its route, as a span, and as a line of the log.
 *
 * Labels and names hold routes (`/v1/ci/:owner/…`), never what was sent: neither tokens, nor names, nor query strings.
 *
 * @since 0.1.0
 */
import { Effect, Exit, Metric, Option, Tracer } from "effect"
import { HttpServerRequest, type HttpServerResponse, HttpTraceContext } from "effect/http"

/**
 * What of a request is told.
 *
 * **Details**
 *
 * `route` is the path of the route as it is declared; null where none has the path of the request.
 *
 * @category models
 * @since 0.1.0
 */
export interface Seen {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly route: string | null
  readonly requestId: string
}

/**
 * Counts, times, traces and logs the answer to a request.
 *
 * **Details**
 *
 * - The log has a line per request at level debug: a proxy usually keeps such a log already.
 * - A request whose client went away counts with status `aborted`.
 * - Spans continue the trace of the caller (`traceparent`). Without an exporter of traces none are made.
 *
 * @category operations
 * @since 0.1.0
 */
export const observe = <E, R>(app: Answering<E, R>, seen: Seen): Answering<E, R> =>
  Effect.clockWith((clock) => {
    const started = clock.monotonicTimeNanosUnsafe()
    const path = pathOf(seen.request)
    return Metric.modify(running, 1).pipe(
      Effect.andThen(traced(app, seen)),
      Effect.onExit((exit) => ended(seen, statusOf(exit), Number(clock.monotonicTimeNanosUnsafe() - started) / 1e9)),
      Effect.annotateLogs({ requestId: seen.requestId, method: seen.request.method, path })
    )
  })

type Answering<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/**
 * The path of a request without its query.
 *
 * @category accessors
 * @since 0.1.0
 */
export const pathOf = ({ url }: HttpServerRequest.HttpServerRequest): string => url.split("?", 1)[0] ?? ""

const running = Metric.gauge("lazaret_http_requests_running", { description: "Requests that are being answered." })

const requests = Metric.counter("lazaret_http_requests_total", {
  description: "Requests that were answered, by route, method and status.",
  incremental: true
})

const durations = Metric.histogram("lazaret_http_request_duration_seconds", {
  description: "How long answers took, by route and method.",
  boundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
})

const ended = Effect.fnUntraced(function* ({ request, route }: Seen, status: string, seconds: number) {
  // The dashboard takes what no other route has.
  const unnamed = status === "404" || status === "405" ? "unknown" : "/*"
  const labels = { route: route ?? unnamed, method: methods.has(request.method) ? request.method : "other" }
  yield* Metric.modify(running, -1)
  yield* Metric.update(Metric.withAttributes(requests, { ...labels, status }), 1)
  yield* Metric.update(Metric.withAttributes(durations, labels), seconds)
  yield* Effect.annotateLogs(Effect.logDebug("Answered a request"), {
    route: labels.route,
    status,
    milliseconds: Math.round(seconds * 1000)
  })
})

/** Anybody can make up a method; a label must not grow by that. */
const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

const statusOf = (exit: Exit.Exit<HttpServerResponse.HttpServerResponse, unknown>): string =>
  Exit.isSuccess(exit) ? String(exit.value.status) : "aborted"

const traced = <E, R>(app: Answering<E, R>, { request, requestId, route }: Seen): Answering<E, R> =>
  Effect.flatMap(Effect.tracer, (tracer) => {
    if (tracer === Tracer.nativeTracer || untraced.has(route ?? "")) return app
    return app.pipe(
      Effect.tap(({ status }) =>
        Effect.annotateCurrentSpan({
          "http.response.status_code": status,
          ...(status >= 500 ? { "error.type": String(status) } : {})
        })
      ),
      Effect.withSpan(`${request.method} ${route ?? "unknown"}`, {
        kind: "server",
        parent: Option.getOrUndefined(HttpTraceContext.fromHeaders(request.headers)),
        attributes: {
          "http.request.method": request.method,
          "http.route": route ?? "unknown",
          "lazaret.request_id": requestId
        }
      })
    )
  })

/** What machines ask every few seconds tells nothing. */
const untraced: ReadonlySet<string> = new Set(["/health/live", "/health/ready", "/metrics"])
