/**
 * The server as a layer: the stores, the use cases over them, the HTTP interface over those, and a port to listen on.
 */
import { createServer, type ServerResponse } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Http, HttpConfig } from "@lazaret/http"
import {
  Automation,
  Deliveries,
  HostingPlatform,
  Keys,
  Retention,
  RetentionDays,
  Services,
  SignInCodes
} from "@lazaret/services"
import { folder as dashboard } from "@lazaret/web"
import { Effect, Layer, Option, type Redacted } from "effect"
import { FetchHttpClient, HttpMiddleware, HttpRouter, HttpServer } from "effect/http"
import * as ClientError from "./ClientError.ts"
import * as EventRequests from "./EventRequests.ts"
import * as GitHub from "./GitHub.ts"
import * as ProcessGauges from "./ProcessGauges.ts"
import type { Settings } from "./Settings.ts"
import * as Storage from "./Storage.ts"
import * as Telemetry from "./Telemetry.ts"

/**
 * A server that listens, with its first admin key registered; provides its address as `HttpServer`, and the codes that
 * sign people in to its dashboard.
 *
 * **Details**
 *
 * When the layer is released the server takes no more requests and finishes those that are running, for as long as the
 * settings allow; then storage is closed. While `isStopping` is true the server is not ready.
 */
export const layer = (
  settings: Settings,
  adminKey: Redacted.Redacted,
  isStopping: Effect.Effect<boolean> = Effect.succeed(false)
) =>
  served(settings).pipe(
    Layer.provideMerge(listener(settings)),
    Layer.provide(registration(settings, adminKey)),
    Layer.provide([Automation.layerRounds, Deliveries.layerRounds, Retention.layerRounds]),
    Layer.provide(Services.layer),
    Layer.provide(EventRequests.layer),
    // The same ones that the services above hold: a layer is built once.
    Layer.provideMerge(SignInCodes.layer),
    Layer.provide([Storage.layer(settings.storage), hostingPlatform(settings)]),
    Layer.provide([configuration(settings, isStopping), retentionDays(settings), ProcessGauges.layer]),
    Layer.provide(Telemetry.layer(settings))
  )

const retentionDays = (settings: Settings) => Layer.succeed(RetentionDays, settings.retentionDays)

const hostingPlatform = ({ gitHubApiUrl }: Settings) =>
  gitHubApiUrl === null ? HostingPlatform.layerOff : Layer.provide(GitHub.layer(gitHubApiUrl), FetchHttpClient.layer)

const options = { routerConfig: Http.routerConfig, disableLogger: true, disableListenLog: true }

/** Of forwarded headers only those of known proxies count: anybody else could claim to be anyone. */
const served = ({ trustedProxies }: Settings) =>
  trustedProxies === null
    ? HttpRouter.serve(Http.layer, options)
    : HttpRouter.serve(Http.layer, { ...options, middleware: HttpMiddleware.xForwardedHeaders({ trustedProxies }) })

/** What still runs when the time to finish is over would keep the server from closing: its connections are cut. */
const listener = ({ host, port, shutdownSeconds }: Settings) =>
  Layer.unwrap(
    Effect.sync(() => {
      const server = httpServer()
      const cut = Layer.effectDiscard(Effect.addFinalizer(() => Effect.sync(() => server.closeAllConnections())))
      const gracefulShutdownTimeout = `${shutdownSeconds} seconds` as const
      return Layer.provideMerge(
        cut,
        NodeHttpServer.layer(() => server, { host, port, gracefulShutdownTimeout })
      )
    })
  )

/** A closing server waits for the connections that were busy; once they are idle, that would be for nothing. */
const httpServer = () => {
  const server = createServer({ maxHeaderSize: Http.maxHeaderSize })
  const closeIdle = () => {
    if (!server.listening) server.closeIdleConnections()
  }
  const onRequest = (_: unknown, response: ServerResponse) => {
    response.once("close", () => setImmediate(closeIdle))
  }
  // A request that asks before it sends its body is announced as the other event.
  return ClientError.answer(server.on("request", onRequest).on("checkContinue", onRequest))
}

/**
 * Whoever sets another key means the one before to be good for nothing. A key that was made replaces others only in a
 * storage of this server's own: servers that share a database may each have made theirs.
 */
const registration = ({ adminKey: set, storage }: Settings, adminKey: Redacted.Redacted) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const keys = yield* Keys
      const isInForce = yield* keys.start(adminKey, { replaces: Option.isSome(set) || storage._tag !== "Postgres" })
      if (!isInForce) yield* Effect.logWarning(revokedKey)
    })
  )

const revokedKey =
  "The admin key that this server was started with is revoked, and stays so. Use another admin key, or start the server " +
  "with another value of LAZARET_ADMIN_KEY (without one: remove the file admin-key from the data folder)."

const configuration = (
  { gitHubWebhookSecret, metricsToken, publicUrl, rateLimit }: Settings,
  isStopping: Effect.Effect<boolean>
) =>
  Layer.effect(
    HttpConfig,
    Effect.map(HttpConfig, (defaults) => ({
      ...defaults,
      publicUrl: Option.fromNullOr(publicUrl),
      gitHubWebhookSecret,
      dashboard: Option.some(dashboard),
      isStopping,
      rateLimit: rateLimit === 0 ? Option.none() : Option.some(rateLimit),
      metricsToken: Option.fromNullOr(metricsToken)
    }))
  )

/** The address of a running server, as this machine reaches it. */
export const urlOf = (server: HttpServer.HttpServer["Service"]): string =>
  HttpServer.formatAddress(server.address).replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")
