/** A server in this process that computes causes and costs at once, and missing tests after seconds: the server of the other tests first collects reports for minutes. */
import { Server, Settings } from "@lazaret/server"
import { Context, Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { HttpServer } from "effect/http"
import { key } from "./visit.ts"

/** The pace of causes by its name: this package does not depend on the services. */
const CausePace = Context.Service<{ readonly pause: number; readonly rest: number; readonly every: number }>(
  "@lazaret/services/CausePace"
)

/** The pace of costs, in the same way. */
const CostPace = Context.Service<{ readonly pause: number; readonly rest: number; readonly every: number }>(
  "@lazaret/services/CostPace"
)

/** The pace of the search for missing tests, in the same way: after a pause in which all reports of a test arrive. */
const MissingPace = Context.Service<{ readonly pause: number; readonly rest: number; readonly every: number }>(
  "@lazaret/services/MissingPace"
)

/** Starts a server in memory on a free port, and yields its address and the function that stops it. */
export const start = async () => {
  const settings: Settings.Settings = {
    ...Settings.defaults,
    port: 0,
    storage: { _tag: "Memory" },
    dataFolder: "unused"
  }
  const runtime = ManagedRuntime.make(
    Server.layer(settings, Redacted.make(key)).pipe(
      Layer.provide([
        Layer.succeed(CausePace, { pause: 0, rest: 0, every: 50 }),
        Layer.succeed(CostPace, { pause: 0, rest: 0, every: 50 }),
        Layer.succeed(MissingPace, { pause: 6_000, rest: 0, every: 50 })
      ])
    )
  )
  const url = await runtime.runPromise(HttpServer.HttpServer.use((server) => Effect.succeed(Server.urlOf(server))))
  return { url, stop: () => runtime.dispose() }
}
