import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric, Option, Redacted } from "effect"
import { junit, now, repository, serve, tokens, upload } from "../wire.ts"

const count = (id: string, attributes: Readonly<Record<string, string>>): number =>
  Effect.runSync(Metric.snapshot)
    .filter((metric) => metric.id === id && metric.type === "Counter")
    .filter(({ attributes: given }) => Object.entries(attributes).every(([name, value]) => given?.[name] === value))
    .reduce((sum, { state }) => sum + ("count" in state ? Number(state.count) : 0), 0)

const metricsToken = Option.some(Redacted.make("scrape"))

describe("requests", () => {
  it("requests are counted by route, method and status, whatever the path or the method holds", async () => {
    await using server = await serve()
    const requests = (labels: Record<string, string>) => count("lazaret_http_requests_total", labels)
    const route = "/v1/ci/:owner/repositories/:repository/quarantines"
    const before = requests({ route, method: "GET", status: "200" })
    await upload(server, { commit: "c1", at: now, xml: junit({ a: "passed" }) })
    await server.send(`${repository}/quarantines?branch=main`)
    await server.send(`${repository}/quarantines`)
    assert.strictEqual(requests({ route, method: "GET", status: "200" }) - before, 2)
    const unknown = requests({ route: "unknown" })
    await server.send("/no/such/path")
    await server.send(`${repository}/quarantines`, { method: "BREW" })
    assert.strictEqual(requests({ route: "unknown" }) - unknown, 2)
    assert.strictEqual(requests({ method: "BREW" }), 0)
  })

  it("requests carry their id into problems", async () => {
    await using server = await serve()
    for (const path of ["/nowhere", `${repository}/quarantines?per_page=0`, `${repository}/quarantines/x`]) {
      const answer = await server.send(path, { headers: { "x-request-id": "find-me" } })
      const { detail, request_id: requestId, status } = JSON.parse(await answer.text())
      assert.deepStrictEqual([requestId, status, typeof detail], ["find-me", answer.status, "string"])
      assert.strictEqual(answer.headers.get("content-type"), "application/problem+json")
    }
  })
})

describe("/metrics", () => {
  it("metrics need the token, unless the caller is provably on this machine", async () => {
    await using server = await serve({ config: { metricsToken } })
    assert.strictEqual((await server.send("/metrics", { token: null })).status, 403)
    assert.strictEqual((await server.send("/metrics", { token: tokens.admin })).status, 403)
    const answer = await server.send("/metrics", { token: "scrape" })
    assert.strictEqual(answer.status, 200)
    assert.strictEqual(answer.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8")
    assert.include(await answer.text(), "# TYPE lazaret_http_requests_total counter")
  })

  it("reports and their executions are counted by outcome", async () => {
    await using server = await serve({ config: { metricsToken } })
    const outcomes = () => [
      count("lazaret_reports_total", { outcome: "recorded" }),
      count("lazaret_reports_total", { outcome: "repeated" }),
      count("lazaret_executions_total", { outcome: "recorded" }),
      count("lazaret_executions_total", { outcome: "duplicate" })
    ]
    const before = outcomes()
    const report = { commit: "c1", at: now, xml: junit({ a: "passed", b: "failed" }) }
    await upload(server, report)
    await upload(server, report)
    assert.deepStrictEqual(
      outcomes().map((value, index) => value - (before[index] ?? 0)),
      [1, 1, 2, 2]
    )
  })
})

describe("readiness", () => {
  it("readiness ends when the server stops, while it still answers", async () => {
    let isStopping = false
    await using server = await serve({ config: { isStopping: Effect.sync(() => isStopping) } })
    assert.strictEqual((await server.send("/health/ready", { token: null })).status, 200)
    isStopping = true
    const answer = await server.send("/health/ready", { token: null })
    assert.strictEqual(answer.status, 503)
    assert.include(await answer.text(), "is stopping")
    assert.strictEqual((await server.send("/health/live", { token: null })).status, 200)
    assert.strictEqual((await server.send(`${repository}/quarantines`)).status, 404)
  })
})
