/** The adapter that sends events to receivers: one signed POST, without redirects, in bounded time. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Schemas } from "@lazaret/api"
import { type Delivery, DeliveryFailure, EventSender } from "@lazaret/services"
import { type Cause, Effect, Layer } from "effect"
import { HttpClient, type HttpClientError, HttpClientRequest } from "effect/http"
import * as PublicAddress from "./PublicAddress.ts"
import * as StandardWebhooks from "./StandardWebhooks.ts"

/** The time limit of one delivery. */
const timeout = "10 seconds"

/** The receivers that are reached: every one, or those with a public address. */
export type Reach = "any" | "public"

/**
 * Sends events to receivers.
 *
 * **Details**
 *
 * With `public`, a receiver on this machine or in a private network is not reached. The address is checked when the
 * connection is made, so that a name cannot get another one after a check.
 */
export const layer = (reach: Reach = "any"): Layer.Layer<never> =>
  Layer.effect(
    EventSender,
    Effect.map(HttpClient.HttpClient, (client) => {
      const post = poster(client, reach)
      return { send: (delivery: Delivery) => post(requestOf(delivery)) }
    })
    // This client follows no redirect: a receiver must not direct the server to another address.
  ).pipe(
    Layer.provide(
      NodeHttpClient.layerUndiciOptions(reach === "public" ? { connect: { lookup: PublicAddress.lookupPublic } } : {})
    )
  )

/**
 * Sends requests to receivers: accepted is a status of success within the time limit. A failure has no address in it.
 *
 * The client follows no redirect and, with the reach `public`, looks names up with `PublicAddress.lookupPublic`.
 */
export const poster = (client: HttpClient.HttpClient, reach: Reach) => {
  // Closing the scope closes the connection, so that a receiver that never ends its answer does not hold it.
  const { execute } = HttpClient.withScope(client)
  return (request: HttpClientRequest.HttpClientRequest): Effect.Effect<void, DeliveryFailure> => {
    if (reach === "public" && PublicAddress.isRefusedHost(request.url)) {
      return Effect.fail(new DeliveryFailure({ message: notPublic }))
    }
    return execute(request).pipe(
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
}

const requestOf = ({ event, id, secret, sentAt, url }: Delivery): HttpClientRequest.HttpClientRequest => {
  const body = Schemas.eventJson(event)
  const headers = StandardWebhooks.headers({ id, secret, sentAt, body })
  return HttpClientRequest.post(url, { headers }).pipe(HttpClientRequest.bodyText(body, "application/json"))
}

const notPublic = "the receiver has no public address, and LAZARET_WEBHOOK_TARGETS is public"

const reasonOf = (error: HttpClientError.HttpClientError | Cause.TimeoutError): string =>
  error._tag === "TimeoutError"
    ? "no answer within ten seconds"
    : codeOf(error) === PublicAddress.refused
      ? notPublic
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
