import { assert, describe, it } from "@effect/vitest"
import type { Json } from "../description.ts"
import { junit, now, repository, serve, tokens, upload } from "../wire.ts"

type Server = Awaited<ReturnType<typeof serve>>

const withServer =
  (body: (server: Server) => Promise<void>): (() => Promise<void>) =>
  async () => {
    await using server = await serve()
    await body(server)
  }

const settings = `${repository}/settings`

const send = async (server: Server, method: string, path: string, body?: unknown, token = tokens.admin) => {
  const content = body === undefined ? {} : { body: JSON.stringify(body) }
  const headers = { "content-type": "application/json" }
  const answer = await server.send(path, { method, token, headers, ...content })
  const text = await answer.text()
  return { status: answer.status, link: answer.headers.get("link") ?? "", body: text === "" ? null : JSON.parse(text) }
}

const change = (server: Server, body: unknown, path = settings) => send(server, "PATCH", path, body)

const listed = async (server: Server, query = "", token = tokens.admin): Promise<ReadonlyArray<Json>> =>
  (await send(server, "GET", `/v1/application-keys${query}`, undefined, token)).body.application_keys

const issue = async (server: Server, body: unknown, token = tokens.admin): Promise<Json> =>
  (await send(server, "POST", "/v1/application-keys", body, token)).body

const idOf = async (server: Server, name: string): Promise<string> =>
  (await listed(server, "?per_page=100")).find((key) => key["name"] === name)?.["id"]

const locations = (body: Json): ReadonlyArray<string> => body["errors"].map((each: Json) => each["location"])

const quarantines = `${repository}/quarantines`

const removal = (server: Server, confirm: unknown, token = tokens.admin) =>
  send(server, "DELETE", repository, { confirm }, token)

describe("the removal of a repository", () => {
  it(
    "a removal needs an admin key and the name of the repository, and leaves nothing",
    withServer(async (server) => {
      assert.strictEqual((await removal(server, "acme/widgets")).status, 404)
      const report = { commit: "c1", at: now, xml: junit({ a: "passed" }) }
      await upload(server, report)
      await send(server, "POST", quarantines, { test_name: "a", reason: "r" })
      assert.strictEqual((await removal(server, "acme/widgets", tokens.ci)).status, 403)
      assert.strictEqual((await removal(server, "acme/widgets", tokens.writer)).status, 403)
      for (const wrong of ["widgets", "acme/other", "", 7]) {
        const refused = await removal(server, wrong)
        assert.strictEqual(refused.status, 422)
        assert.deepStrictEqual(locations(refused.body), ["body.confirm"])
      }
      assert.strictEqual((await removal(server, "Acme/Widgets")).status, 204)
      const { entries } = (await send(server, "GET", "/v1/audit?action=removeRepository")).body
      assert.include(
        entries.map((entry: Json) => entry["outcome"]),
        "done"
      )
      for (const path of [settings, quarantines, `${repository}/search/tests`]) {
        assert.strictEqual((await send(server, "GET", path)).status, 404, path)
      }
      assert.strictEqual((await send(server, "GET", "/v1/repositories")).body.total, 0)
      await upload(server, report)
      assert.strictEqual((await send(server, "GET", `${repository}/search/tests`)).body.total, 1)
      assert.deepStrictEqual((await send(server, "GET", quarantines)).body.quarantined_tests, [])
    })
  )

  it(
    "the removal of a test needs an admin key and its full name, and a later report makes the test new",
    withServer(async (server) => {
      await upload(server, { commit: "c1", at: now, xml: junit({ a: "failed", b: "passed" }) })
      await send(server, "POST", quarantines, { test_name: "a", reason: "r" })
      const search = await send(server, "GET", `${repository}/search/tests?test_name=a`)
      const path = `${repository}/tests/${search.body.tests[0].test_id}`
      const remove = (confirm: unknown, token?: string) => send(server, "DELETE", path, { confirm }, token)
      assert.strictEqual((await remove("a", tokens.ci)).status, 403)
      const refused = await remove("b")
      assert.strictEqual(refused.status, 422)
      assert.deepStrictEqual(locations(refused.body), ["body.confirm"])
      assert.deepStrictEqual(locations((await remove("a\ud800")).body), ["body.confirm"])
      assert.strictEqual((await remove("a")).status, 204)
      assert.strictEqual((await remove("a")).status, 404)
      for (const gone of [path, `${path}/failures`, `${path}/explain`]) {
        assert.strictEqual((await send(server, "GET", gone)).status, 404, gone)
      }
      assert.strictEqual((await send(server, "GET", `${repository}/search/tests`)).body.total, 1)
      assert.deepStrictEqual((await send(server, "GET", quarantines)).body.quarantined_tests, [])
      const { entries } = (await send(server, "GET", "/v1/audit?action=removeTest")).body
      const done = entries.filter((each: { readonly outcome: string }) => each.outcome === "done")
      assert.deepStrictEqual(
        done.map((each: { readonly before: unknown }) => each.before),
        [{ testName: "a" }]
      )
      await upload(server, { commit: "c2", at: now, xml: junit({ a: "passed", b: "passed" }) })
      assert.strictEqual((await send(server, "GET", path)).body.health_status, "healthy")
    })
  )

  it("where uploads alone create repositories, every other write to an unknown repository is 404", async () => {
    await using server = await serve({ creation: "uploads" })
    const body = { test_name: "a", reason: "r" }
    for (const [method, path, payload] of [
      ["POST", quarantines, body],
      ["PATCH", settings, { auto_quarantine: "flaky" }],
      ["PUT", `/v1/repos/acme/widgets/queue/pause`, { reason: "r" }]
    ] as const) {
      const refused = await send(server, method, path, payload)
      assert.strictEqual(refused.status, 404, path)
      assert.include(refused.body.detail, "acme/widgets")
    }
    assert.strictEqual((await send(server, "POST", quarantines, body, "unknown")).status, 403)
    assert.strictEqual((await send(server, "GET", "/v1/repositories")).body.total, 0)
    await upload(server, { commit: "c1", at: now, xml: junit({ a: "passed" }) })
    assert.strictEqual((await send(server, "POST", quarantines, body)).status, 201)
  })
})

