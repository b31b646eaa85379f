import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const bin = fileURLToPath(new URL("../bin", import.meta.url))

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
})
