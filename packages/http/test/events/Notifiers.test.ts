import { assert, describe, it } from "@effect/vitest"
import type { Json } from "../description.ts"
import { repository, serve, tokens } from "../wire.ts"

const email = { kind: "email", to: ["ada@example.com"] }

describe("notifiers", () => {
  for (const [list, more] of [
    [`${repository}/notifiers`, {}],
    ["/v1/notifiers", { repositories: ["acme/*"] }]
  ] as const) {
    it(`a notifier of ${list} is listed until it is removed, and only once`, async () => {
      await using server = await serve()
      const made = await server.json(list, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ channel: email, ...more })
      })
      const ids = async () => (await server.json(list)).notifiers.map(({ id }: Json) => id)
      assert.deepStrictEqual(await ids(), [made.id])
      const of =
        list === "/v1/notifiers"
          ? (id: string) => `/v1/notifiers/${id}`
          : (id: string) => `${repository}/notifiers/${id}`
      const remove = (token?: string) =>
        server.send(of(made.id), { method: "DELETE", ...(token === undefined ? {} : { token }) })
      assert.strictEqual((await remove(tokens.readOnly)).status, 403)
      assert.strictEqual((await remove()).status, 204)
      assert.deepStrictEqual(await ids(), [])
      assert.strictEqual((await remove()).status, 404)
    })
  }

  it("the answer to an unknown kind of channel names all kinds", async () => {
    await using server = await serve()
    const { errors } = await server.json(`${repository}/notifiers`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ channel: { kind: "pigeon", to: "ada" } })
    })
    const message = 'must be a JSON object whose kind is "slack" or "teams" or "email"'
    assert.deepStrictEqual(errors, [{ location: "body.channel", message }])
  })

  it("a dead letter that does not exist is not sent again", async () => {
    await using server = await serve()
    const { id } = await server.json(`${repository}/webhooks`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ url: "https://example.com/hook", secret: "a secret that is long" })
    })
    for (const webhook of [id, crypto.randomUUID()]) {
      const letter = `${repository}/webhooks/${webhook}/dead-letters/${crypto.randomUUID()}/redeliver`
      assert.strictEqual((await server.send(letter, { method: "POST" })).status, 404)
    }
  })
})
