import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Event } from "@lazaret/domain"
import { DeliveryFailure, EventSender } from "@lazaret/services"
import { Effect, Result } from "effect"
import { assert, describe, it } from "@effect/vitest"
import { Webhook } from "standardwebhooks"
import * as EventRequests from "../../src/events/EventRequests.ts"
import * as PublicAddress from "../../src/events/PublicAddress.ts"

const secret = "a secret that is long"

/** A receiver on a port of its own. */
const receive = async (answer: (request: IncomingMessage, response: ServerResponse) => void) => {
  const got: Array<{ readonly url: string; readonly headers: Record<string, string>; readonly body: string }> = []
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (part) => (body += part))
    request.on("end", () => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
      got.push({ url: request.url ?? "", headers, body })
      answer(request, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return { got, url: `http://127.0.0.1:${port}/hook`, close: () => server.close() }
}

const event = { ...Event.paused({ reason: "\u{1f600}", pauseDate: 5000 }, 5000, "key 1"), owners: null }

const send = (url: string, key = secret, reach: EventRequests.Reach = "any") =>
  Effect.gen(function* () {
    const { send: post } = yield* EventSender
    return yield* Effect.result(post({ id: "delivery-1", url, secret: key, event, sentAt: Date.now() }))
  }).pipe(Effect.provide(EventRequests.layer(reach)), Effect.runPromise)

describe("EventRequests", () => {
  it("the Standard Webhooks library verifies a request signed with a whsec_ secret", async () => {
    const { close, got, url } = await receive((_, response) => response.writeHead(204).end())
    const key = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
    const sent = await send(url, key)
    close()
    assert.strictEqual(sent._tag, "Success")
    assert.lengthOf(got, 1)
    const { body, headers } = got[0] ?? { body: "", headers: {} as Record<string, string> }
    assert.deepInclude(new Webhook(key).verify(body, headers), { id: event.id, type: "queue.paused" })
    assert.throws(() => new Webhook(key).verify(`${body} `, headers))
    assert.strictEqual(headers["webhook-id"], "delivery-1")
  })

  it("the Standard Webhooks library verifies a request signed with any other secret by its raw bytes", async () => {
    const { close, got, url } = await receive((_, response) => response.writeHead(204).end())
    await send(url)
    close()
    const [{ body, headers } = { body: "", headers: {} }] = got
    assert.deepInclude(new Webhook(secret, { format: "raw" }).verify(body, headers), {
      id: event.id,
      at: "1970-01-01T00:00:05.000Z",
      detail: { reason: "\u{1f600}", pause_date: "1970-01-01T00:00:05.000Z" }
    })
  })

  it("a status that is not a success is a failure, and a redirect is not followed", async () => {
    const { close, got, url } = await receive((_, response) =>
      response.writeHead(302, { location: "/elsewhere" }).end()
    )
    const sent = await send(url)
    close()
    assert.deepStrictEqual(
      got.map((each) => each.url),
      ["/hook"]
    )
    assert.strictEqual(sent._tag, "Failure")
    if (sent._tag === "Failure") assert.instanceOf(sent.failure, DeliveryFailure)
  })

  it("a receiver that never ends its answer has accepted the event, and does not hold the connection", async () => {
    const closed = Promise.withResolvers<void>()
    const { close, url } = await receive((request, response) => {
      request.socket.once("close", () => closed.resolve())
      response.writeHead(200)
      response.write("and")
    })
    const sent = await send(url)
    await closed.promise
    close()
    assert.strictEqual(sent._tag, "Success")
  })

  it("a receiver that cannot be reached is a failure that says why", async () => {
    const { close, url } = await receive(() => undefined)
    const why = async (target: string) => {
      const sent = await send(target)
      return sent._tag === "Failure" ? sent.failure.message : ""
    }
    const tls = await why(url.replace("http:", "https:"))
    close()
    assert.deepStrictEqual(
      [tls, await why(url)],
      [
        "the receiver cannot be reached: TLS fails, or its certificate is not trusted",
        "the receiver cannot be reached: the connection was refused"
      ]
    )
  })

  it("a server whose webhooks are for the internet reaches no receiver on this machine, however it is written", async () => {
    const { close, got, url } = await receive((_, response) => response.end())
    const { port } = new URL(url)
    for (const host of ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "0.0.0.0", "[::1]"]) {
      const sent = await send(`http://${host}:${port}/hook`, secret, "public")
      assert.match(Result.isFailure(sent) ? sent.failure.message : "it was sent", /no public address/u, host)
    }
    assert.lengthOf(got, 0)
    assert.isTrue(Result.isSuccess(await send(url)))
    close()
  })

  it("addresses of this machine, and of private, shared and link-local networks, are not public", () => {
    const own = ["10.1.2.3", "100.64.0.1", "127.8.8.8", "169.254.169.254", "172.31.0.1", "192.168.1.1", "224.0.0.1"]
    const own6 = [
      "::",
      "::1",
      "::ffff:10.0.0.1",
      "64:ff9b::a00:1",
      "fc00::1",
      "fe80::1",
      "febf::1",
      "ff02::1",
      "2002:a00:1::"
    ]
    for (const each of [...own, ...own6, "255.255.255.255", "localhost", ""]) {
      assert.isFalse(PublicAddress.isPublic(each), each)
    }
    for (const each of ["8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:8.8.8.8"]) {
      assert.isTrue(PublicAddress.isPublic(each), each)
    }
  })
})
