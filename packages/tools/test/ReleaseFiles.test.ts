/** The parts of the command that makes and proves the files of a release. */
import { createHash } from "node:crypto"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import * as Bill from "../src/release/Bill.ts"
import * as Checksums from "../src/release/Checksums.ts"
import * as Dockerfile from "../src/release/Dockerfile.ts"
import * as Registry from "../src/release/check/Registry.ts"
import * as Site from "../src/release/check/Site.ts"
import * as Workspace from "../src/Workspace.ts"

const folder = mkdtempSync(join(tmpdir(), "lazaret-release-test-"))
afterAll(() => rmSync(folder, { recursive: true }))

const write = (path: string, text: string): string => {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

describe("the files of a release", () => {
  it("the files of the release are those that the Dockerfile copies", () => {
    const { copied, steps } = Dockerfile.parse(readFileSync(join(Workspace.root, "Dockerfile"), "utf8"))
    assert.deepStrictEqual(copied, ["package.json", "LICENSE", "node_modules", "packages"])
    assert.strictEqual(steps.length, 1)
    assert.match(steps[0] ?? "", /^npm ci .*npm ci --ignore-scripts --omit=dev --workspace=packages\/server/)
  })

  it("an image's file of another form is refused", () => {
    assert.throws(() => Dockerfile.parse("FROM node\nWORKDIR /a\nRUN npm ci\n"), /no two stages/)
    assert.throws(() => Dockerfile.parse("FROM a AS build\nWORKDIR /a\nRUN x\nFROM b\nWORKDIR /a\n"), /no two stages/)
  })

  it("checksums are those of every file, and of no other", () => {
    write("sums/b.txt", "b")
    write("sums/a/c.txt", "c")
    write("sums/SUMS", "old")
    const digest = (text: string) => createHash("sha256").update(text).digest("hex")
    const expected = `${digest("c")}  a/c.txt\n${digest("b")}  b.txt\n`
    assert.strictEqual(Checksums.of(join(folder, "sums"), "SUMS"), expected)
  })

  it("the bill names what is included, and the Node of the programs", () => {
    const components = [{ purl: "pkg:npm/%40a/b@1.0.0" }, { purl: "pkg:npm/c@2.0.0" }]
    const { components: listed } = Bill.part({ components }, new Set(["@a/b@1.0.0"]))
    assert.deepStrictEqual(listed.slice(0, -1), [{ purl: "pkg:npm/%40a/b@1.0.0" }])
    assert.strictEqual(listed.at(-1)?.name, "node")
  })
})

describe("the check of a release", () => {
  it("a page that leads nowhere is found", () => {
    write("site/index.html", `<a href="./guide/">a</a> <a href="/gone.html#x">b</a> <a href="https://x.test/">c</a>`)
    write("site/guide/index.html", `<a href="../index.html?q">a</a><img src="missing.png">`)
    assert.deepStrictEqual([...Site.broken(join(folder, "site"))].sort(), [
      "guide/index.html: missing.png",
      "index.html: /gone.html"
    ])
  })

  it("a registry of the lock file answers with its packages, and with nothing else", async () => {
    const content = "a tarball"
    const integrity = `sha512-${createHash("sha512").update(content).digest("base64")}`
    write(Registry.contentOf("cache", integrity), content)
    const packages = {
      "": {},
      "node_modules/@a/b": { version: "1.0.0", integrity },
      "node_modules/c": { version: "1.0.0" }
    }
    const registry = await Registry.start({ packages }, join(folder, "cache"))
    try {
      const known = await fetch(`${registry.url}/@a%2fb`)
      // What this registry has just been given.
      const { versions } = (await known.json()) as { versions: Record<string, { dist: { tarball: string } }> }
      const tarball = await fetch(versions["1.0.0"]?.dist.tarball ?? "")
      assert.strictEqual(await tarball.text(), content)
      assert.strictEqual((await fetch(`${registry.url}/c`)).status, 404)
    } finally {
      registry.close()
    }
  })
})