describe("retention", () => {
  it(
    "retention drops what is too old, and says what it did",
    withServer(async (server) => {
      const day = 86_400_000
      for (const days of [100, 95, 1]) {
        await upload(server, { commit: `c${days}`, at: now - days * day, xml: junit({ a: "passed" }) })
      }
      const done = await send(server, "POST", "/v1/retention")
      assert.strictEqual(done.status, 200)
      assert.deepInclude(done.body, {
        days: 90,
        horizon: "2026-03-30T00:00:00.000Z",
        repositories: 1,
        failed: 0,
        reports: 2,
        identities: 0,
        events: 0
      })
      assert.deepInclude((await send(server, "POST", "/v1/retention")).body, { repositories: 1, reports: 0 })
    })
  )

  it(
    "retention is for admin keys that reach all owners",
    withServer(async (server) => {
      for (const token of [tokens.other, tokens.ci, tokens.writer]) {
        assert.strictEqual((await send(server, "POST", "/v1/retention", undefined, token)).status, 403)
      }
    })
  )
})

describe("repositories", () => {
  it(
    "repositories are listed as far as the key reaches, by name without regard to case, page by page",
    withServer(async (server) => {
      for (const name of ["acme/Zeta", "acme/alpha", "Other/beta", "acme/beta"]) {
        await change(server, {}, `/v1/ci/${name.replace("/", "/repositories/")}/settings`)
      }
      const first = await send(server, "GET", "/v1/repositories?per_page=3")
      const names = (page: Json) => page["repositories"].map((each: Json) => `${each["owner"]}/${each["repository"]}`)
      assert.deepStrictEqual([first.body.size, first.body.per_page, first.body.total], [3, 3, 4])
      assert.deepStrictEqual(names(first.body), ["acme/alpha", "acme/beta", "acme/Zeta"])
      const next = /<([^>]+)>; rel="next"/u.exec(first.link)?.[1]?.replace("http://lazaret.test", "") ?? ""
      assert.deepStrictEqual(names((await send(server, "GET", next)).body), ["Other/beta"])
      assert.strictEqual((await send(server, "GET", next, undefined, tokens.ci)).status, 422)
      const ofCi = await send(server, "GET", "/v1/repositories", undefined, tokens.ci)
      assert.deepStrictEqual(names(ofCi.body), ["acme/alpha", "acme/beta", "acme/Zeta"])
      const ofOther = await send(server, "GET", "/v1/repositories", undefined, tokens.other)
      assert.deepStrictEqual(ofOther.body.repositories, [
        { owner: "Other", repository: "beta", default_branch: null, created_at: new Date(now).toISOString() }
      ])
      assert.deepStrictEqual([ofOther.body.per_page, ofOther.body.total, ofOther.link], [10, 1, ""])
    })
  )
})

