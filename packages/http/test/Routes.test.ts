import { assert, describe, it } from "@effect/vitest"
import type { Json } from "./description.ts"
import { junit, now, repository, serve, upload } from "./wire.ts"

const hour = 3_600_000
const day = 24 * hour

const iso = (at: number): string => new Date(at).toISOString()

const idOf = async (server: Awaited<ReturnType<typeof serve>>, name: string): Promise<string> =>
  (await server.json(`${repository}/search/tests?test_name=${encodeURIComponent(name)}`)).tests[0].test_id

const names = (rows: ReadonlyArray<Json>): ReadonlyArray<string> => rows.map((row) => row.test_name)

/** Three tests: `a` ran three times and passes, `b` ran twice and is flaky, `c` ran once and is broken. */
const three = async () => {
  const server = await serve()
  const runs = [
    { commit: "c1", at: now - 3 * hour, xml: junit({ a: "passed", b: "failed" }) },
    { commit: "c1", at: now - 2 * hour, xml: junit({ a: "passed", b: "passed" }), run: "again" },
    { commit: "c2", at: now - hour, xml: junit({ a: "passed", c: "failed" }), job: "slow" }
  ]
  for (const run of runs) await upload(server, run)
  return server
}

describe("routes", () => {
  it("search shows the identities that ran most first, ten of them unless asked otherwise", async () => {
    await using server = await three()
    const found = await server.json(`${repository}/search/tests`)
    assert.deepStrictEqual(
      found.tests.map((row: Json) => [row.test_name, row.job_name, row.metrics.health_status]),
      [
        ["a", "unit", "healthy"],
        ["b", "unit", "flaky"],
        ["a", "slow", "healthy"],
        ["c", "slow", "broken"]
      ]
    )
    assert.deepStrictEqual([found.size, found.per_page, found.total], [4, 10, 4])
    assert.deepStrictEqual(found.tests[0].metrics, {
      health_status: "healthy",
      health_confidence: "low",
      failed_executions_impact: null
    })
  })

  it("search filters, excludes and sorts", async () => {
    await using server = await three()
    const search = async (query: string) => names((await server.json(`${repository}/search/tests?${query}`)).tests)
    assert.deepStrictEqual(await search("test_name=b"), ["b"])
    assert.deepStrictEqual(await search("test_name=b&test_name=c"), ["b", "c"])
    assert.deepStrictEqual(await search("test_name=%3F&test_name_exclude=a"), ["b", "c"])
    assert.deepStrictEqual(await search("job_name=s*"), ["a", "c"])
    assert.deepStrictEqual(await search("job_name_exclude=s*&sort=test_name&direction=asc"), ["a", "b"])
    assert.deepStrictEqual(await search("pipeline_name=ci"), [])
    assert.deepStrictEqual(await search("pipeline_name_exclude=CI"), [])
    assert.deepStrictEqual(await search("health_status=flaky&health_status=broken"), ["b", "c"])
    assert.deepStrictEqual(await search("health_status_exclude=healthy"), ["b", "c"])
    assert.deepStrictEqual(await search("health_confidence=high"), [])
    assert.deepStrictEqual(await search("failed_executions_impact=high"), ["b", "c"])
    assert.deepStrictEqual(await search("failed_executions_impact_exclude=high"), ["a", "a"])
    assert.deepStrictEqual(await search("sort=health_status&direction=desc&job_name=slow"), ["c", "a"])
    assert.deepStrictEqual(await search("sort=failed_executions_ratio&direction=desc&per_page=2"), ["c", "b"])
  })

  it("details say null where nothing is known, and the pull request that brought the failure", async () => {
    await using server = await serve()
    const pull = { id: 1, number: 2, title: "t", user: { id: 3, login: "l" } }
    await upload(server, {
      commit: "c1",
      at: now - hour,
      xml: junit({ a: "passed", b: "failed" }),
      pull: JSON.stringify(pull)
    })
    const healthy = await server.json(`${repository}/tests/${await idOf(server, "a")}`)
    assert.deepInclude(healthy, {
      repository: "widgets",
      health_status: "healthy",
      success_ratio: 1,
      first_failure_at: null,
      first_failure_commit: null,
      first_failure_pull: null,
      last_failure_at: null,
      last_success_at: iso(now - hour),
      test_framework: null
    })
    const broken = await server.json(`${repository}/tests/${(await idOf(server, "b")).toUpperCase()}`)
    assert.deepInclude(broken, {
      health_status: "broken",
      last_conclusion: "failed",
      failure_ratio: 1,
      first_failure_at: iso(now - hour),
      first_failure_commit: "c1",
      first_failure_pull: pull
    })
  })

  it("a statistic has every bucket of the window, also the empty ones", async () => {
    await using server = await three()
    const url = `${repository}/tests/${await idOf(server, "b")}/stats`
    const window = `start=${iso(now - 4 * hour)}&end=${iso(now)}`
    const failures = await server.json(`${url}/failure_count?${window}`)
    assert.deepStrictEqual(failures, {
      value: 1,
      value_over_time: [1, 2, 3, 4].map((each, index) => ({
        start: iso(now - (5 - each) * hour),
        end: iso(now - (4 - each) * hour),
        value: index === 1 ? 1 : 0
      })),
      stat: "failure_count"
    })
    const values = async (stat: string) => (await server.json(`${url}/${stat}?${window}`)).value
    assert.deepStrictEqual(
      [await values("success_count"), await values("flaky_count"), await values("mean_duration")],
      [1, 1, 0.5]
    )
    assert.lengthOf((await server.json(`${url}/success_count`)).value_over_time, 24)
    const month = await server.json(`${url}/success_count?start=${iso(now - 60 * day)}&end=${iso(now)}`)
    assert.strictEqual(Date.parse(month.value_over_time[0].end) - Date.parse(month.value_over_time[0].start), 2 * day)
  })

  it("transitions are the edges of the verdict, with what opened them", async () => {
    await using server = await three()
    const found = await server.json(`${repository}/tests/${await idOf(server, "b")}/health-transitions`)
    assert.deepStrictEqual(found, {
      transitions: [
        { at: iso(now - 3 * hour), health_status: "broken", exception_type: "AssertionError", pull_request: null },
        { at: iso(now - 2 * hour), health_status: "flaky", exception_type: "AssertionError", pull_request: null }
      ],
      first_activity_at: iso(now - 3 * hour)
    })
    const before = `start=${iso(now - 9 * hour)}&end=${iso(now - 8 * hour)}`
    assert.deepStrictEqual(
      await server.json(`${repository}/tests/${await idOf(server, "b")}/health-transitions?${before}`),
      {
        transitions: [],
        first_activity_at: null
      }
    )
  })

  it("an explanation names the executions, the rule, and what is missing for recovery", async () => {
    await using server = await three()
    const url = `${repository}/tests/${await idOf(server, "b")}/explain`
    const found = await server.json(url)
    assert.deepInclude(found, { test_name: "b", health_status: "flaky" })
    const [identity] = found.identities
    assert.deepInclude(identity, {
      pipeline_name: "CI",
      job_name: "unit",
      rule: "contradiction",
      since: iso(now - 2 * hour),
      confidence_reason: "proven on 1 commit; no rerun since",
      reruns: 0,
      clean_reruns: 1,
      evidence_total: 2,
      context_total: 0
    })
    assert.approximately(identity.flake_rate_bound, 0.95, 1e-9)
    assert.deepStrictEqual(
      identity.evidence.map((each: Json) => [
        each.finished_at,
        each.commit,
        each.run_id,
        each.conclusion,
        each.exception_type
      ]),
      [
        [iso(now - 3 * hour), "c1", "commit:c1", "failed", "AssertionError"],
        [iso(now - 2 * hour), "c1", "again", "passed", null]
      ]
    )
    assert.deepInclude(identity.recovery, { passes: 9, not_before: iso(now - 3 * hour + 14 * day) })
    assert.match(identity.recovery.sentence, /^Needs 9 more clean passes in a row, the last one at 2026-/u)
    assert.strictEqual((await server.send(`${repository}/tests/${"0".repeat(8)}/explain`)).status, 422)
  })

  it("an explanation shows the latest 100 executions and says how many there are", async () => {
    await using server = await serve()
    for (let i = 0; i < 101; i++) {
      await upload(server, { commit: `c${i}`, at: now - day + i, xml: junit({ a: "failed" }), run: `${i}` })
    }
    const { identities } = await server.json(`${repository}/tests/${await idOf(server, "a")}/explain`)
    assert.lengthOf(identities[0].evidence, 100)
    assert.deepStrictEqual(identities[0].failing, { failures: 101, since: iso(now - day), commit: "c0" })
    assert.strictEqual(identities[0].evidence_total, 101)
    assert.strictEqual(identities[0].evidence.at(-1).commit, "c100")
  })

  it("failures are grouped, and a group shows its latest events", async () => {
    await using server = await three()
    const url = `${repository}/tests/${await idOf(server, "c")}/failures`
    const { failures } = await server.json(url)
    assert.deepInclude(failures[0], { exception_type: "AssertionError", exception_message: "no", failure_count: 1 })
    const detail = await server.json(`${url}/${failures[0].id.toUpperCase()}`)
    assert.deepInclude(detail.latest_events[0], {
      failed_at: iso(now - hour),
      exception_stacktrace: "at c",
      job_url: "https://ci.example.com/slow"
    })
    assert.strictEqual((await server.send(`${url}/7f3b1d5e-90aa-5c1d-8e2b-5b6f0c9d4e21`)).status, 404)
  })

  it("executions are counted per identity in the window", async () => {
    await using server = await three()
    const url = `${repository}/tests/${await idOf(server, "a")}/executions`
    const rows = async (query: string) =>
      (await server.json(`${url}?${query}`)).executions.map((row: Json) => [row.job_name, row.executions_count])
    assert.deepStrictEqual(await rows(""), [
      ["unit", 2],
      ["slow", 1]
    ])
    assert.deepStrictEqual(await rows("sort=job_name&direction=asc"), [
      ["slow", 1],
      ["unit", 2]
    ])
    assert.deepStrictEqual(await rows(`start=${iso(now - 2 * hour)}`), [
      ["slow", 1],
      ["unit", 1]
    ])
    assert.deepStrictEqual(await rows(`end=${iso(now - 9 * hour)}`), [])
    assert.strictEqual(
      (await server.send(url.replace(/tests\/[^/]+/u, "tests/7f3b1d5e-90aa-5c1d-8e2b-5b6f0c9d4e21"))).status,
      404
    )
  })

  it("repository statistics count tests now, and failed executions per day for 30 days", async () => {
    await using server = await three()
    const stat = async (name: string, query = "") => server.json(`${repository}/tests/stats/${name}?${query}`)
    for (const [name, value] of [
      ["total_tests", 4],
      ["healthy_tests", 2],
      ["flaky_tests", 1],
      ["broken_tests", 1],
      ["failed_executions", 2]
    ] as const) {
      const found = await stat(name)
      assert.deepStrictEqual([found.stat, found.value, found.value_over_time.length], [name, value, 30])
    }
    const today = (await stat("flaky_tests")).value_over_time.at(-1)
    assert.deepStrictEqual(today, { start: "2026-06-30T00:00:00.000Z", end: "2026-07-01T00:00:00.000Z", value: 1 })
    assert.strictEqual((await stat("total_tests", "job_name=slow&failed_executions_impact=high")).value, 1)
  })

  it("a quarantine is created, listed, shown and removed", async () => {
    await using server = await serve()
    const body = (fields: object) => ({
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(fields)
    })
    const url = `${repository}/quarantines`
    const everywhere = await server.send(url, body({ test_name: "a", reason: "r" }))
    assert.strictEqual(everywhere.status, 201)
    const { id, ...rest } = JSON.parse(await everywhere.text())
    assert.deepStrictEqual(rest, {})
    assert.strictEqual((await server.send(url, body({ test_name: "a", reason: "r", branch: null }))).status, 409)
    assert.strictEqual((await server.send(url, body({ test_name: "a", reason: "r", branch: "b1" }))).status, 201)
    assert.strictEqual((await server.send(url, body({ test_name: "b", reason: "", branch: "b2" }))).status, 201)

    const all = await server.json(url)
    assert.deepStrictEqual([all.size, all.per_page], [3, null])
    const { test_id, ...shown } = await server.json(`${url}/${id}`)
    assert.deepStrictEqual(shown, {
      id,
      test_name: "a",
      reason: "r",
      branch: null,
      created_at: iso(now),
      source: "manual",
      created_by: shown.created_by,
      is_recovered: false
    })
    assert.match(shown.created_by, /^key /u)
    const sizes = async (query: string) => (await server.json(`${url}?${query}`)).size
    assert.deepStrictEqual(
      [
        await sizes("branch=b1"),
        await sizes("branch=b3"),
        await sizes(`test_id=${test_id.toUpperCase()}`),
        await sizes("source=auto")
      ],
      [2, 1, 2, 0]
    )
    assert.deepStrictEqual(await server.json(`${url}/check`, body({ tests_names: ["b", "a", "c"], branch: "b2" })), {
      quarantined_tests_names: ["b", "a"],
      non_quarantined_tests_names: ["c"]
    })

    const removed = await server.send(`${url}/${id.toUpperCase()}`, { method: "DELETE" })
    assert.deepStrictEqual([removed.status, await removed.text()], [204, ""])
    assert.strictEqual((await server.send(`${url}/${id}`, { method: "DELETE" })).status, 404)
    assert.strictEqual((await server.send(`${url}/${id}`)).status, 404)
    assert.strictEqual(await sizes(""), 2)
  })

  it("names of repositories match without regard to case and are shown as first written", async () => {
    await using server = await serve()
    await upload(server, {
      commit: "c1",
      at: now - hour,
      xml: junit({ a: "passed" }),
      into: "/v1/ci/Acme/repositories/Wid.Gets"
    })
    const path = "/v1/ci/aCME/repositories/wID.gETS"
    const { tests } = await server.json(`${path}/search/tests`)
    assert.strictEqual((await server.json(`${path}/tests/${tests[0].test_id}`)).repository, "Wid.Gets")
    assert.strictEqual((await server.send("/v1/ci/acme/repositories/unknown/search/tests")).status, 404)
  })

  it("reporters get exactly the keys that they read", async () => {
    await using server = await three()
    const context = await server.json(`${repository}/flaky-detection-context`)
    assert.deepStrictEqual(context, {
      budget_ratio_for_new_tests: 0.1,
      budget_ratio_for_unhealthy_tests: 0.05,
      budget_ratio_for_test_retries: 0.05,
      existing_test_names: ["a", "b", "c"],
      existing_tests_mean_duration_ms: 500,
      unhealthy_test_names: ["b", "c"],
      flaky_test_names: ["b"],
      broken_test_names: ["c"],
      max_test_execution_count: 1000,
      max_test_name_length: 10_000,
      min_budget_duration_ms: 4000,
      min_test_execution_count: 5
    })
    assert.strictEqual((await server.send("/v1/ci/acme/repositories/unknown/flaky-detection-context")).status, 404)
  })

  it("a token check says what the token is, and no secret", async () => {
    await using server = await serve()
    const application = await server.json("/v1/application", { token: "ci-token" })
    assert.deepStrictEqual(
      { ...application, id: "" },
      { id: "", name: "ci", scope: "ci", account_scope: { id: "acme", login: "acme" } }
    )
    assert.deepStrictEqual((await server.json("/v1/application")).account_scope, { id: "*", login: "*" })
  })
})
