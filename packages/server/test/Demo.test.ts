import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { HttpServer } from "effect/http"
import * as Server from "../src/Server.ts"
import { run } from "./lazaretEffect.ts"
import { settings } from "./settings.ts"

layer(Server.layer(settings, Redacted.make("key")), { excludeTestServices: true })("the demonstration", (it) => {
  it.effect(
    "the demonstration has healthy, flaky and broken tests, an outage, a red pull request, a quarantine with an end and a queue",
    () =>
      Effect.gen(function* () {
        const url = Server.urlOf(yield* HttpServer.HttpServer)
        const env = { LAZARET_URL: url, LAZARET_TOKEN: "key" }
        const args = ["demo", "--repo", "acme/small", "--days", "14", "--tests", "50"]
        const first = yield* run(args, env)
        assert.strictEqual(first.stderr.split("\n").slice(1).join(""), "")
        assert.strictEqual(first.exitCode, 0)
        const [, healthy, flaky, broken] = /(\d+) healthy, (\d+) flaky, (\d+) broken/.exec(first.stdout) ?? []
        assert.isAtLeast(Number(healthy), 40)
        assert.isAtLeast(Number(flaky), 1)
        assert.isAtLeast(Number(broken), 1)

        const ask = (path: string) =>
          Effect.promise(async () => {
            const response = await fetch(path, { headers: { authorization: "Bearer key" } })
            assert.strictEqual(response.status, 200, path)
            return JSON.parse(await response.text())
          })
        yield* ask(/(?<=\$LAZARET_TOKEN" ")[^"]+/u.exec(first.stdout)?.[0] ?? "")

        const ci = `${url}/v1/ci/acme/repositories/small`
        const [, pull, sentence = ""] = /^Pull request (\d+): (.*)$/mu.exec(first.stdout) ?? []
        assert.match(first.stdout, new RegExp(`${url}/acme/small/pulls/${pull}$`, "mu"))
        assert.strictEqual((yield* ask(`${ci}/pulls/${pull}/failures`)).sentence, sentence)
        assert.match(sentence, /probably caused by this change/u)
        const { quarantines } = yield* ask(`${ci}/quarantine-debt`)
        assert.deepInclude(quarantines[0], { owner: "@acme/platform", scope: "every_run" })
        const outages = yield* ask(`${ci}/outages`)
        assert.strictEqual(outages.total, 1)
        const elsewhere = yield* ask(`${ci}/branch-tests`)
        assert.match(elsewhere.tests[0]?.test_name ?? "", /test_accepts_vouchers/u)
        const { queues } = yield* ask(`${url}/v1/repos/acme/small/queues`)
        assert.lengthOf(queues[0]?.pull_requests ?? [], 3)
        const { entries } = yield* ask(`${url}/v1/audit?owner=acme&per_page=50`)
        assert.includeMembers(
          entries.map(({ action }: { readonly action: string }) => action),
          ["createQuarantine", "setQuarantineLife", "markFailure", "putQueuesConfiguration"]
        )

        const again = yield* run([...args, "--json"], env)
        const printed = JSON.parse(again.stdout)
        assert.deepInclude(printed, { owner: "acme", repository: "small" })
        assert.isAtMost(printed.recorded, 39)
        assert.isAtLeast(printed.tests.healthy, 40)
      }),
    60_000
  )
})
