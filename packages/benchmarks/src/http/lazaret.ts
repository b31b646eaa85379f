/**
 * The whole service with made-up data, as a process of its own: over a new memory, or over the PostgreSQL database at the URL
 * in its argument. Says its port when it listens.
 */
import "effect/schema/SchemaJITCompiler/enable"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { NodeHttpServer } from "@effect/platform-node"
import { Http } from "@lazaret/http"
import { HostingPlatform, Ingestion, KeyRegistry, Quarantines, Services } from "@lazaret/services"
import { MemoryStores } from "@lazaret/store"
import { PostgresStores } from "@lazaret/store-postgres"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { HttpRouter } from "effect/http"
import { quarantinedTests, ref, reports, secret } from "./data.ts"

const fill = Effect.gen(function* () {
  const ingestion = yield* Ingestion
  const quarantines = yield* Quarantines
  yield* (yield* KeyRegistry).register({ name: "benchmark", owner: null, scope: "admin" }, Redacted.make(secret))
  for (const report of reports(Date.now())) yield* ingestion.record(ref, report)
  for (const testName of quarantinedTests) {
    yield* quarantines.create(ref, { testName, reason: "flaky", branch: null, source: "manual", by: "benchmark" })
  }
})

const [url] = process.argv.slice(2)

const stores = url === undefined ? MemoryStores.layer : PostgresStores.layer({ url: Redacted.make(url) })

const services = Services.layer.pipe(Layer.provide(Layer.mergeAll(stores, HostingPlatform.layerOff)))

const server = createServer({ maxHeaderSize: Http.maxHeaderSize })

const main = Layer.effectDiscard(fill).pipe(
  Layer.provideMerge(
    HttpRouter.serve(Http.layer, { routerConfig: Http.routerConfig, disableLogger: true, disableListenLog: true })
  ),
  Layer.provideMerge(NodeHttpServer.layer(() => server, { port: 0, host: "127.0.0.1" })),
  Layer.provideMerge(services)
)

const runtime = ManagedRuntime.make(main)
await runtime.context()
// A server that listens on a port has an address with a port.
process.send?.({ port: (server.address() as AddressInfo).port })
process.on("message", () => process.send?.(process.cpuUsage()))
process.on("disconnect", () => void runtime.dispose().finally(() => process.exit()))
