/**
 * The whole service over a store, as a process of its own: over a new memory, or over the PostgreSQL database at the URL in
 * its argument. Says its port when it listens, and at each message the longest stretch of its event loop since the last one.
 */
import "effect/schema/SchemaJITCompiler/enable"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { NodeHttpServer } from "@effect/platform-node"
import { Http } from "@lazaret/http"
import { HostingPlatform, KeyRegistry, Services } from "@lazaret/services"
import { MemoryStores } from "@lazaret/store"
import { PostgresStores } from "@lazaret/store-postgres"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { HttpRouter } from "effect/http"
import { secret } from "../http/data.ts"
import * as Sampler from "./Sampler.ts"

const [url] = process.argv.slice(2)

const stores = url === undefined ? MemoryStores.layer : PostgresStores.layer({ url: Redacted.make(url) })

const key = Effect.flatMap(KeyRegistry, (keys) =>
  keys.register({ name: "benchmark", owner: null, scope: "admin" }, Redacted.make(secret))
)

const server = createServer({ maxHeaderSize: Http.maxHeaderSize })

const main = Layer.effectDiscard(key).pipe(
  Layer.provideMerge(
    HttpRouter.serve(Http.layer, { routerConfig: Http.routerConfig, disableLogger: true, disableListenLog: true })
  ),
  Layer.provideMerge(NodeHttpServer.layer(() => server, { port: 0, host: "127.0.0.1" })),
  Layer.provideMerge(Services.layer),
  Layer.provide(Layer.mergeAll(stores, HostingPlatform.layerOff))
)

const runtime = ManagedRuntime.make(main)
await runtime.context()
const sampler = Sampler.start()
process.on("message", () => process.send?.(sampler.take()))
process.on("disconnect", () => void runtime.dispose().finally(() => process.exit()))
// A server that listens on a port has an address with a port.
process.send?.({ port: (server.address() as AddressInfo).port })
