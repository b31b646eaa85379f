import { hash } from "node:crypto"
import { createServer, type IncomingMessage } from "node:http"
import { type AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { Report } from "@lazaret/domain"
import { JUnit } from "@lazaret/ingest"
import { HostingPlatform, Ingestion, Services, Tests } from "@lazaret/services"
import { MemoryStores } from "@lazaret/store"
import { Effect, Layer, ManagedRuntime } from "effect"

/** The one thing that knows Effect: the rest of this server calls two functions that return promises. */
const lazaret = ManagedRuntime.make(Services.layer.pipe(Layer.provide([MemoryStores.layer, HostingPlatform.layerOff])))

const widgets = { owner: "acme", repository: "widgets" }

const record = (commit: string, xml: string) =>
  lazaret.runPromise(
    Effect.gen(function* () {
      const { cases, warnings } = yield* Effect.fromResult(JUnit.parse(xml))
      const ingestion = yield* Ingestion
      const run = Report.contextOf({ pipelineName: "CI", jobName: "unit", branch: "main", commit })
      return yield* ingestion.record(widgets, { digest: hash("sha256", xml), run, cases, warnings })
    }).pipe(Effect.catchTag("ParseError", (error) => Effect.succeed({ refused: error.message })))
  )

const health = () =>
  lazaret.runPromise(
    Effect.gen(function* () {
      const tests = yield* Tests
      const { rows } = yield* tests.search(widgets, {})
      return Object.fromEntries(rows.map((row) => [row.testName, row.healthStatus]))
    })
  )

const answerTo = async (request: IncomingMessage): Promise<unknown> => {
  const url = new URL(request.url ?? "/", "http://localhost")
  return request.method === "POST" ? record(url.searchParams.get("commit") ?? "?", await text(request)) : health()
}

const server = createServer((request, response) => {
  answerTo(request).then(
    (answer) => response.end(JSON.stringify(answer)),
    (cause) => {
      console.error(cause)
      response.writeHead(500).end()
    }
  )
})
await new Promise<void>((resolve) => {
  server.listen(0, "127.0.0.1", resolve)
})

// What its users do.
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const report = `<testsuite><testcase classname="Cart" name="sorts"><failure type="AssertionError"/></testcase></testsuite>`
const show = async (response: Promise<Response>) => console.log(await (await response).text())
const recorded = await fetch(`${url}/reports?commit=4f1c`, { method: "POST", body: report })
console.log(`recorded ${((await recorded.json()) as { readonly recorded: number }).recorded}`)
await show(fetch(`${url}/health`))
await show(fetch(`${url}/reports?commit=4f1c`, { method: "POST", body: "<testsuite><testcase name=" }))

server.close()
await lazaret.dispose()
