import { assert, describe, it } from "@effect/vitest"
import { KeyRegistry } from "@lazaret/services"
import { Effect, Option, Redacted } from "effect"
import { junit, now, repository, serve, tokens, upload } from "../wire.ts"

const list = `${repository}/quarantines`

type Server = Awaited<ReturnType<typeof serve>>

const quarantine = (server: Server, name: string) =>
  server.send(list, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ test_name: name, reason: "flaky" })
  })

/** The status and the headers of an answer, but for the id of its request. */
const headOf = ({ headers, status }: Response) => [
  status,
  ...[...headers].filter(([name]) => name !== "x-request-id").toSorted()
]

const revoke = (server: Server, name: string) =>
  server.run(
    Effect.gen(function* () {
      const keys = yield* KeyRegistry
      for (const key of yield* keys.list) if (key.name === name) yield* keys.revoke(key.id)
    })
  )

/** How many questions for the list the server has answered. */
const countOf = async (server: Server): Promise<number> => {
  const page = await (await server.send("/metrics", { token: "scrape" })).text()
  const parts = ["lazaret_http_requests_total{", 'method="GET"', 'status="200"', '/quarantines"']
  const line = page.split("\n").find((each) => parts.every((part) => each.includes(part)))
  return Number(line?.split(" ").at(-1) ?? 0)
}

const paths = [list, `${list}?per_page=1`, "/v1/application"]

describe("kept answers", () => {
  it("a repeated question has the same answer, with the id of its own request", async () => {
    await using server = await serve()
    for (const name of ["a", "b"]) await quarantine(server, name)
    for (const path of paths) {
      const [first, second, third] = [
        await server.send(path, { headers: { "x-request-id": "first" } }),
        await server.send(path, { headers: { "x-request-id": "second" } }),
        await server.send(path)
      ]
      assert.deepStrictEqual(headOf(second), headOf(first))
      assert.deepStrictEqual(await second.text(), await first.text())
      assert.strictEqual(second.headers.get("x-request-id"), "second")
      assert.match(third.headers.get("x-request-id") ?? "", /^[\da-f-]{36}$/u)
    }
  })

  it("a question that was repeated sees the next write", async () => {
    await using server = await serve()
    await quarantine(server, "a")
    for (const length of [1, 1, 2, 2]) {
      const { quarantined_tests: tests } = await server.json(list)
      if (tests.length < length) await quarantine(server, "b")
      assert.lengthOf((await server.json(list)).quarantined_tests, length)
    }
  })

  it("repeated questions count in the metrics of their route", async () => {
    await using server = await serve({ config: { metricsToken: Option.some(Redacted.make("scrape")) } })
    await quarantine(server, "a")
    const before = await countOf(server)
    for (let times = 0; times < 3; times += 1) await (await server.send(list)).text()
    assert.strictEqual(await countOf(server), before + 3)
  })

  it("a key that may not read a repository gets no answer that is kept for another key of its kind", async () => {
    await using server = await serve()
    await quarantine(server, "a")
    const statusesOf = async (token: string) => [
      (await server.send(list, { token })).status,
      (await server.send(list, { token })).status
    ]
    assert.deepStrictEqual(await statusesOf(tokens.admin), [200, 200])
    assert.deepStrictEqual(await statusesOf(tokens.other), [403, 403])
    assert.deepStrictEqual(await statusesOf(tokens.ci), [200, 200])
    assert.deepStrictEqual(await statusesOf(tokens.uploadOnly), [403, 403])
  })

  it("an answer with links is kept for each protocol of its requests, whatever a caller claims about it", async () => {
    await using server = await serve()
    await upload(server, { commit: "c", at: now - 1000, xml: junit({ a: "passed", b: "passed" }) })
    const linkOf = async (origin: string, claim: Record<string, string>) => {
      const headers = { host: "lazaret.test", authorization: `Bearer ${tokens.admin}`, ...claim }
      const answer = await server.fetch(`${origin}${repository}/search/tests?per_page=1`, { headers })
      return /<([^>]*)\?/u.exec(answer.headers.get("link") ?? "")?.[1]
    }
    for (const claim of [{}, {}, { "x-forwarded-proto": "https" }, { "x-forwarded-proto": "http" }]) {
      for (const origin of ["https://lazaret.test", "http://lazaret.test"]) {
        assert.strictEqual(await linkOf(origin, claim), `${origin}${repository}/search/tests`)
      }
    }
  })

  it("a HEAD has the headers of its GET, and the GET after it its body", async () => {
    await using server = await serve()
    await quarantine(server, "a")
    for (const path of paths) {
      const headers = { "x-request-id": "same" }
      const [before, get, after] = [
        await server.send(path, { method: "HEAD", headers }),
        await server.send(path, { headers }),
        await server.send(path, { method: "HEAD", headers })
      ]
      assert.deepStrictEqual([headOf(before), headOf(after)], [headOf(get), headOf(get)])
      assert.deepStrictEqual([await before.text(), await after.text()], ["", ""])
      assert.isAbove((await get.text()).length, 2)
    }
  })

  it("each key reads itself", async () => {
    await using server = await serve()
    const nameOf = async (token: string) => (await server.json("/v1/application", { token })).name
    for (const _ of ["first", "again"]) {
      assert.deepStrictEqual([await nameOf(tokens.admin), await nameOf(tokens.ci)], ["admin", "ci"])
    }
  })

  it("a key that this server revoked gets no answer from then on", async () => {
    await using server = await serve()
    await quarantine(server, "a")
    for (const path of [...paths, ...paths])
      assert.strictEqual((await server.send(path, { token: tokens.ci })).status, 200)
    await revoke(server, "ci")
    for (const path of paths) assert.strictEqual((await server.send(path, { token: tokens.ci })).status, 403)
  })

  it("every repeated question takes one request from the limit of its key, also when its answer has changed", async () => {
    await using server = await serve({ config: { rateLimit: Option.some(6) } })
    const statusOf = async () => (await server.send(list)).status
    await quarantine(server, "a")
    assert.deepStrictEqual([await statusOf(), await statusOf()], [200, 200])
    await quarantine(server, "b")
    assert.deepStrictEqual([await statusOf(), await statusOf(), await statusOf()], [200, 200, 429])
    server.setNow(now + 10_000)
    assert.deepStrictEqual([await statusOf(), await statusOf()], [200, 429])
  })
})
