import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { LazaretClient } from "@lazaret/api"
import { Http } from "@lazaret/http"
import { HostingPlatform, KeyRegistry, Services } from "@lazaret/services"
import { MemoryStores } from "@lazaret/store"
import { Effect, Layer, Redacted } from "effect"
import { FetchHttpClient, HttpRouter, HttpServer } from "effect/http"

/** The HTTP interface inside a program of your own. With a server that runs already, all you need is its URL and a key. */
const server = HttpRouter.serve(Http.layer, {
  routerConfig: Http.routerConfig,
  disableLogger: true,
  disableListenLog: true
}).pipe(
  Layer.provideMerge(
    NodeHttpServer.layer(() => createServer({ maxHeaderSize: Http.maxHeaderSize }), { host: "127.0.0.1", port: 0 })
  ),
  Layer.provideMerge(Services.layer),
  Layer.provide([MemoryStores.layer, HostingPlatform.layerOff])
)

const params = { owner: "acme", repository: "widgets" }

const ask = Effect.gen(function* () {
  const client = yield* LazaretClient
  const unknown = yield* Effect.flip(client.searchTests({ params, query: {} }))
  console.log(`before anything is known: ${unknown._tag}`)

  const { id } = yield* client.createQuarantine({ params, payload: { test_name: "Cart.sorts", reason: "flaky" } })
  const { body } = yield* client.listQuarantines({ params, query: {} })
  for (const each of body.quarantined_tests) {
    console.log(`${each.test_name}, ${each.source}, because "${each.reason}", recovered: ${each.is_recovered}`)
  }
  yield* client.deleteQuarantine({ params: { ...params, quarantine_id: id } })
  const gone = yield* Effect.flip(client.getQuarantine({ params: { ...params, quarantine_id: id } }))
  console.log(`released; asked for again: ${gone._tag}`)
})

const program = Effect.gen(function* () {
  const keys = yield* KeyRegistry
  const { secret } = yield* keys.issue({ name: "an example", owner: "acme", scope: "ci" })
  console.log(`a key such as ${Redacted.value(secret).slice(0, 7)}…`)
  const url = HttpServer.formatAddress((yield* HttpServer.HttpServer).address)
  const client = LazaretClient.layer({ url, token: secret }).pipe(Layer.provide(FetchHttpClient.layer))
  yield* Effect.provide(ask, client)
})

await Effect.runPromise(Effect.provide(program, server))
