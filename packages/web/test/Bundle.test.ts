import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { folder } from "@lazaret/web"
import { beforeAll } from "vitest"

const most = 150_000

describe("the bundle", () => {
  beforeAll(() => {
    const { status, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, "../build.ts")], {
      encoding: "utf8"
    })
    assert.strictEqual(status, 0, stderr)
  })

  const files = () => globSync(["**/*.js", "**/*.css", "**/*.html", "**/*.svg"], { cwd: folder })

  it("the bundle is at most 150 kB, packed with gzip", () => {
    const bytes = files().reduce((sum, file) => sum + gzipSync(readFileSync(join(folder, file))).length, 0)
    assert.isBelow(bytes, most)
    assert.isAbove(bytes, 10_000)
  })

  it("the bundle has nothing inline in its page, and no address of elsewhere", () => {
    const page = readFileSync(join(folder, "index.html"), "utf8")
    assert.notMatch(page, /<style|style=|<script(?![^>]*src=)|\son\w+=/u)
    for (const file of files().filter((name) => !name.endsWith(".svg"))) {
      const text = readFileSync(join(folder, file), "utf8").replaceAll(/http:\/\/(?:www\.w3\.org|localhost)/gu, "")
      assert.notMatch(text, /(?:src|href|url\(|fetch\()["'(\s]*https?:\/\//u, file)
    }
  })
})