describe("settings", () => {
  it(
    "settings of a repository that is not known are not found, and the first change makes it",
    withServer(async (server) => {
      assert.strictEqual((await send(server, "GET", settings)).status, 404)
      const { body, status } = await change(server, {})
      assert.strictEqual(status, 200)
      assert.deepInclude(body, { default_branch: null, flaky_detection: true, auto_quarantine: "off", overridden: [] })
      assert.strictEqual(body.health.clean_passes, 10)
      assert.deepStrictEqual((await send(server, "GET", settings)).body, body)
    })
  )

  it(
    "change where they are named and stay where not; null brings the default back",
    withServer(async (server) => {
      await change(server, { default_branch: "develop", health: { clean_passes: 20, clean_days: 1 } })
      const second = await change(server, { flaky_detection: false, health: { clean_passes: 30, active_days: 30 } })
      assert.deepInclude(second.body, {
        default_branch: "develop",
        flaky_detection: false,
        overridden: ["health.clean_passes", "health.clean_days"]
      })
      assert.deepInclude(second.body.health, { clean_passes: 30, clean_days: 1 })
      const third = await change(server, { flaky_detection: null, default_branch: null, health: { clean_days: null } })
      assert.deepInclude(third.body, {
        default_branch: null,
        flaky_detection: true,
        overridden: ["health.clean_passes"]
      })
      const fourth = await change(server, { health: null, auto_quarantine_policy: { budget: 3 } })
      assert.deepStrictEqual(fourth.body.overridden, ["auto_quarantine_policy.budget"])
      assert.strictEqual(fourth.body.health.clean_passes, 10)
      assert.deepStrictEqual((await send(server, "GET", settings)).body, fourth.body)
    })
  )

  it(
    "settings that are invalid are refused whole, with every fault",
    withServer(async (server) => {
      const { body, status } = await change(server, {
        default_branch: "",
        flaky_detection: "yes",
        auto_quarantine: "always",
        health: { clean_passes: 0, impact_high: 2, clean_pases: 1 },
        outage: { failed_share: "much" },
        overridden: []
      })
      assert.strictEqual(status, 422)
      assert.sameMembers(
        [...locations(body)],
        [
          "body.default_branch",
          "body.flaky_detection",
          "body.auto_quarantine",
          "body.health.clean_passes",
          "body.health.impact_high",
          "body.health.clean_pases",
          "body.outage.failed_share",
          "body.overridden"
        ]
      )
      assert.strictEqual((await send(server, "GET", settings)).status, 404)
    })
  )

  it(
    "settings that contradict each other are refused, also when only one of them is given",
    withServer(async (server) => {
      const { body, status } = await change(server, { health: { impact_medium: 0.3, confidence_high: 5 } })
      assert.strictEqual(status, 422)
      assert.deepStrictEqual(body.errors, [
        { location: "body.health.confidence_medium", message: "must not be above confidence_high, which is 5" },
        { location: "body.health.impact_medium", message: "must not be above impact_high, which is 0.2" }
      ])
    })
  )
})

