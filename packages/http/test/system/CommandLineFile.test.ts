import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { Option } from "effect"
import { afterAll } from "vitest"
import { serve } from "../wire.ts"

const folder = mkdtempSync(join(tmpdir(), "lazaret-file-"))
const file = join(folder, "lazaret.mjs")
const content = "console.log('lazaret')\n".repeat(100)
writeFileSync(file, content)
const sha256 = createHash("sha256").update(content).digest("hex")

afterAll(() => rmSync(folder, { recursive: true }))

const start = () => serve({ config: { commandLine: Option.some({ file, version: "1.2.3" }) } })

const anyone = { token: null, headers: {} }

describe("the small command line", () => {
  it("the command line file is served to everyone, compressed for clients that accept it, and revalidated by its digest", async () => {
    await using server = await start()
    const plain = await server.send("/cli/lazaret.mjs", anyone)
    assert.deepStrictEqual([plain.status, await plain.text()], [200, content])
    assert.strictEqual(plain.headers.get("content-type"), "text/javascript; charset=utf-8")
    assert.strictEqual(plain.headers.get("etag"), `"${sha256}"`)
    assert.strictEqual(plain.headers.get("cache-control"), "no-cache")
    const packed = await server.send("/cli/lazaret.mjs", { ...anyone, headers: { "accept-encoding": "br, gzip" } })
    assert.strictEqual(packed.headers.get("content-encoding"), "gzip")
    assert.strictEqual(gunzipSync(await packed.arrayBuffer()).toString(), content)
    const known = await server.send("/cli/lazaret.mjs", { ...anyone, headers: { "if-none-match": `"${sha256}"` } })
    assert.deepStrictEqual([known.status, await known.text()], [304, ""])
  })

  it("the digest of the small command line is in the form that sha256sum checks", async () => {
    await using server = await start()
    const answer = await server.send("/cli/lazaret.mjs.sha256", anyone)
    assert.strictEqual(await answer.text(), `${sha256}  lazaret.mjs\n`)
  })

  it("the command line file has an immutable address of its version and content; other editions have none", async () => {
    await using server = await start()
    const { headers } = await server.send("/cli/lazaret.mjs", anyone)
    const pinned = `/cli/1.2.3-${sha256}/lazaret.mjs`
    assert.strictEqual(headers.get("content-location"), pinned)
    const answer = await server.send(pinned, anyone)
    assert.deepStrictEqual([answer.status, await answer.text()], [200, content])
    assert.strictEqual(answer.headers.get("cache-control"), "public, max-age=31536000, immutable")
    const other = await server.send(`/cli/1.2.2-${sha256}/lazaret.mjs`, anyone)
    assert.strictEqual(other.status, 404)
    assert.include(await other.text(), pinned)
  })

  it("a server without it says how to build it", async () => {
    for (const commandLine of [Option.none(), Option.some({ file: "/nowhere", version: "1" })]) {
      await using server = await serve({ config: { commandLine } })
      for (const path of ["/cli/lazaret.mjs", "/cli/lazaret.mjs.sha256", `/cli/1-${sha256}/lazaret.mjs`]) {
        const answer = await server.send(path, anyone)
        assert.strictEqual(answer.status, 404)
        assert.strictEqual(answer.headers.get("content-type"), "application/problem+json")
        assert.include(await answer.text(), "npm run build")
      }
    }
  })
})
