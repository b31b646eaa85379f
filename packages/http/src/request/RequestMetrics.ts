/**
 * The metrics of every request: counted and timed by its route, as a span, and as a line of the log.
 *
 * Labels and names hold routes (`/v1/ci/:owner/…`), never what was sent: neither tokens, nor names, nor query strings.
 */
import { Clock, Context, Effect, Exit, LogLevel, Metric, Option, References, Tracer } from "effect"
import { HttpServerRequest, type HttpServerResponse, HttpTraceContext } from "effect/http"

/**
 * The measured fields of a request.
 *
 * **Details**
 *
 * `route` is the path of the route as it is declared; null where none has the path of the request.
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
 */
export const observe = <E, R>(app: Answering<E, R>, seen: Seen): Answering<E, R> =>
  Effect.contextWith((context: Context.Context<never>) => {
    const clock = Context.get(context, Clock.Clock)
    const started = clock.monotonicTimeNanosUnsafe()
    running.modifyUnsafe(1, context)
    const traces = Context.get(context, Tracer.Tracer) !== Tracer.nativeTracer && !untraced.has(seen.route ?? "")
    const counted = Effect.onExit(traces ? traced(app, seen) : app, (exit) => {
      const ended = { seen, status: statusOf(exit), nanoseconds: clock.monotonicTimeNanosUnsafe() - started }
      count(ended, context)
      return isLogged(context) ? log(ended) : Effect.void
    })
    const annotations = Context.get(context, References.CurrentLogAnnotations)
    const { request, requestId } = seen
    return Effect.provideService(counted, References.CurrentLogAnnotations, {
      ...annotations,
      requestId,
      method: request.method,
      path: pathOf(request)
    })
  })

type Answering<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/** The path of a request without its query. */
export const pathOf = ({ url }: HttpServerRequest.HttpServerRequest): string => {
  const end = url.indexOf("?")
  return end === -1 ? url : url.slice(0, end)
}

const running = Metric.gauge("lazaret_http_requests_running", { description: "Requests that are being answered." })

const requests = Metric.counter("lazaret_http_requests_total", {
  description: "Requests that were answered, by route, method and status.",
  incremental: true
})

const durations = Metric.histogram("lazaret_http_request_duration_seconds", {
  description: "How long answers took, by route and method.",
  boundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
})

interface Ended {
  readonly seen: Seen
  readonly status: string
  readonly nanoseconds: bigint
}

/** Every request passes here: what is counted is looked up once for each route, method and status. */
const count = ({ nanoseconds, seen, status }: Ended, context: Context.Context<never>): void => {
  running.modifyUnsafe(-1, context)
  const { count: counter, duration } = seriesOf(labelsOf(seen, status), status, context)
  counter.updateUnsafe(1, context)
  duration.updateUnsafe(Number(nanoseconds) / 1e9, context)
}

interface Labels {
  readonly route: string
  readonly method: string
}

/** The dashboard takes what no other route has. */
const labelsOf = ({ request, route }: Seen, status: string): Labels => ({
  route: route ?? (status === "404" || status === "405" ? "unknown" : "/*"),
  method: methods.has(request.method) ? request.method : "other"
})

interface Series {
  readonly count: Metric.Metric<number, unknown>
  readonly duration: Metric.Metric<number, unknown>
}

/** The series of each registry of metrics: a process may hold several servers. */
const registries = new WeakMap<object, Map<string, Series>>()

const faults: ReadonlyArray<string> = ["500", "503"]

/** There are as many as routes, methods and statuses. */
const seriesOf = (labels: Labels, status: string, context: Context.Context<never>): Series => {
  const key = `${labels.method} ${labels.route} ${status}`
  const registry = Context.get(context, Metric.MetricRegistry)
  const series = registries.get(registry) ?? new Map<string, Series>()
  registries.set(registry, series)
  const known = series.get(key)
  if (known !== undefined) return known
  const made = {
    count: Metric.withAttributes(requests, { ...labels, status }),
    duration: Metric.withAttributes(durations, { ...labels })
  }
  series.set(key, made)
  // Prometheus sees the first fault of a route only as a step from 0.
  for (const fault of faults) {
    Metric.withAttributes(requests, { ...labels, status: fault }).updateUnsafe(0, context)
  }
  return made
}

const isLogged = (context: Context.Context<never>): boolean =>
  LogLevel.isLessThanOrEqualTo(Context.get(context, References.MinimumLogLevel), "Debug")

const log = ({ nanoseconds, seen, status }: Ended): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logDebug("Answered a request"), {
    route: labelsOf(seen, status).route,
    status,
    milliseconds: Math.round(Number(nanoseconds) / 1e6)
  })

/** Anybody can make up a method; a label must not grow by that. */
const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

const statusOf = (exit: Exit.Exit<HttpServerResponse.HttpServerResponse, unknown>): string =>
  Exit.isSuccess(exit) ? String(exit.value.status) : "aborted"

const traced = <E, R>(app: Answering<E, R>, { request, requestId, route }: Seen): Answering<E, R> =>
  app.pipe(
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

/** Requests of machines every few seconds, which have no span. */
const untraced: ReadonlySet<string> = new Set(["/health/live", "/health/ready", "/metrics"])