describe("application keys", () => {
  it(
    "application keys are made with a secret that is shown once and works at once",
    withServer(async (server) => {
      const made = await issue(server, { name: "nightly", scope: "ci", owner: "acme" })
      assert.match(made["secret"], /^lzr_ci_[\w-]{43}$/u)
      const application = await send(server, "GET", "/v1/application", undefined, made["secret"])
      assert.deepInclude(application.body, { id: made["id"], name: "nightly", scope: "ci" })
      const shown = (await listed(server, "?per_page=100")).find((key) => key["id"] === made["id"])
      const { secret: _, ...rest } = made
      assert.deepStrictEqual(shown, rest)
      assert.strictEqual(rest["revoked_at"], null)
    })
  )

  it(
    "application keys of an owner are managed by that owner's admin keys, who see no others and cannot reach further",
    withServer(async (server) => {
      const mine = await issue(server, { name: "mine", scope: "admin", owner: "OTHER" }, tokens.other)
      assert.strictEqual(mine["owner"], "OTHER")
      const names = (await listed(server, "", tokens.other)).map((key) => key["name"])
      assert.deepStrictEqual(names.toSorted(), ["mine", "other"])
      for (const owner of ["acme", null]) {
        const body = { name: "more", scope: "ci", owner }
        const { status } = await send(server, "POST", "/v1/application-keys", body, tokens.other)
        assert.strictEqual(status, 403)
      }
      const foreign = `/v1/application-keys/${await idOf(server, "ci")}`
      assert.strictEqual((await send(server, "DELETE", foreign, undefined, tokens.other)).status, 404)
      assert.strictEqual((await send(server, "DELETE", foreign)).status, 204)
    })
  )

  it(
    "keys that are revoked grant nothing, stay listed, and cannot be revoked again",
    withServer(async (server) => {
      const path = `/v1/application-keys/${await idOf(server, "other")}`
      assert.strictEqual((await send(server, "DELETE", path, undefined, tokens.other)).status, 204)
      assert.strictEqual((await send(server, "GET", "/v1/application", undefined, tokens.other)).status, 403)
      assert.strictEqual((await send(server, "DELETE", path)).status, 404)
      const shown = (await listed(server, "?per_page=100")).find((key) => key["name"] === "other")
      assert.strictEqual(shown?.["revoked_at"], new Date(now).toISOString())
    })
  )

  it(
    "the last admin key that reaches all owners is kept",
    withServer(async (server) => {
      const path = `/v1/application-keys/${await idOf(server, "admin")}`
      assert.strictEqual((await send(server, "DELETE", path)).status, 409)
      const { secret } = await issue(server, { name: "next", scope: "admin", owner: null })
      assert.strictEqual((await send(server, "DELETE", path, undefined, secret)).status, 204)
      assert.strictEqual((await send(server, "GET", "/v1/application")).status, 403)
    })
  )

  it(
    "application keys that are invalid are refused with every fault",
    withServer(async (server) => {
      const faults = async (body: unknown) =>
        locations((await send(server, "POST", "/v1/application-keys", body)).body).toSorted()
      assert.deepStrictEqual(await faults({ name: "", scope: "root", owner: "a_b", extra: 1 }), [
        "body.extra",
        "body.name",
        "body.owner",
        "body.scope"
      ])
      assert.deepStrictEqual(await faults({ name: "first admin key", scope: "admin" }), ["body.name", "body.owner"])
    })
  )

  it(
    "application keys are listed oldest first, page by page",
    withServer(async (server) => {
      server.setNow(now + 1000)
      await issue(server, { name: "b", scope: "ci", owner: "acme" })
      server.setNow(now + 2000)
      await issue(server, { name: "c", scope: "ci", owner: "acme" })
      const page = await send(server, "GET", "/v1/application-keys?per_page=7")
      assert.deepStrictEqual([page.body.size, page.body.per_page, page.body.total], [7, 7, 8])
      const last = /<([^>]+)>; rel="last"/u.exec(page.link)?.[1]?.replace("http://lazaret.test", "") ?? ""
      assert.deepStrictEqual(
        (await send(server, "GET", last)).body.application_keys.map((key: Json) => key["name"]),
        ["c"]
      )
    })
  )
})
