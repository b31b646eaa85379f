import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { now, serve, tokens } from "../wire.ts"

const signIn = (body: object, headers: Record<string, string> = {}) => ({
  method: "POST",
  token: null,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body)
})

const quarantines = "/v1/ci/acme/repositories/widgets/quarantines"

const quarantine = JSON.stringify({ test_name: "a", reason: "r" })

type Server = Awaited<ReturnType<typeof serve>>

const cookieOf = (answer: Response): string => (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? ""

/** Signs a browser in, and yields the header of its cookie. */
const begin = async (server: Server, key = tokens.ci, headers: Record<string, string> = {}) => ({
  cookie: cookieOf(await server.send("/session", signIn({ key }, headers)))
})

const statusOf = async (server: Server, headers: Record<string, string>, path = "/v1/application") =>
  (await server.send(path, { token: null, headers })).status

describe("a session", () => {
  it("a session begins with a key, and its cookie is out of reach for scripts and other sites", async () => {
    await using server = await serve()
    const answer = await server.send("/session", signIn({ key: ` ${tokens.ci}\n` }))
    assert.strictEqual(answer.status, 200)
    assert.strictEqual(JSON.parse(await answer.text()).name, "ci")
    const set = answer.headers.get("set-cookie") ?? ""
    assert.match(set, /^lazaret_session=lzs_[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/u)
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
    assert.strictEqual(await statusOf(server, { cookie: cookieOf(first) }), 200)
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

  it("a session ends on the server when the browser signs out, for a copied cookie, too", async () => {
    await using server = await serve()
    const headers = await begin(server)
    const answer = await server.send("/session", {
      method: "DELETE",
      token: null,
      headers: { ...headers, "sec-fetch-site": "same-origin" }
    })
    assert.strictEqual(answer.status, 204)
    assert.match(answer.headers.get("set-cookie") ?? "", /^lazaret_session=; Max-Age=0; Path=\/; HttpOnly/u)
    assert.strictEqual(await statusOf(server, headers), 403)
  })

  it("a page of another site does not end a session", async () => {
    await using server = await serve()
    const headers = await begin(server)
    await server.send("/session", {
      method: "DELETE",
      token: null,
      headers: { ...headers, origin: "http://evil.test" }
    })
    assert.strictEqual(await statusOf(server, headers), 200)
  })

  it("a session ends with its key", async () => {
    await using server = await serve()
    const made = await server.json("/v1/application-keys", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "k", scope: "admin", owner: "acme" })
    })
    const headers = await begin(server, made.secret)
    assert.strictEqual(await statusOf(server, headers), 200)
    await server.send(`/v1/application-keys/${made.id}`, { method: "DELETE" })
    assert.strictEqual(await statusOf(server, headers), 403)
  })

  it("a session ends a week after its latest use, and a month after its beginning however much it is used", async () => {
    await using server = await serve()
    const day = 86_400_000
    const [idle, busy] = [await begin(server), await begin(server)]
    for (let at = 0; at < 30; at += 6) {
      server.setNow(now + at * day)
      assert.strictEqual(await statusOf(server, busy), 200, `day ${at}`)
    }
    server.setNow(now + 7 * day)
    assert.strictEqual(await statusOf(server, idle), 403)
    server.setNow(now + 30 * day - 1)
    assert.strictEqual(await statusOf(server, busy), 200)
    server.setNow(now + 30 * day)
    assert.strictEqual(await statusOf(server, busy), 403)
  })

  it("a sign-in begins a session of its own, and ends the one that the browser had", async () => {
    await using server = await serve()
    const first = await begin(server)
    const second = await begin(server, tokens.ci, { ...first, "sec-fetch-site": "same-origin" })
    assert.notStrictEqual(first.cookie, second.cookie)
    assert.strictEqual(await statusOf(server, first), 403)
    assert.strictEqual(await statusOf(server, second), 200)
  })

  it("a secret that a browser was given by somebody else never becomes a session", async () => {
    await using server = await serve()
    const planted = `lazaret_session=lzs_${"a".repeat(43)}`
    const { cookie } = await begin(server, tokens.ci, { cookie: planted })
    assert.notStrictEqual(cookie, planted)
    assert.strictEqual(await statusOf(server, { cookie: planted }), 403)
  })

  it("the secret of a session counts in the cookie alone, and begins no other session", async () => {
    await using server = await serve()
    const headers = await begin(server, tokens.admin)
    const secret = headers.cookie.split("=")[1] ?? ""
    for (const scheme of ["Bearer", "bearer", " Bearer "]) {
      assert.strictEqual(await statusOf(server, { authorization: `${scheme} ${secret}` }), 403)
    }
    assert.strictEqual((await server.send("/session", signIn({ key: secret }))).status, 403)
    const link = await server.send("/v1/sign-in-links", {
      method: "POST",
      token: null,
      headers: { ...headers, "sec-fetch-site": "same-origin" }
    })
    assert.strictEqual(link.status, 403)
  })

  it("open sessions are listed without their secrets, and an admin ends those within reach", async () => {
    await using server = await serve()
    const ci = await begin(server, tokens.ci, { "user-agent": "Browser/1" })
    server.setNow(now + 1)
    const admin = await begin(server, tokens.admin)
    const other = await begin(server, tokens.other)
    const text = await (await server.send("/v1/sessions", { token: null, headers: admin })).text()
    assert.notInclude(text, ci.cookie.split("=")[1] ?? "no cookie")
    const { sessions } = JSON.parse(text)
    assert.deepInclude(sessions[0], { name: "ci", kind: "key", owner: "acme", agent: "Browser/1", is_current: false })
    assert.deepStrictEqual(
      sessions.map((each: { name: string; is_current: boolean }) => [each.name, each.is_current]).toSorted(),
      [
        ["admin", true],
        ["ci", false],
        ["other", false]
      ]
    )
    const [first] = sessions
    const end = (id: string, headers: Record<string, string>) =>
      server.send(`/v1/sessions/${id}`, {
        method: "DELETE",
        token: null,
        headers: { ...headers, "sec-fetch-site": "same-origin" }
      })
    assert.strictEqual((await end(first.id, other)).status, 404, "the admin of another owner")
    assert.strictEqual(await statusOf(server, ci), 200)
    assert.strictEqual((await end(first.id, admin)).status, 204)
    assert.strictEqual((await end(first.id, admin)).status, 404)
    assert.strictEqual(await statusOf(server, ci), 403)
    const { entries } = await server.json("/v1/audit?action=revokeSession")
    const outcomes = entries.map(({ before, outcome }: { before: object | null; outcome: string }) => [
      outcome,
      before === null
    ])
    // Entries of one instant have no order.
    assert.sameDeepMembers(outcomes, [
      ["failed", true],
      ["done", false],
      ["failed", true]
    ])
    assert.notInclude(JSON.stringify(entries), "lzs_")
  })

  it("a session writes only for pages of this server", async () => {
    await using server = await serve()
    const cookie = await begin(server)
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
    const cookie = await begin(server)
    const both = { token: "nobody", headers: cookie }
    assert.strictEqual((await server.send(quarantines, both)).status, 403)
    // It reaches the repository, which is not there.
    assert.strictEqual((await server.send(quarantines, { token: null, headers: cookie })).status, 404)
  })
})
