import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { HttpServer } from "effect/http"
import * as Server from "../src/Server.ts"
import { run } from "./lazaretEffect.ts"
import { settings } from "./settings.ts"

layer(Server.layer(settings, Redacted.make("key")), { excludeTestServices: true })("the demonstration", (it) => {
  it.effect(
    "the demonstration uploads healthy, flaky and broken tests, and prints commands to see them",
    () =>
      Effect.gen(function* () {
        const url = Server.urlOf(yield* HttpServer.HttpServer)
        const env = { LAZARET_URL: url, LAZARET_TOKEN: "key" }
        const args = ["demo", "--repo", "acme/small", "--days", "14", "--tests", "50"]
        const first = yield* run(args, env)
        assert.strictEqual(first.exitCode, 0)
        const [, healthy, flaky, broken] = /(\d+) healthy, (\d+) flaky, (\d+) broken/.exec(first.stdout) ?? []
        assert.isAtLeast(Number(healthy), 40)
        assert.isAtLeast(Number(flaky), 1)
        assert.isAtLeast(Number(broken), 1)

        const links = first.stdout.match(/(?<=\$LAZARET_TOKEN" ")[^"]+/g) ?? []
        assert.strictEqual(links.length, 3)
        for (const link of links) {
          const response = yield* Effect.promise(() => fetch(link, { headers: { authorization: "Bearer key" } }))
          assert.strictEqual(response.status, 200)
        }

        const again = yield* run([...args, "--json"], env)
        const told = JSON.parse(again.stdout)
        assert.deepInclude(told, { owner: "acme", repository: "small" })
        assert.isAtMost(told.recorded, 39)
        assert.isAtLeast(told.tests.healthy, 40)
      }),
    20_000
  )
})
