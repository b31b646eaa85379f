/** The adapter that sends events to receivers: one signed POST, without redirects, in bounded time. */
import { Schemas } from "@lazaret/api"
import { type Delivery, DeliveryFailure, EventSender } from "@lazaret/services"
import { type Cause, Effect, Layer, type Scope } from "effect"
import { FetchHttpClient, HttpClient, type HttpClientError, HttpClientRequest } from "effect/http"
import * as StandardWebhooks from "./StandardWebhooks.ts"

/** The time limit of one delivery. */
export const timeout = "10 seconds"

/** Sends events with the system's own HTTP client. */
export const layer: Layer.Layer<never> = Layer.effect(
  EventSender,
  Effect.map(HttpClient.HttpClient, (client) => {
    // Closing the scope closes the connection, so that a receiver that never ends its answer does not hold it.
    const scoped = HttpClient.withScope(client)
    return { send: (delivery: Delivery) => send(scoped, delivery) }
  })
).pipe(
  Layer.provide(FetchHttpClient.layer),
  // A receiver must not direct the server to another address.
  Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" }))
)

const send = (
  { execute }: HttpClient.HttpClient.With<HttpClientError.HttpClientError, Scope.Scope>,
  { event, id, secret, sentAt, url }: Delivery
) => {
  const body = Schemas.eventJson(event)
  const headers = StandardWebhooks.headers({ id, secret, sentAt, body })
  return execute(
    HttpClientRequest.post(url, { headers }).pipe(HttpClientRequest.bodyText(body, "application/json"))
  ).pipe(
    Effect.scoped,
    Effect.timeout(timeout),
    Effect.mapError((error) => new DeliveryFailure({ message: reasonOf(error) })),
    Effect.flatMap(({ status }) =>
      status >= 200 && status < 300
        ? Effect.void
        : Effect.fail(new DeliveryFailure({ message: `the receiver answered with status ${status}` }))
    )
  )
}

const reasonOf = (error: HttpClientError.HttpClientError | Cause.TimeoutError): string =>
  error._tag === "TimeoutError"
    ? "no answer within ten seconds"
    : `the receiver cannot be reached${detailOf(codeOf(error))}`

const detailOf = (code: string): string => {
  if (code === "ECONNREFUSED") return ": the connection was refused"
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return ": its name cannot be resolved"
  return /SSL|TLS|CERT|SIGNATURE|EPROTO/.test(code) ? ": TLS fails, or its certificate is not trusted" : ""
}

/** The error code of the system, which is nested in the causes. */
const codeOf = (error: unknown): string => {
  if (typeof error !== "object" || error === null) return ""
  if ("code" in error && typeof error.code === "string") return error.code
  const inner = "cause" in error ? error.cause : "reason" in error ? error.reason : null
  return codeOf(inner)
}
