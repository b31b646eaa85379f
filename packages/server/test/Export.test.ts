import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { assert, layer } from "@effect/vitest"
import { stepsOf } from "@lazaret/tools/steps"
import { Effect, Redacted } from "effect"
import { HttpServer } from "effect/http"
import * as Server from "../src/Server.ts"
import { run } from "./lazaretEffect.ts"
import { settings } from "./settings.ts"

const lazaret = (...args: ReadonlyArray<string>) =>
  Effect.flatMap(HttpServer.HttpServer, (server) =>
    run(["export", ...args], {
      LAZARET_URL: Server.urlOf(server),
      LAZARET_TOKEN: "key",
      LAZARET_REPO: "acme/export"
    })
  )

/** Uploads a run of two tests that finished some days ago. */
const upload = (commit: string, daysAgo: number) =>
  Effect.flatMap(HttpServer.HttpServer, (server) =>
    Effect.promise(async () => {
      const finished_at = new Date(Date.now() - daysAgo * 86_400_000).toISOString()
      const query = new URLSearchParams({ pipeline_name: "CI", job_name: "unit", commit, branch: "main", finished_at })
      const response = await fetch(`${Server.urlOf(server)}/v1/ci/acme/repositories/export/reports?${query}`, {
        method: "POST",
        headers: { authorization: "Bearer key", "content-type": "application/xml" },
        body: `<testsuite><testcase name="a" time="1.5"/><testcase name="b" time="2"/></testsuite>`
      })
      assert.strictEqual(response.status, 201)
    })
  )

const linesOf = ({ stdout }: { readonly stdout: string }) =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    // Each line is an exported execution.
    .map(
      (line) =>
        JSON.parse(line) as { readonly commit: string; readonly test_name: string; readonly duration_seconds: number }
    )

layer(Server.layer(settings, Redacted.make("key")), { excludeTestServices: true })("lazaret export", (it) => {
  const test = stepsOf(it)
  test("each execution of the days is one line of JSON, the earliest day first", function* () {
    for (const daysAgo of [9, 2, 1]) yield* upload(`c${daysAgo}`, daysAgo)
    const ended = yield* lazaret("--days", "5")
    assert.strictEqual(ended.exitCode, 0, ended.stderr)
    assert.deepStrictEqual(
      linesOf(ended).map((each) => [each.commit, each.test_name, each.duration_seconds]),
      [
        ["c2", "a", 1.5],
        ["c2", "b", 2],
        ["c1", "a", 1.5],
        ["c1", "b", 2]
      ]
    )
    const start = new Date(Date.now() - 10 * 86_400_000).toISOString().slice(0, 10)
    assert.strictEqual(linesOf(yield* lazaret("executions", "--start", start)).length, 6)
  })

  test("a day that does not exist or is in the future exits with 2, and causes are printed in the same way", function* () {
    yield* upload("c0", 0)
    assert.strictEqual((yield* lazaret("--start", "yesterday")).exitCode, 2)
    const future = yield* lazaret("--start", "2999-01-01")
    assert.deepStrictEqual([future.exitCode, /is in the future/u.test(future.stderr)], [2, true])
    for (const day of ["2026-02-30", "0001-01-01"]) {
      const ended = yield* lazaret("--start", day)
      assert.strictEqual(ended.exitCode, 2)
      assert.match(ended.stderr, /is not a day from 1970 on/u)
    }
    const causes = yield* lazaret("causes")
    assert.deepStrictEqual([causes.exitCode, causes.stdout], [0, ""])
  })

  test("an export that fails on its first day names no day to go on with", function* () {
    const ended = yield* lazaret("--repo", "acme/nothing")
    assert.strictEqual(ended.exitCode, 5)
    assert.include(ended.stderr, "has no data of the repository acme/nothing")
    assert.notInclude(ended.stderr, "--start")
  })

  test("an export stops with 0 when its reader closes the pipe", function* () {
    yield* upload("c1", 1)
    const url = Server.urlOf(yield* HttpServer.HttpServer)
    const ended = yield* Effect.promise(async () => {
      const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
      // Each answer is a first page that names a next one: without a stop the export has no end.
      const endless = createServer((request, response) => {
        const asked = new URL(request.url ?? "", url)
        asked.searchParams.delete("cursor")
        asked.searchParams.set("per_page", "1")
        void fetch(asked, { headers: { authorization: "Bearer key", "accept-encoding": "identity" } }).then(
          async (page) => response.writeHead(page.status, Object.fromEntries(page.headers)).end(await page.text()),
          () => response.destroy()
        )
      }).listen(0, "127.0.0.1")
      await once(endless, "listening")
      const { port } = endless.address() as AddressInfo
      const bin = fileURLToPath(new URL("../start.js", import.meta.url))
      const child = spawn(
        process.execPath,
        [bin, "export", "--start", yesterday, "--repo", "acme/export", "--token", "key"],
        {
          env: { PATH: process.env.PATH, LAZARET_URL: `http://127.0.0.1:${port}` },
          stdio: ["ignore", "pipe", "pipe"]
        }
      )
      let stderr = ""
      child.stderr.on("data", (chunk) => (stderr += chunk))
      child.stdout.once("data", () => child.stdout.destroy())
      const [exitCode] = await once(child, "close")
      endless.close()
      return { exitCode, stderr }
    })
    assert.strictEqual(ended.exitCode, 0, ended.stderr)
    assert.notInclude(ended.stderr, "EPIPE")
  })
})
