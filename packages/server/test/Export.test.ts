import { assert, layer } from "@effect/vitest"
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
  it.effect("each execution of the days is one line of JSON, the earliest day first", () =>
    Effect.gen(function* () {
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
  )

  it.effect("a day that does not exist or is in the future exits with 2, and causes are printed in the same way", () =>
    Effect.gen(function* () {
      yield* upload("c0", 0)
      assert.strictEqual((yield* lazaret("--start", "yesterday")).exitCode, 2)
      const future = yield* lazaret("--start", "2999-01-01")
      assert.deepStrictEqual([future.exitCode, /is in the future/u.test(future.stderr)], [2, true])
      const causes = yield* lazaret("causes")
      assert.deepStrictEqual([causes.exitCode, causes.stdout], [0, ""])
    })
  )
})
