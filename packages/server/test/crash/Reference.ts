/** Lazaret in memory, in this process: what the server that was killed must not differ from. */
import { Http, HttpConfig } from "@lazaret/http"
import { HostingPlatform, KeyRegistry, Services } from "@lazaret/services"
import { MemoryStores, type Stores } from "@lazaret/store"
import { type Context, Effect, Layer, Logger, ManagedRuntime, Redacted } from "effect"
import { HttpRouter } from "effect/http"
import type { Upload } from "./Plan.ts"

export interface Reference extends AsyncDisposable {
  readonly record: (upload: Upload) => Promise<void>
  /** The body of an answer to GET. */
  readonly get: (path: string) => Promise<string>
  readonly stores: Context.Context<Stores.Stores>
}

/** Empty, and knows the key. */
export const make = async (token: string): Promise<Reference> => {
  const app = Services.layer.pipe(
    Layer.provideMerge(MemoryStores.layer),
    Layer.provideMerge(HostingPlatform.layerOff),
    Layer.provideMerge(Logger.layer([]))
  )
  const runtime = ManagedRuntime.make(app)
  const settings = Layer.effect(HttpConfig, HttpConfig)
  const web = HttpRouter.toWebHandler(Http.layer.pipe(Layer.provide(settings), Layer.provideMerge(app)), {
    memoMap: runtime.memoMap,
    routerConfig: Http.routerConfig,
    disableLogger: true
  })
  await runtime.runPromise(
    KeyRegistry.use((keys) => keys.register({ name: "k", owner: null, scope: "admin" }, Redacted.make(token)))
  )
  const context = await runtime.context()
  const send = async (path: string, init: RequestInit = {}): Promise<string> => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/xml" }
    const response = await web.handler(new Request(`http://memory${path}`, { ...init, headers }), context)
    const text = await response.text()
    if (!response.ok) throw new Error(`memory answers ${response.status} to ${path}: ${text}`)
    return text
  }
  return {
    record: async (upload) => {
      const query = new URLSearchParams(upload.query)
      const path = `/v1/ci/acme/repositories/${upload.repository}/reports?${query}`
      await send(path, { method: "POST", body: upload.body })
    },
    get: (path) => send(path),
    stores: context,
    [Symbol.asyncDispose]: async () => {
      await web.dispose()
      await runtime.dispose()
    }
  }
}

/** Everything that a run leaves behind in one store, by test name: for the comparison with another. */
export const within = <A, E>(stores: Context.Context<Stores.Stores>, effect: Effect.Effect<A, E, Stores.Stores>) =>
  Effect.runPromise(Effect.provideContext(effect, stores))
