import { assert, describe, it } from "@effect/vitest"
import { PinStore } from "@lazaret/store"
import type { Json } from "../description.ts"
import { now, serve, tokens } from "../wire.ts"

describe("access that was given", () => {
  it("a role that is removed is listed no more, and only an admin removes it", async () => {
    await using server = await serve()
    const { id } = await server.json("/v1/roles", {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ login: "ada", provider: "github", role: "viewer", owner: "acme" })
    })
    const role = `/v1/roles/${id}`
    assert.strictEqual((await server.send(role, { method: "DELETE", token: tokens.ci })).status, 403)
    assert.strictEqual((await server.send(role, { method: "DELETE", token: tokens.other })).status, 404)
    assert.deepStrictEqual(
      (await server.json("/v1/roles")).roles.map((each: Json) => each.id),
      [id]
    )
    assert.strictEqual((await server.send(`/v1/roles/${id}`, { method: "DELETE" })).status, 204)
    assert.deepStrictEqual((await server.json("/v1/roles")).roles, [])
    assert.strictEqual((await server.send(role, { method: "DELETE" })).status, 404)
  })

  it("a pin that is removed is listed no more, and an admin of another owner does not find it", async () => {
    await using server = await serve()
    const id = crypto.randomUUID()
    const pin = {
      id,
      issuer: "https://issuer.example",
      owner: "acme",
      repository: null,
      platformId: "7",
      createdAt: now
    }
    await server.run(PinStore.use((store) => store.confirm([pin])))
    assert.deepStrictEqual(
      (await server.json("/v1/pins")).pins.map((each: Json) => each.id),
      [id]
    )
    assert.deepStrictEqual((await server.json("/v1/pins", { token: tokens.other })).pins, [])
    assert.strictEqual((await server.send(`/v1/pins/${id}`, { method: "DELETE", token: tokens.other })).status, 404)
    assert.strictEqual((await server.send(`/v1/pins/${id}`, { method: "DELETE" })).status, 204)
    assert.deepStrictEqual((await server.json("/v1/pins")).pins, [])
    assert.strictEqual((await server.send(`/v1/pins/${id}`, { method: "DELETE" })).status, 404)
  })
})
