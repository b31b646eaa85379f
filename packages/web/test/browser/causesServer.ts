/** A server of this process that computes causes at once; the one of all tests collects reports for minutes before. */
import { Server, Settings } from "@lazaret/server"
import { Context, Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { HttpServer } from "effect/http"
import { key } from "./visit.ts"

/** The pace of causes by its name: this package does not depend on the services. */
const CausePace = Context.Reference("@lazaret/services/CausePace", {
  defaultValue: () => ({ pause: 0, rest: 0, every: 50 })
})

/** Starts a server in memory on a free port: its address, and what ends it. */
export const start = async () => {
  const settings: Settings.Settings = {
    ...Settings.defaults,
    port: 0,
    storage: { _tag: "Memory" },
    dataFolder: "unused"
  }
  const runtime = ManagedRuntime.make(
    Server.layer(settings, Redacted.make(key)).pipe(
      Layer.provide(Layer.succeed(CausePace, { pause: 0, rest: 0, every: 50 }))
    )
  )
  const url = await runtime.runPromise(HttpServer.HttpServer.use((server) => Effect.succeed(Server.urlOf(server))))
  return { url, stop: () => runtime.dispose() }
}
