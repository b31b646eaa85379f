/** Every snippet for a CI system is run in a shell, with the variables of the system, against a server. */
import { execFileSync, spawn } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { builtinModules } from "node:module"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { afterAll, assert, beforeAll, describe, it as test, layer } from "@effect/vitest"
import { SingleFile } from "@lazaret/cli"
import { Server, Settings } from "@lazaret/server"
import { Effect, Redacted } from "effect"
import { HttpServer } from "effect/http"
import { type Snippet, snippets, upload } from "./snippets.ts"

const folder = mkdtempSync(join(tmpdir(), "lazaret-ci-"))
const bin = join(folder, "bin")

/** The Node that runs the snippets: the first of PATH with version 20 or newer, else the Node of this process. */
const node = (): string => {
  const others = (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((place) => !place.includes("node_modules"))
    .map((place) => join(place, "node"))
  const isOf = (path: string) => {
    try {
      return Number(/^v(\d+)/.exec(execFileSync(path, ["--version"], { encoding: "utf8" }))?.[1]) >= 20
    } catch {
      return false
    }
  }
  return others.find(isOf) ?? process.execPath
}

const report = `<testsuite name="cart"><testcase classname="cart" name="adds"/><testcase classname="cart" name="pays"><failure/></testcase></testsuite>`

beforeAll(() => {
  execFileSync(process.execPath, [join(import.meta.dirname, "../../cli/build.ts")])
  mkdirSync(bin)
  symlinkSync(node(), join(bin, "node"))
  const scripts = {
    // The tests: they write a report and end with the given code.
    npm: `mkdir -p reports && printf '%s' "$REPORT" > reports/junit.xml; exit "$ENDED"`,
    git: "echo 0123456789abcdef0123456789abcdef01234567"
  }
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, name), 0o755)
  }
}, 60_000)

afterAll(() => rmSync(folder, { recursive: true }))

interface Ended {
  readonly exitCode: number | null
  readonly output: string
}

/** Runs a script in an empty folder. */
const run = ({ env, script, shell }: Snippet, more: Readonly<Record<string, string>>) =>
  Effect.promise(
    () =>
      new Promise<Ended>((resolve) => {
        const cwd = mkdtempSync(join(folder, "job-"))
        const [file = "", ...args] = shell
        const own = { PATH: `${bin}${delimiter}/usr/bin${delimiter}/bin`, RUNNER_TEMP: cwd, HOME: cwd, REPORT: report }
        const child = spawn(file, [...args, "-c", script], { cwd, env: { ...own, ...env, ...more } })
        let output = ""
        child.stdout.on("data", (text) => (output += text))
        child.stderr.on("data", (text) => (output += text))
        child.once("close", (exitCode) => resolve({ exitCode, output }))
      })
  )

const settings = { ...Settings.defaults, port: 0, storage: { _tag: "Memory" as const }, dataFolder: "unused" }

layer(Server.layer(settings, Redacted.make("key")), { excludeTestServices: true })("snippets for CI systems", (it) => {
  const server = Effect.map(HttpServer.HttpServer, (each) => ({
    LAZARET_URL: Server.urlOf(each),
    LAZARET_TOKEN: "key"
  }))

  const uploaded = (url: string, repository: string) => {
    const [owner, name] = repository.split("/")
    const path = `/v1/ci/${owner}/repositories/${name}/search/tests?test_name=cart.pays`
    return Effect.promise(async () => {
      const answer = await fetch(`${url}${path}`, { headers: { authorization: "Bearer key" } })
      return (await answer.json()) as { readonly tests?: ReadonlyArray<Record<string, unknown>> }
    })
  }

  const repositories: Readonly<Record<string, string>> = {
    "GitHub Actions": "acme/github",
    "GitLab CI": "acme/gitlab",
    CircleCI: "acme/circleci",
    Jenkins: "acme/jenkins",
    Buildkite: "acme/buildkite",
    "Azure Pipelines": "acme/azure",
    "any other system": "acme/widgets",
    "one line": "acme/line",
    "the action of GitHub": "acme/action",
    "the component of GitLab": "acme/component"
  }

  for (const [system, snippet] of Object.entries(snippets)) {
    it.effect(`${system}: the report is uploaded under the job, and its failure decides the exit code`, () =>
      Effect.gen(function* () {
        const env = yield* server
        const ended = yield* run(snippet, { ...env, ENDED: "7" })
        assert.strictEqual(ended.exitCode, 10, ended.output)
        const { tests = [] } = yield* uploaded(env.LAZARET_URL, repositories[system] ?? "")
        assert.strictEqual(tests.length, 1, ended.output)
        assert.match(String(tests[0]?.["job_name"]), /^unit/)
      })
    )
  }

  it.effect("the upload with curl alone is counted", () =>
    Effect.gen(function* () {
      const env = yield* server
      const script = `REPORT='${report}' ENDED=0 npm test || true\n${upload.replace("/repositories/widgets/", "/repositories/curl/")}`
      const ended = yield* run({ shell: ["sh", "-e"], script, env: { ENDED: "0" } }, env)
      assert.strictEqual(ended.exitCode, 0, ended.output)
      assert.match(ended.output, /"recorded":2/)
      assert.strictEqual((yield* uploaded(env.LAZARET_URL, "acme/curl")).tests?.length, 1)
    })
  )

  it.effect("the file is the one that its digest says, and the commands of the server need the full installation", () =>
    Effect.gen(function* () {
      const script = `
        curl -fsSLO "$LAZARET_URL/cli/lazaret.mjs"
        curl -fsSL "$LAZARET_URL/cli/lazaret.mjs.sha256" | sha256sum --check
        node lazaret.mjs --version
        node lazaret.mjs demo || echo "exit code $?"`
      const ended = yield* run({ shell: ["sh", "-e"], script, env: {} }, yield* server)
      assert.strictEqual(ended.exitCode, 0, ended.output)
      assert.match(ended.output, /lazaret\.mjs: OK\nlazaret v\d/)
      assert.match(ended.output, /needs the full installation[^]*exit code 3\n$/)
    })
  )
})

describe("snippets for CI systems without a server", () => {
  const away = { LAZARET_URL: "http://127.0.0.1:1", LAZARET_TOKEN: "key" }
  for (const [system, snippet] of Object.entries(snippets)) {
    test.live(`${system}: the exit code of the tests stays`, () =>
      Effect.gen(function* () {
        for (const code of [0, 7]) {
          const ended = yield* run(snippet, { ...away, ENDED: String(code) })
          assert.strictEqual(ended.exitCode, code, ended.output)
          assert.match(ended.output, /curl: \(7\)/)
        }
      })
    )
  }
})

test("the file stays small, and needs no package", () => {
  assert.isBelow(statSync(SingleFile.path).size, 1_500_000)
  const imports = [...readFileSync(SingleFile.path, "utf8").matchAll(/(?:^|[;}])import[^"'();]*["']([^"']+)["']/g)]
  assert.isAbove(imports.length, 5)
  for (const [, name = ""] of imports) assert.include(builtinModules, name.replace(/^node:/, ""))
})
