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
  it.effect("`lazaret verify` verifies every repository that the key reaches, over all pages, or one by name", () =>
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

  it.effect("retention run deletes old results, and prints how many", () =>
    Effect.gen(function* () {
      yield* upload("kept")
      const { exitCode, stderr, stdout } = yield* lazaret("retention", "run")
      assert.deepStrictEqual([exitCode, stderr], [0, ""])
      assert.match(
        stdout,
        /^kept for 90 days: results from before \d{4}-\d\d-\d\d are deleted\ndeleted in \d+ repositor/
      )
      assert.match(stdout, /: 0 reports, 0 tests, 0 events\nweekly partitions: \d dropped, /)
      const answer = JSON.parse((yield* lazaret("retention", "run", "--json")).stdout)
      assert.deepInclude(answer, { days: 90, failed: 0, reports: 0, weeks_released: 0 })
    })
  )

  it.effect("retention run refuses a key that is bound to an owner, and names the key that it needs", () =>
    Effect.gen(function* () {
      const issued = yield* lazaret("keys", "create", "--scope", "admin", "--owner", "acme", "bound", "--json")
      const { exitCode, stderr, stdout } = yield* lazaret(
        "retention",
        "run",
        "--token",
        JSON.parse(issued.stdout).secret
      )
      assert.deepStrictEqual([exitCode, stdout], [5, ""])
      assert.include(stderr, "this command needs an admin key for all owners")
    })
  )

  it.effect("repo refold recomputes a repository, and refuses an unknown one", () =>
    Effect.gen(function* () {
      yield* upload("again")
      assert.deepStrictEqual(yield* lazaret("repo", "refold", "--repo", "acme/again"), {
        exitCode: 0,
        stdout: "acme/again is recomputed\n",
        stderr: ""
      })
      const unknown = yield* lazaret("repo", "refold", "--repo", "acme/unknown")
      assert.strictEqual(unknown.exitCode, 5)
      assert.match(unknown.stderr, /^lazaret: acme\/unknown: The server has no data [^\n]*\n$/)
    })
  )
})

const application = { id: "1", name: "k", scope: "admin", account_scope: { id: "*", login: "*" } }

/** A server that gives this answer to every request. */
const answering = (answer: object) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer((request, response) => {
        response.setHeader("content-type", "application/json")
        // Long answers begin with line breaks.
        response.end(request.url === "/v1/application" ? JSON.stringify(application) : `\n\n${JSON.stringify(answer)}`)
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return server
    }),
    (server) => Effect.sync(() => server.close())
  )

/** The end of a command that calls such a server. */
const asked = (server: ReturnType<typeof answering>, ...args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    // A server on a port always has an address.
    const { port } = (yield* server).address() as AddressInfo
    return yield* run(args, { LAZARET_URL: `http://127.0.0.1:${port}`, LAZARET_TOKEN: "key" })
  })

/** A server that finds differences. */
const doubtful = (total: number) =>
  answering({ owner: "acme", repository: "widgets", differences: [{ kind: "health", place: "block 0" }], total })

/** A server that could not check some repositories. */
const incomplete = (failed: number) => {
  const counts = { repositories: 3, failed, reports: 1, identities: 0, events: 2 }
  const weeks = { weeks_prepared: 0, weeks_released: 1, weeks_rewritten: 0 }
  return answering({ days: 30, horizon: "2026-01-05T00:00:00.000Z", ...counts, ...weeks })
}

describe("a run of retention that failed for some repositories", () => {
  for (const [failed, sentence] of [
    [1, "Retention failed for 1 repository: "],
    [2, "Retention failed for 2 repositories: "]
  ] as const) {
    test.effect(`an incomplete run of retention ends with 5 and prints: ${sentence}`, () =>
      Effect.gen(function* () {
        const { exitCode, stderr, stdout } = yield* asked(incomplete(failed), "retention", "run")
        assert.strictEqual(exitCode, 5)
        assert.include(stdout, "deleted in 3 repositories: 1 report, 0 tests, 2 events\n")
        assert.include(stdout, "weekly partitions: 1 dropped, 0 rewritten, 0 created\n")
        assert.include(stderr, `lazaret: ${sentence}`)
      })
    )
  }
})

describe("a verification that finds differences", () => {
  for (const [total, lines, sentence] of [
    [1, 1, "1 difference in acme/widgets."],
    [3, 2, "3 differences in acme/widgets."]
  ] as const) {
    test.effect(`a verification that finds differences ends with 6 and prints: ${sentence}`, () =>
      Effect.gen(function* () {
        const { exitCode, stderr, stdout } = yield* asked(doubtful(total), "verify", "--repo", "acme/widgets")
        assert.strictEqual(exitCode, 6)
        assert.include(stdout, "acme/widgets: health of block 0 is not as computed\n")
        assert.strictEqual(stdout.trim().split("\n").length, lines)
        assert.include(stderr, `lazaret: ${sentence} `)
        assert.match(stderr, /then recompute: lazaret repo refold --repo acme\/widgets\n$/)
      })
    )
  }
})
