import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { run, type Running, serve } from "./lazaretProcess.ts"

const day = 86_400_000

const daysAgo = (days: number) => new Date(Date.now() - days * day).toISOString()

/** A report as vitest writes it: two tests that pass, and one as given. */
const report = (outcome: "passes" | "fails") => `<?xml version="1.0" encoding="UTF-8" ?>
<testsuites name="vitest tests" tests="3" failures="${outcome === "fails" ? 1 : 0}" errors="0" time="0.2">
    <testsuite name="test/cart.test.ts" tests="3" failures="${outcome === "fails" ? 1 : 0}" errors="0" skipped="0" time="0.1">
        <testcase classname="test/cart.test.ts" name="the cart &gt; adds up" time="0.012"/>
        <testcase classname="test/cart.test.ts" name="the cart &gt; is empty at first" time="0.001"/>
        <testcase classname="test/cart.test.ts" name="the cart &gt; keeps its order" time="0.044">${
          outcome === "passes"
            ? ""
            : `
            <failure message="expected [ 2, 1 ] to deeply equal [ 1, 2 ]" type="AssertionError">AssertionError: expected [ 2, 1 ]
 ❯ test/cart.test.ts:7:10</failure>`
        }
        </testcase>
    </testsuite>
</testsuites>
`

const context = ["--repo", "acme/widgets", "--pipeline", "CI", "--job", "unit", "--branch", "main"]

const folders: Array<string> = []

const folder = () => {
  const path = mkdtempSync(join(tmpdir(), "lazaret-"))
  folders.push(path)
  writeFileSync(join(path, "pass.xml"), report("passes"))
  writeFileSync(join(path, "fail.xml"), report("fails"))
  writeFileSync(join(path, "notes.xml"), "no report at all")
  return path
}

afterAll(() => folders.forEach((path) => rmSync(path, { recursive: true })))

const keyIn = (path: string) => readFileSync(join(path, "data/admin-key"), "utf8").trim()

const get = async (server: Running, key: string, path: string) => {
  const response = await fetch(`${server.url}/v1/ci/acme/repositories/widgets${path}`, {
    headers: { authorization: `Bearer ${key}` }
  })
  assert.strictEqual(response.status, 200)
  // What the tests read is compared with what is expected: another shape fails them.
  return (await response.json()) as Answer
}

interface Answer {
  readonly total: number
  readonly tests: ReadonlyArray<{ readonly test_id: string; readonly test_name: string; readonly metrics: object }>
  readonly transitions: ReadonlyArray<{ readonly health_status: string; readonly exception_type: string | null }>
  readonly repository: string
  readonly first_failure_commit: string
  readonly test_filepath: string
  readonly test_framework: string
}

