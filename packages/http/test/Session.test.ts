import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { now, serve, tokens } from "./wire.ts"

const signIn = (body: object, headers: Record<string, string> = {}) => ({
  method: "POST",
  token: null,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body)
})

const quarantines = "/v1/ci/acme/repositories/widgets/quarantines"

const quarantine = JSON.stringify({ test_name: "a", reason: "r" })

const cookie = { cookie: `lazaret_session=${tokens.ci}` }

describe("a session", () => {
  it("a session begins with a key, and its cookie is out of reach for scripts and other sites", async () => {
    await using server = await serve()
    const answer = await server.send("/session", signIn({ key: ` ${tokens.ci}\n` }))
    assert.strictEqual(answer.status, 200)
    assert.strictEqual(JSON.parse(await answer.text()).name, "ci")
    const set = answer.headers.get("set-cookie") ?? ""
    assert.match(set, /^lazaret_session=ci-token; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/u)
    const me = await server.send("/v1/application", { token: null, headers: { cookie: set.split(";")[0] ?? "" } })
    assert.strictEqual(me.status, 200)
  })

  it("a session begins with a link, which works once", async () => {
    await using server = await serve()
    const link = await server.json("/v1/sign-in-links", { method: "POST", token: tokens.ci })
    assert.match(link.url, /^http:\/\/lazaret\.test\/sign-in#[\w-]{32}$/u)
    assert.strictEqual(link.expires_at, new Date(now + 15 * 60_000).toISOString())
    const code = link.url.split("#")[1]
    const first = await server.send("/session", signIn({ code }))
    assert.include(first.headers.get("set-cookie") ?? "", `lazaret_session=${tokens.ci};`)
    assert.strictEqual((await server.send("/session", signIn({ code }))).status, 403)
  })

  it("behind https the cookie of a session is never sent without, and only below the path of the server", async () => {
    await using server = await serve({ config: { publicUrl: Option.some("https://tools.example.com/lazaret") } })
    const set = (await server.send("/session", signIn({ key: tokens.ci }))).headers.get("set-cookie") ?? ""
    assert.include(set, "; Secure")
    assert.include(set, "; Path=/lazaret;")
  })

  it("a session does not begin from a page of another site", async () => {
    await using server = await serve()
    for (const headers of [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site", origin: "http://lazaret.test" },
      { origin: "null" },
      { origin: "http://lazaret.test:81" }
    ]) {
      const answer = await server.send("/session", signIn({ key: tokens.ci }, headers))
      assert.strictEqual(answer.status, 403, JSON.stringify(headers))
      assert.isNull(answer.headers.get("set-cookie"))
    }
    for (const headers of [{ "sec-fetch-site": "same-origin" }, { origin: "http://lazaret.test" }]) {
      assert.strictEqual((await server.send("/session", signIn({ key: tokens.ci }, headers))).status, 200)
    }
  })

  it("a link that another site sends is not used up", async () => {
    await using server = await serve()
    const link = await server.json("/v1/sign-in-links", { method: "POST", token: tokens.ci })
    const code = link.url.split("#")[1]
    const foreign = await server.send("/session", signIn({ code }, { "sec-fetch-site": "cross-site" }))
    assert.strictEqual(foreign.status, 403)
    assert.strictEqual((await server.send("/session", signIn({ code }))).status, 200)
  })

  it("a session does not begin with an unknown key", async () => {
    await using server = await serve()
    for (const body of [{ key: "nobody" }, { key: tokens.revoked }, { key: tokens.writer }, { code: tokens.admin }]) {
      const answer = await server.send("/session", signIn(body))
      assert.strictEqual(answer.status, 403)
      assert.isNull(answer.headers.get("set-cookie"))
    }
    for (const body of [{}, { key: "" }, { key: 1 }]) {
      assert.strictEqual((await server.send("/session", signIn(body))).status, 422)
    }
  })

  it("a session ends when its key is revoked, and when the browser signs out", async () => {
    await using server = await serve()
    const revoked = { token: null, headers: { cookie: `lazaret_session=${tokens.revoked}` } }
    assert.strictEqual((await server.send("/v1/application", revoked)).status, 403)
    const answer = await server.send("/session", { method: "DELETE", token: null })
    assert.strictEqual(answer.status, 204)
    assert.match(answer.headers.get("set-cookie") ?? "", /^lazaret_session=; Max-Age=0; Path=\/; HttpOnly/u)
  })

  it("a session writes only for pages of this server", async () => {
    await using server = await serve()
    const write = async (headers: Record<string, string>) =>
      (
        await server.send(quarantines, {
          method: "POST",
          token: null,
          headers: { "content-type": "application/json", ...cookie, ...headers },
          body: quarantine
        })
      ).status
    for (const headers of [
      {},
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site", origin: "http://lazaret.test" },
      { "sec-fetch-site": "none" },
      { origin: "http://evil.test" },
      { origin: "null" },
      { origin: "http://lazaret.test:81" }
    ]) {
      assert.strictEqual(await write(headers), 403, JSON.stringify(headers))
    }
    assert.strictEqual(await write({ "sec-fetch-site": "same-origin" }), 201)
    assert.strictEqual(await write({ origin: "http://lazaret.test" }), 409)
  })

  it("the Authorization header has precedence over the cookie of a session", async () => {
    await using server = await serve()
    const both = { token: "nobody", headers: cookie }
    assert.strictEqual((await server.send(quarantines, both)).status, 403)
    // It reaches the repository, which is not there.
    assert.strictEqual((await server.send(quarantines, { token: null, headers: cookie })).status, 404)
  })
})
