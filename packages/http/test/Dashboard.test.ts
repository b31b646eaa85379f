import { assert, describe, it } from "@effect/vitest"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib"
import { Option } from "effect"
import { afterAll, beforeAll } from "vitest"
import { serve } from "./wire.ts"

const script = `console.log(${JSON.stringify("x".repeat(2000))})`

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lazaret-dashboard-"))
  mkdirSync(join(folder, "assets"))
  writeFileSync(join(folder, "index.html"), `<!doctype html><base href="/" /><title>Lazaret</title>`)
  writeFileSync(join(folder, "assets/app-1a2b.js"), script)
  writeFileSync(join(folder, "assets/app-1a2b.js.br"), brotliCompressSync(script))
  writeFileSync(join(folder, "assets/app-1a2b.js.gz"), gzipSync(script))
})

afterAll(() => rmSync(folder, { recursive: true }))

const start = (publicUrl: string | null = null) =>
  serve({ config: { dashboard: Option.some(folder), publicUrl: Option.fromNullOr(publicUrl) } })

const browser = { token: null, headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } }

describe("the dashboard", () => {
  it("the page of the dashboard answers every path that a browser opens, and nothing outside can be loaded into it", async () => {
    await using server = await start()
    for (const path of ["/", "/acme/demo", "/acme/de.mo/tests/0e4fc8a5?sort=test_name", "/docs/demo", "/sign-in"]) {
      const answer = await server.send(path, browser)
      assert.strictEqual(answer.status, 200, path)
      assert.strictEqual(answer.headers.get("content-type"), "text/html; charset=utf-8")
      assert.strictEqual(answer.headers.get("cache-control"), "no-cache")
      assert.strictEqual(answer.headers.get("x-content-type-options"), "nosniff")
      assert.strictEqual(answer.headers.get("referrer-policy"), "no-referrer")
      const policy = answer.headers.get("content-security-policy") ?? ""
      assert.include(policy, "default-src 'none'")
      assert.include(policy, "frame-ancestors 'none'")
      assert.notInclude(policy, "unsafe")
      assert.include(await answer.text(), "<title>Lazaret</title>")
    }
  })

  it("the dashboard does not change the API: unknown paths are problem documents, wrong methods are 405", async () => {
    await using server = await start()
    for (const [path, call] of [
      ["/v1/nothing", browser],
      ["/nothing", { token: null }],
      ["/assets/gone.js", { token: null, headers: { accept: "*/*" } }],
      ["/acme/demo;x", browser],
      ["/acme/demo", { ...browser, method: "POST" }],
      ["/..%2f..%2fpackage.json", { token: null }]
    ] as const) {
      const answer = await server.send(path, call)
      assert.strictEqual(answer.status, 404, path)
      assert.strictEqual(answer.headers.get("content-type"), "application/problem+json", path)
    }
    for (const [path, method, allow] of [
      ["/session", "PUT", "DELETE, GET, HEAD, OPTIONS, POST"],
      ["/health/live", "DELETE", "GET, HEAD, OPTIONS"],
      ["/", "POST", "GET, HEAD, OPTIONS"]
    ] as const) {
      const answer = await server.send(path, { ...browser, method })
      assert.deepStrictEqual([answer.status, answer.headers.get("allow")], [405, allow], path)
    }
  })

  it("files with their content in their name are kept for a year, and sent as the build compressed them", async () => {
    await using server = await start()
    const get = (headers: Record<string, string>) => server.send("/assets/app-1a2b.js", { token: null, headers })
    const plain = await get({})
    assert.strictEqual(await plain.text(), script)
    assert.strictEqual(plain.headers.get("cache-control"), "public, max-age=31536000, immutable")
    assert.strictEqual(plain.headers.get("content-type"), "text/javascript; charset=utf-8")
    for (const [accepted, encoding, unpack] of [
      ["gzip, br", "br", brotliDecompressSync],
      ["gzip, br;q=0", "gzip", gunzipSync]
    ] as const) {
      const packed = await get({ "accept-encoding": accepted })
      assert.strictEqual(packed.headers.get("content-encoding"), encoding)
      assert.strictEqual(packed.headers.get("vary"), "accept-encoding")
      assert.strictEqual(unpack(Buffer.from(await packed.arrayBuffer())).toString("utf8"), script)
    }
    assert.strictEqual((await server.send("/assets/app-1a2b.js.br", { token: null })).status, 404)
    const etag = plain.headers.get("etag") ?? ""
    assert.strictEqual((await get({ "if-none-match": `"other", ${etag}` })).status, 304)
    assert.strictEqual((await get({ "if-none-match": `"other"` })).status, 200)
  })

  it("the dashboard works below the path that a proxy adds", async () => {
    await using server = await start("https://tools.example.com/lazaret")
    assert.include(await (await server.send("/", browser)).text(), `<base href="/lazaret/" />`)
  })

  it("a dashboard without its files says how to build them", async () => {
    for (const dashboard of [Option.none(), Option.some("/nowhere")]) {
      await using server = await serve({ config: { dashboard } })
      const answer = await server.send("/", browser)
      assert.strictEqual(answer.status, 200)
      assert.include(await answer.text(), "npm run build")
    }
  })
})
