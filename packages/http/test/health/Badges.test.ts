import { assert, describe, it } from "@effect/vitest"
import { TestId } from "@lazaret/domain"
import { junit, now, repository, serve, upload } from "../wire.ts"

const badge = "/badges/acme/widgets.svg"

const badgeOf = (testId: string) => `/badges/acme/widgets/tests/${testId}.svg`

const adds = TestId.of("adds")

const open = { token: null }

const start = async () => {
  const server = await serve()
  const xml = junit({ adds: "passed", subtracts: "failed" })
  await upload(server, { commit: "a".repeat(40), at: now, xml })
  const show = (isShown: boolean) =>
    server.send(`${repository}/settings`, {
      method: "PATCH",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ badge: isShown })
    })
  return { ...server, show }
}

describe("badges", () => {
  it("badges are off until the repository shows them, and then open to everyone", async () => {
    await using server = await start()
    assert.strictEqual((await server.send(badge, open)).status, 404)
    await server.show(true)
    for (const [path, text] of [
      [badge, "1 broken"],
      [badgeOf(adds), "healthy"],
      [badgeOf(TestId.of("subtracts")), "broken"]
    ] as const) {
      const answer = await server.send(path, open)
      assert.strictEqual(answer.status, 200, path)
      assert.strictEqual(answer.headers.get("content-type"), "image/svg+xml; charset=utf-8")
      assert.strictEqual(answer.headers.get("x-content-type-options"), "nosniff")
      assert.strictEqual(answer.headers.get("cache-control"), "public, max-age=300")
      assert.include(answer.headers.get("content-security-policy") ?? "", "default-src 'none'")
      const svg = await answer.text()
      assert.include(svg, `>${text}</text>`)
      assert.match(svg, /role="img" aria-labelledby="title"><title id="title">Tests?: /u)
      assert.notMatch(svg, /<script|<style|style=|href|on\w+=/u)
    }
  })

  it("an unchanged badge is not sent again", async () => {
    await using server = await start()
    await server.show(true)
    const etag = (await server.send(badge, open)).headers.get("etag") ?? ""
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const again = await server.send(badge, { ...open, headers: { "if-none-match": known } })
      assert.strictEqual(again.status, 304, known)
      assert.strictEqual(again.headers.get("etag"), etag)
      assert.strictEqual(await again.text(), "")
    }
    assert.strictEqual((await server.send(badge, { ...open, headers: { "if-none-match": '"other"' } })).status, 200)
    assert.strictEqual((await server.send(badge, { ...open, method: "HEAD" })).status, 200)
  })

  it("badges that are off answer like badges of an unknown test, also with a key", async () => {
    await using server = await start()
    const seen = async (path: string, token: string | null = null) => {
      const answer = await server.send(path, { token, headers: { "x-request-id": "same" } })
      const { "x-request-id": _, ...headers } = Object.fromEntries(answer.headers)
      return { status: answer.status, headers, body: await answer.text() }
    }
    const off = await seen(badge)
    assert.strictEqual(off.status, 404)
    assert.strictEqual(off.headers["cache-control"], "no-store")
    for (const path of [
      badgeOf(adds),
      "/badges/acme/unknown.svg",
      "/badges/nobody/widgets.svg",
      "/badges/a%20b/widgets.svg",
      "/badges/acme/widgets",
      "/badges/acme/%3Cscript%3E.svg"
    ]) {
      assert.deepStrictEqual(await seen(path), off, path)
    }
    assert.deepStrictEqual(await seen(badge, "admin-token"), off)
    await server.show(true)
    for (const path of [badgeOf(TestId.of("unknown")), badgeOf("1"), badgeOf(`${adds}.svg`)]) {
      assert.deepStrictEqual(await seen(path), off, path)
    }
  })

  it("badges take no method other than GET and HEAD", async () => {
    await using server = await start()
    assert.strictEqual((await server.send(badge, { method: "POST" })).status, 405)
  })
})
