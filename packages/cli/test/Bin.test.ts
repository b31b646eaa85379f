import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const bin = fileURLToPath(new URL("../bin", import.meta.url))

const nodeOfClone = join(bin, "../../../node_modules/.bin/node")

describe("the command lazaret", () => {
  it("the command lazaret names its remedy in one line when its packages are not installed, and exits with 3", () => {
    const folder = mkdtempSync(join(tmpdir(), "lazaret-bin-"))
    cpSync(bin, join(folder, "bin"), { recursive: true })
    cpSync(join(bin, "../src"), join(folder, "src"), { recursive: true })
    const { status, stderr } = spawnSync(process.execPath, [join(folder, "bin/lazaret.js"), "--help"], {
      encoding: "utf8"
    })
    rmSync(folder, { recursive: true })
    assert.strictEqual(status, 3, stderr)
    assert.match(stderr, /^lazaret: A package that lazaret needs is missing \(Cannot find package .*Run npm ci.*\n$/)
  })

  it("the command lazaret prints its help", () => {
    const { status, stdout } = spawnSync(process.execPath, [join(bin, "lazaret.js"), "--help"], { encoding: "utf8" })
    assert.strictEqual(status, 0)
    assert.include(stdout, "quarantine")
  })

  it.skipIf(!existsSync(nodeOfClone))(
    "an older Node hands over to the Node of the clone, and its exit code comes back",
    () => {
      const older = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })"
      const args = ["--import", `data:text/javascript,${encodeURIComponent(older)}`, join(bin, "lazaret.js")]
      const run = (...words: ReadonlyArray<string>) =>
        spawnSync(process.execPath, [...args, ...words], { encoding: "utf8" })
      assert.match(run("--version").stdout, /^lazaret v/)
      assert.strictEqual(run("serch").status, 2)
    }
  )
})