describe("the main job, end to end", () => {
  let home: string
  let server: Running

  beforeAll(async () => {
    home = folder()
    server = await serve({ cwd: home })
  })

  afterAll(() => server[Symbol.asyncDispose]())

  const ingest = (...args: ReadonlyArray<string>) =>
    run(["ingest", ...context, ...args], { cwd: home, env: { LAZARET_URL: server.url } })

  it("a new server shows its address, its data, its first key once, and what to try", () => {
    const key = keyIn(home)
    assert.strictEqual(server.printed.split(key).length, 2)
    assert.strictEqual(statSync(join(home, "data/admin-key")).mode & 0o777, 0o600)
    assert.include(server.printed, "in memory only")
    for (const next of ["lazaret demo", "lazaret ingest", "curl -H", "export LAZARET_TOKEN="]) {
      assert.include(server.printed, next)
    }
  })

  it("a real report goes in once, however often it is uploaded", async () => {
    const first = await ingest("--commit", "c0", "--finished-at", daysAgo(25), "pass.xml")
    assert.deepStrictEqual(first, {
      exitCode: 0,
      stderr: "",
      stdout:
        "file      received  recorded  duplicates  skipped  identities\n" +
        "pass.xml         3         3           0        0           3\n"
    })
    const again = await ingest("--commit", "c0", "--finished-at", daysAgo(25), "--json", "pass.xml")
    const [{ executions }] = JSON.parse(again.stdout).reports
    assert.deepStrictEqual(executions, { received: 3, recorded: 0, duplicates: 3, skipped: 0 })
  })

  it("a test that failed, passed on the same commit and recovered has those transitions", async () => {
    const failed = await ingest("--commit", "c1", "--run-id", "1", "--finished-at", daysAgo(20), "fail.xml")
    const passed = await ingest(
      "--commit",
      "c1",
      "--run-id",
      "1",
      "--run-attempt",
      "2",
      "--finished-at",
      daysAgo(18),
      "pass.xml"
    )
    assert.deepStrictEqual([failed.exitCode, passed.exitCode], [0, 0])
    const key = keyIn(home)
    const upload = (age: number) =>
      fetch(
        `${server.url}/v1/ci/acme/repositories/widgets/reports?pipeline_name=CI&job_name=unit&branch=main` +
          `&commit=later${age}&finished_at=${daysAgo(age)}`,
        {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/xml" },
          body: report("passes")
        }
      )
    for (let age = 12; age >= 2; age--) assert.strictEqual((await upload(age)).status, 201)

    const { tests, total } = await get(server, key, "/search/tests?per_page=5")
    assert.strictEqual(total, 3)
    const test = tests.find((each) => each.test_name.endsWith("keeps its order"))
    assert.deepStrictEqual(test?.metrics, {
      health_status: "healthy",
      health_confidence: "low",
      failed_executions_impact: null
    })

    const details = await get(server, key, `/tests/${test?.test_id}`)
    assert.strictEqual(details.repository, "widgets")
    assert.strictEqual(details.first_failure_commit, "c1")
    assert.strictEqual(details.test_filepath, "test/cart.test.ts")
    assert.strictEqual(details.test_framework, "vitest")

    const { transitions } = await get(
      server,
      key,
      `/tests/${test?.test_id}/health-transitions?start=${daysAgo(30)}&end=${daysAgo(0)}`
    )
    assert.deepStrictEqual(
      transitions.map((each) => [each.health_status, each.exception_type]),
      [
        ["healthy", null],
        ["broken", "AssertionError"],
        ["flaky", "AssertionError"],
        ["healthy", null]
      ]
    )
  })

  it("a sign-in link works once, whether `lazaret serve` printed it or a request made it", async () => {
    const asked = await run(["sign-in"], { cwd: home, env: { LAZARET_URL: server.url } })
    assert.deepStrictEqual([asked.exitCode, asked.stderr], [0, ""])
    const printed = /dashboard +(\S+)/.exec(server.printed)?.[1] ?? ""
    for (const link of [printed, asked.stdout.trim()]) {
      assert.isTrue(link.startsWith(`${server.url}/sign-in#`), link)
      const body = JSON.stringify({ code: link.split("#")[1] })
      const signIn = async () =>
        (
          await fetch(`${server.url}/session`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body
          })
        ).status
      assert.deepStrictEqual([await signIn(), await signIn()], [200, 403])
    }
  })

  it("a port that is in use is reported in one line, before a key is made", async () => {
    const { port } = new URL(server.url)
    const empty = folder()
    const second = await run(["serve"], { cwd: empty, env: { PORT: port } })
    assert.strictEqual(second.exitCode, 3)
    assert.strictEqual(second.stdout, "")
    assert.isFalse(existsSync(join(empty, "data")))
    assert.match(second.stderr, /^lazaret: Port \d+ of 127\.0\.0\.1 is in use: .*PORT=\d+\.\n$/)
  })

  it("a stopping server finishes its requests, and the next server uses its key again", async () => {
    const key = keyIn(home)
    const slow = request(
      `${server.url}/v1/ci/acme/repositories/widgets/reports?pipeline_name=CI&job_name=slow&commit=c9`,
      {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/xml", expect: "100-continue" }
      }
    )
    const status = new Promise((resolve) => slow.once("response", (response) => resolve(response.statusCode)))
    slow.flushHeaders()
    await new Promise((resolve) => slow.once("continue", resolve))
    const stopped = server.stop("SIGTERM")
    slow.end(report("passes"))
    assert.strictEqual(await status, 201)
    assert.strictEqual((await stopped).exitCode, 0)

    await using again = await serve({ cwd: home })
    assert.notInclude(again.printed, key)
    assert.include(again.printed, "admin-key")
    const response = await fetch(`${again.url}/v1/application`, { headers: { authorization: `Bearer ${key}` } })
    assert.strictEqual(response.status, 200)
    assert.strictEqual((await again.stop("SIGINT")).exitCode, 0)
  })
})

describe("a command that cannot be carried out", () => {
  it("a command that fails ends with one line on stderr and its exit code", async () => {
    const cwd = folder()
    const env = { LAZARET_TOKEN: "k", LAZARET_URL: "http://127.0.0.1:1", PORT: "x" }
    const [usage, unfit, unreachable] = await Promise.all([
      run(["ingest", ...context, "--commit", "c1", "notes.xml"], { cwd, env }),
      run(["serve"], { cwd, env }),
      run(["ingest", ...context, "--commit", "c1", "pass.xml"], { cwd, env })
    ])
    assert.deepStrictEqual([usage.exitCode, unfit.exitCode, unreachable.exitCode], [2, 3, 4])
    for (const { stderr, stdout } of [usage, unfit, unreachable]) {
      assert.match(stderr, /^lazaret: [^\n]+\n$/)
      assert.strictEqual(stdout, "")
    }
  })
})

describe("help and version", () => {
  it("help and version are printed on stdout with exit code 0", async () => {
    const [version, help] = await Promise.all([
      run(["--version"], { cwd: tmpdir() }),
      run(["ingest", "--help"], { cwd: tmpdir() })
    ])
    assert.match(version.stdout, /^lazaret v\d+\.\d+\.\d+\n$/)
    assert.include(help.stdout, "--idempotency-key")
    assert.deepStrictEqual([version.exitCode, help.exitCode, version.stderr, help.stderr], [0, 0, "", ""])
  })
})
