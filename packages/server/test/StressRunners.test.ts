/** The command `lazaret stress` with test runners that are installed. */
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as Server from "../src/Server.ts"
import { settings } from "./settings.ts"
import { placeOf, stress, twice } from "./stress.ts"

layer(Server.layer(settings, Redacted.make("key")), { excludeTestServices: true })(
  "lazaret stress with runners",
  (it) => {
    it.effect("pytest and vitest run what the template selects", () =>
      Effect.gen(function* () {
        const place = yield* placeOf
        const file = join(place, "cart.test.mjs")
        const text = `describe("cart", () => { test("adds 1.5", () => {}); test("breaks", () => { throw new Error("no") }) })`
        writeFileSync(file, text)
        const vitest = join(import.meta.dirname, "../../../node_modules/.bin/vitest")
        const report = `--outputFile=${join(place, "v.xml")}`
        const options = ["run", "--root", place, "--globals", "--reporter=junit", report]
        const all = yield* stress(place, ["--changed-files", file, ...twice], [vitest, ...options, "{files}"])
        assert.match(all.stdout, /breaks: failed in each of 2 runs/u, all.stderr)
        const [, adds = ""] = /^(.*adds 1\.5): 2 clean runs/mu.exec(all.stdout) ?? []
        const found = yield* stress(place, ["--tests", adds, ...twice], [vitest, ...options, "-t", "{pattern}"])
        assert.strictEqual(found.exitCode, 0, `${found.stdout}${found.stderr}`)
        if (spawnSync("python3", ["-m", "pytest", "--version"]).status !== 0) return
        const tested = yield* placeOf
        writeFileSync(join(tested, "test_cart.py"), "def test_adds():\n  pass\n\ndef test_breaks():\n  assert False\n")
        const pytest = [
          "python3",
          "-m",
          "pytest",
          "-q",
          "-p",
          "no:cacheprovider",
          `--junitxml=${join(tested, "p.xml")}`
        ]
        const files = yield* stress(
          tested,
          ["--changed-files", join(tested, "test_cart.py"), ...twice],
          [...pytest, "{files}"]
        )
        assert.strictEqual(files.exitCode, 10, files.stderr)
        assert.match(files.stdout, /test_adds: 2 clean runs/u)
        assert.match(files.stdout, /test_breaks: failed in each of 2 runs/u)
        const [, name = ""] = /^(\S+test_adds): /mu.exec(files.stdout) ?? []
        const named = yield* stress(
          tested,
          ["--tests", name, ...twice],
          [...pytest, "-k", "{expression}", join(tested, "test_cart.py")]
        )
        assert.strictEqual(named.exitCode, 0, `${named.stdout}${named.stderr}`)
      })
    )
  }
)
