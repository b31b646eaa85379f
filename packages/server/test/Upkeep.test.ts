import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it as test, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { HttpServer } from "effect/http"
import * as Server from "../src/Server.ts"
import { run } from "./lazaretEffect.ts"
import { settings } from "./settings.ts"

const url = Effect.map(HttpServer.HttpServer, Server.urlOf)

const lazaret = (...args: ReadonlyArray<string>) =>
  Effect.flatMap(url, (address) => run(args, { LAZARET_URL: address, LAZARET_TOKEN: "key" }))

const upload = (repository: string) =>
  Effect.flatMap(url, (address) =>
    Effect.promise(async () => {
      const query = "pipeline_name=CI&job_name=unit&commit=c1"
      const response = await fetch(`${address}/v1/ci/acme/repositories/${repository}/reports?${query}`, {
        method: "POST",
        headers: { authorization: "Bearer key", "content-type": "application/xml" },
        body: `<testsuite><testcase name="adds"/></testsuite>`
      })
      assert.strictEqual(response.status, 201)
    })
  )

layer(Server.layer(settings, Redacted.make("key")), { excludeTestServices: true })("upkeep by command", (it) => {
  it.effect("verifies every repository that the key reaches, over all pages, or the one that is named", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* lazaret("verify"), { exitCode: 0, stdout: "There is no repository yet.\n" })
      const names = Array.from({ length: 101 }, (_, index) => `r${String(index).padStart(3, "0")}`)
      yield* Effect.forEach(names, upload, { concurrency: 8 })
      const { exitCode, stderr, stdout } = yield* lazaret("verify")
      assert.deepStrictEqual([exitCode, stderr], [0, ""])
      assert.deepStrictEqual(
        stdout.trim().split("\n"),
        names.map((name) => `acme/${name}: as computed`)
      )
      const one = yield* lazaret("verify", "--repo", "acme/r007", "--json")
      assert.deepStrictEqual(JSON.parse(one.stdout), {
        repositories: [{ owner: "acme", repository: "r007", differences: [], total: 0 }]
      })
    })
  )

  it.effect("computes a repository anew, and refuses one that nothing is known of", () =>
    Effect.gen(function* () {
      yield* upload("anew")
      assert.deepStrictEqual(yield* lazaret("repo", "refold", "--repo", "acme/anew"), {
        exitCode: 0,
        stdout: "acme/anew is computed anew\n",
        stderr: ""
      })
      const unknown = yield* lazaret("repo", "refold", "--repo", "acme/unknown")
      assert.strictEqual(unknown.exitCode, 5)
      assert.match(unknown.stderr, /^lazaret: acme\/unknown: Nothing is known [^\n]*\n$/)
    })
  )
})

/** A server that finds differences. */
const doubtful = (total: number) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const found = { owner: "acme", repository: "widgets", differences: [{ kind: "health", place: "block 0" }], total }
      const server = createServer((request, response) => {
        response.setHeader("content-type", "application/json")
        // Long answers begin with line breaks.
        response.end(request.url === "/v1/application" ? `{"name":"k"}` : `\n\n${JSON.stringify(found)}`)
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return server
    }),
    (server) => Effect.sync(() => server.close())
  )

describe("a verification that finds differences", () => {
  for (const [total, lines, sentence] of [
    [1, 1, "1 difference in acme/widgets."],
    [3, 2, "3 differences in acme/widgets."]
  ] as const) {
    test.effect(`names them and ends with 6: ${sentence}`, () =>
      Effect.gen(function* () {
        // A server on a port always has an address.
        const { port } = (yield* doubtful(total)).address() as AddressInfo
        const env = { LAZARET_URL: `http://127.0.0.1:${port}`, LAZARET_TOKEN: "key" }
        const { exitCode, stderr, stdout } = yield* run(["verify", "--repo", "acme/widgets"], env)
        assert.strictEqual(exitCode, 6)
        assert.include(stdout, "acme/widgets: health of block 0 is not as computed\n")
        assert.strictEqual(stdout.trim().split("\n").length, lines)
        assert.include(stderr, `lazaret: ${sentence} `)
        assert.match(stderr, /then compute anew: lazaret repo refold --repo acme\/widgets\n$/)
      })
    )
  }
})
