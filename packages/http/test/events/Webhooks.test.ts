import { assert, describe, it } from "@effect/vitest"
import { Event } from "@lazaret/domain"
import { repository, serve } from "../wire.ts"

const secret = "a secret that is long"

const post = (body: object) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

describe("outgoing webhooks", () => {
  it("webhooks are created, listed without their secret, and deleted", async () => {
    await using server = await serve()
    const made = await server.send(`${repository}/webhooks`, post({ url: "https://example.com/hook", secret }))
    assert.strictEqual(made.status, 201)
    const webhook = JSON.parse(await made.text())
    assert.strictEqual(webhook.url, "https://example.com/hook")
    assert.deepStrictEqual(webhook.events, [...Event.EventType.literals])
    const list = await (await server.send(`${repository}/webhooks`)).text()
    assert.deepStrictEqual(JSON.parse(list), { webhooks: [webhook] })
    assert.notInclude(list, secret)
    assert.deepStrictEqual(await server.json(`${repository}/webhooks/${webhook.id}/dead-letters`), { dead_letters: [] })
    const url = `${repository}/webhooks/${webhook.id}`
    assert.strictEqual((await server.send(url, { method: "DELETE" })).status, 204)
    assert.strictEqual((await server.send(url, { method: "DELETE" })).status, 404)
    assert.strictEqual((await server.send(`${url}/dead-letters`)).status, 404)
  })

  it("outgoing webhooks take http URLs without a user, and secrets that are long enough", async () => {
    await using server = await serve()
    const faults = async (body: object) =>
      JSON.parse(await (await server.send(`${repository}/webhooks`, post(body))).text()).errors?.map(
        ({ location }: { readonly location: string }) => location
      )
    for (const url of [
      "ftp://a",
      "nothing",
      "http://me:pass@a",
      "javascript:alert(1)",
      "http://a\r\nb/",
      "http://a\tb/"
    ]) {
      assert.deepStrictEqual(await faults({ url, secret }), ["body.url"], url)
    }
    assert.deepStrictEqual(await faults({ url: "http://a", secret: "short" }), ["body.secret"])
    assert.deepStrictEqual(await faults({ url: "http://a", secret, events: ["nothing"] }), ["body.events.0"])
  })
})
