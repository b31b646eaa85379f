/**
 * The server as a layer: the stores, the use cases over them, the HTTP interface over those, and a port to listen on.
 *
 * @since 0.1.0
 */
import { createServer, type ServerResponse } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Http, HttpConfig } from "@lazaret/http"
import { HostingPlatform, Keys, Services, SignInCodes } from "@lazaret/services"
import { folder as dashboard } from "@lazaret/web"
import { Effect, Layer, Option, type Redacted } from "effect"
import { FetchHttpClient, HttpRouter, HttpServer } from "effect/http"
import * as GitHub from "./GitHub.ts"
import type { Settings } from "./Settings.ts"
import * as Storage from "./Storage.ts"

/**
 * A server that listens, with its first admin key registered; provides its address as `HttpServer`, and the codes that
 * sign people in to its dashboard.
 *
 * **Details**
 *
 * When the layer is released the server takes no more requests and finishes those that are running, for up to ten
 * seconds; then storage is closed.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (settings: Settings, adminKey: Redacted.Redacted) =>
  HttpRouter.serve(Http.layer, { routerConfig: Http.routerConfig, disableLogger: true, disableListenLog: true }).pipe(
    Layer.provideMerge(listener(settings)),
    Layer.provide(registration(adminKey)),
    Layer.provide(Services.layer),
    // The same ones that the services above hold: a layer is built once.
    Layer.provideMerge(SignInCodes.layer),
    Layer.provide([Storage.layer(settings.storage), hostingPlatform(settings)]),
    Layer.provide(configuration(settings))
  )

const hostingPlatform = ({ gitHubApiUrl }: Settings) =>
  gitHubApiUrl === null ? HostingPlatform.layerOff : Layer.provide(GitHub.layer(gitHubApiUrl), FetchHttpClient.layer)

const listener = ({ host, port }: Settings) =>
  NodeHttpServer.layer(httpServer, { host, port, gracefulShutdownTimeout: "10 seconds" })

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
  return server.on("request", onRequest).on("checkContinue", onRequest)
}

const registration = (adminKey: Redacted.Redacted) =>
  Layer.effectDiscard(
    Effect.flatMap(Keys, (keys) => keys.register({ name: "first admin key", owner: null, scope: "admin" }, adminKey))
  )

const configuration = ({ gitHubWebhookSecret, publicUrl }: Settings) =>
  Layer.effect(
    HttpConfig,
    Effect.map(HttpConfig, (defaults) => ({
      ...defaults,
      publicUrl: Option.fromNullOr(publicUrl),
      gitHubWebhookSecret,
      dashboard: Option.some(dashboard)
    }))
  )

/**
 * The address of a running server, as this machine reaches it.
 *
 * @category accessors
 * @since 0.1.0
 */
export const urlOf = (server: HttpServer.HttpServer["Service"]): string =>
  HttpServer.formatAddress(server.address).replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")
