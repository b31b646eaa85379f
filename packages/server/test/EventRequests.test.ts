import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { DeliveryFailure, EventSender, signature } from "@lazaret/services"
import { Effect } from "effect"
import { assert, describe, it } from "@effect/vitest"
import * as EventRequests from "../src/EventRequests.ts"

const secret = "a secret that is long"

/** A receiver on a port of its own. */
const receive = async (answer: (request: IncomingMessage, response: ServerResponse) => void) => {
  const got: Array<{ readonly url: string; readonly signature: string; readonly body: string; readonly time: number }> =
    []
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (part) => (body += part))
    request.on("end", () => {
      const { headers, url } = request
      const time = Number(headers["x-lazaret-timestamp"])
      got.push({ url: url ?? "", signature: String(headers["x-lazaret-signature-256"]), body, time })
      answer(request, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return { got, url: `http://127.0.0.1:${port}/hook`, close: () => server.close() }
}

const send = (url: string, body: string) =>
  Effect.gen(function* () {
    const { send: post } = yield* EventSender
    const headers = { "x-lazaret-timestamp": "5", "x-lazaret-signature-256": signature(secret, 5, body) }
    return yield* Effect.result(post({ url, headers, body }))
  }).pipe(Effect.provide(EventRequests.layer), Effect.runPromise)

describe("EventRequests", () => {
  it("a receiver gets the body as it was signed", async () => {
    const { close, got, url } = await receive((_, response) => response.writeHead(204).end())
    const sent = await send(url, `{"name":"\u{1f600}"}`)
    close()
    assert.strictEqual(sent._tag, "Success")
    assert.lengthOf(got, 1)
    const [first] = got
    assert.strictEqual(first?.body, `{"name":"\u{1f600}"}`)
    assert.strictEqual(first?.signature, signature(secret, first?.time ?? 0, first?.body ?? ""))
  })

  it("a status that is no success is a failure, and a redirect is not followed", async () => {
    const { close, got, url } = await receive((_, response) =>
      response.writeHead(302, { location: "/elsewhere" }).end()
    )
    const sent = await send(url, "{}")
    close()
    assert.deepStrictEqual(
      got.map((each) => each.url),
      ["/hook"]
    )
    assert.strictEqual(sent._tag, "Failure")
    if (sent._tag === "Failure") assert.instanceOf(sent.failure, DeliveryFailure)
  })

  it("a receiver that never ends its answer has taken the event, and holds no connection", async () => {
    const closed = Promise.withResolvers<void>()
    const { close, url } = await receive((request, response) => {
      request.socket.once("close", () => closed.resolve())
      response.writeHead(200)
      response.write("and")
    })
    const sent = await send(url, "{}")
    await closed.promise
    close()
    assert.strictEqual(sent._tag, "Success")
  })

  it("a receiver that cannot be reached is a failure that says why", async () => {
    const { close, url } = await receive(() => undefined)
    const why = async (target: string) => {
      const sent = await send(target, "{}")
      return sent._tag === "Failure" ? sent.failure.message : ""
    }
    const tls = await why(url.replace("http:", "https:"))
    close()
    assert.deepStrictEqual(
      [tls, await why(url)],
      [
        "the receiver cannot be reached: TLS fails, or its certificate is not trusted",
        "the receiver cannot be reached: nobody listens there"
      ]
    )
  })
})
