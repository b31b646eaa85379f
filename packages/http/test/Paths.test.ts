import { assert, describe, it } from "@effect/vitest"
import { repository, serve } from "./wire.ts"

describe("paths, methods and headers", () => {
  it("a path that no route has is 404, and paths are matched as written", async () => {
    await using server = await serve()
    for (const path of [
      "/v1",
      "/v2/application",
      "/v1/Application",
      "/v1/application/",
      "//v1/application",
      `${repository}/quarantines/`,
      `${repository}/tests/`,
      `${repository}/tests//executions`,
      `/${"x".repeat(9000)}`
    ]) {
      const answer = await server.send(path, { token: null })
      assert.strictEqual(answer.status, 404, path)
      assert.strictEqual(answer.headers.get("content-type"), "application/problem+json")
    }
  })

  it("a method that a path does not take is 405 with the methods that it takes", async () => {
    await using server = await serve()
    const id = "ae69998c-26d0-4de8-baa7-5b864901e7b4"
    for (const [method, path, allow] of [
      ["PUT", `${repository}/quarantines`, "GET, HEAD, OPTIONS, POST"],
      ["POST", `${repository}/quarantines/${id}`, "DELETE, GET, HEAD, OPTIONS"],
      ["PATCH", "/v1/application", "GET, HEAD, OPTIONS"],
      ["DELETE", "/openapi.json", "GET, HEAD, OPTIONS"],
      ["GET", `${repository}/reports`, "OPTIONS, POST"]
    ] as const) {
      const answer = await server.send(path, { method })
      assert.strictEqual(answer.status, 405, path)
      assert.strictEqual(answer.headers.get("allow"), allow)
    }
    const options = await server.send("/v1/application", { method: "OPTIONS", token: null })
    assert.deepStrictEqual([options.status, options.headers.get("allow")], [204, "GET, HEAD, OPTIONS"])
  })

  it("only a question mark ends a path: text after any other sign belongs to its last segment", async () => {
    await using server = await serve()
    for (const path of ["/health/live;x", "/metrics;a=b", `${repository}/search/tests;per_page=1`]) {
      assert.strictEqual((await server.send(path)).status, 404, path)
    }
    assert.strictEqual((await server.send("/health/live?a;b")).status, 200)
  })

  it("HEAD answers as GET does, without the body", async () => {
    await using server = await serve()
    const [head, get] = [await server.send("/health/live", { method: "HEAD" }), await server.send("/health/live")]
    assert.strictEqual(await head.text(), "")
    assert.strictEqual(head.status, get.status)
    assert.strictEqual(head.headers.get("content-length"), get.headers.get("content-length"))
  })

  it("every answer has a request id, and a caller may choose it", async () => {
    await using server = await serve()
    const id = async (given?: string) =>
      (await server.send("/nowhere", given === undefined ? {} : { headers: { "x-request-id": given } })).headers.get(
        "x-request-id"
      )
    assert.strictEqual(await id("trace.1_a-B"), "trace.1_a-B")
    assert.match((await id("bad id")) ?? "", /^[0-9a-f-]{36}$/u)
    assert.notStrictEqual(await id(), await id())
  })

  it("no cache keeps an answer that a route does not give to everyone, and no browser guesses its type", async () => {
    await using server = await serve()
    await server.send(`${repository}/quarantines`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ test_name: "adds", reason: "" })
    })
    const tagged = (await server.send(`${repository}/quarantines`)).headers
    assert.deepStrictEqual(
      [tagged.get("cache-control"), tagged.get("vary"), tagged.get("x-content-type-options")],
      ["private, no-cache", "authorization, cookie", "nosniff"]
    )
    for (const path of [
      `${repository}/settings`,
      "/v1/application",
      "/health/ready",
      "/nowhere",
      "/docs",
      "/metrics"
    ]) {
      const { headers } = await server.send(path)
      assert.strictEqual(headers.get("cache-control"), "no-store", path)
      assert.strictEqual(headers.get("x-content-type-options"), "nosniff", path)
    }
    for (const path of ["/", "/badges/acme/widgets.svg"]) {
      const { headers } = await server.send(path, { headers: { accept: "text/html" } })
      assert.strictEqual(headers.get("x-content-type-options"), "nosniff", path)
    }
    assert.strictEqual(
      (await server.send("/", { headers: { accept: "text/html" } })).headers.get("cache-control"),
      "no-cache"
    )
  })
})
