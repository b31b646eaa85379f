/** Events on their way to receivers: one POST, without redirects, in bounded time. */
import { DeliveryFailure, type EventRequest, EventSender } from "@lazaret/services"
import { type Cause, Effect, Layer, type Scope } from "effect"
import { FetchHttpClient, HttpClient, type HttpClientError, HttpClientRequest } from "effect/http"

/** So long may a receiver take. */
export const timeout = "10 seconds"

/** Sends events with the system's own HTTP client. */
export const layer: Layer.Layer<never> = Layer.effect(
  EventSender,
  Effect.map(HttpClient.HttpClient, (client) => {
    // The answer ends with the attempt: a receiver that never finishes its answer would hold a connection for good.
    const scoped = HttpClient.withScope(client)
    return { send: (request: EventRequest) => send(scoped, request) }
  })
).pipe(
  Layer.provide(FetchHttpClient.layer),
  // A receiver must not lead the server to another address.
  Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" }))
)

const send = (
  { execute }: HttpClient.HttpClient.With<HttpClientError.HttpClientError, Scope.Scope>,
  { body, headers, url }: EventRequest
) =>
  execute(HttpClientRequest.post(url, { headers }).pipe(HttpClientRequest.bodyText(body, "application/json"))).pipe(
    Effect.scoped,
    Effect.timeout(timeout),
    Effect.mapError((error) => new DeliveryFailure({ message: reasonOf(error) })),
    Effect.flatMap(({ status }) =>
      status >= 200 && status < 300
        ? Effect.void
        : Effect.fail(new DeliveryFailure({ message: `the receiver answered with status ${status}` }))
    )
  )

const reasonOf = (error: HttpClientError.HttpClientError | Cause.TimeoutError): string =>
  error._tag === "TimeoutError"
    ? "no answer within ten seconds"
    : `the receiver cannot be reached${detailOf(codeOf(error))}`

const detailOf = (code: string): string => {
  if (code === "ECONNREFUSED") return ": nobody listens there"
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return ": its name is not known"
  return /SSL|TLS|CERT|SIGNATURE|EPROTO/.test(code) ? ": TLS fails, or its certificate is not trusted" : ""
}

/** The system says what went wrong somewhere in the causes. */
const codeOf = (error: unknown): string => {
  if (typeof error !== "object" || error === null) return ""
  if ("code" in error && typeof error.code === "string") return error.code
  const inner = "cause" in error ? error.cause : "reason" in error ? error.reason : null
  return codeOf(inner)
}
