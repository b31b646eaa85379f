import { assert, describe, it } from "@effect/vitest"
import type { Json } from "../description.ts"
import { junit, now, repository, serve, tokens, upload } from "../wire.ts"

const hour = 3_600_000

/** `Adds` passes in two jobs, `adds twice` is flaky, `breaks` is broken. */
const three = async () => {
  const server = await serve()
  const runs = [
    { commit: "c1", at: now - 3 * hour, xml: junit({ Adds: "passed", "adds twice": "failed" }) },
    { commit: "c1", at: now - 2 * hour, xml: junit({ Adds: "passed", "adds twice": "passed" }), run: "again" },
    { commit: "c2", at: now - hour, xml: junit({ Adds: "passed", breaks: "failed" }), job: "slow" }
  ]
  for (const run of runs) await upload(server, run)
  return server
}

const names = (rows: ReadonlyArray<Json>): ReadonlyArray<string> => rows.map((row) => row.test_name)

describe("overview", () => {
  it("the list of tests begins with what is broken, then flaky, and counts the values of its filters", async () => {
    await using server = await three()
    const found = await server.json(`${repository}/tests`)
    assert.deepStrictEqual(names(found.tests), ["breaks", "adds twice", "Adds", "Adds"])
    assert.deepInclude(found, { size: 4, per_page: 10, offset: 0, total: 4 })
    assert.deepInclude(found.tests[0], { health_status: "broken", failures_in_a_row: 1 })
    assert.deepInclude(found.tests[1], {
      health_status: "flaky",
      failure_ratio: 0.5,
      executions_count: 2,
      failed_count: 1,
      first_seen_at: new Date(now - 3 * hour).toISOString(),
      last_failure_at: new Date(now - 3 * hour).toISOString(),
      since: new Date(now - 2 * hour).toISOString(),
      failures_in_a_row: 0,
      is_quarantined: false
    })
    assert.deepStrictEqual(found.facets.health_status, [
      { value: "healthy", count: 2 },
      { value: "flaky", count: 1 },
      { value: "broken", count: 1 }
    ])
    assert.deepStrictEqual(found.facets.job_name, [
      { value: "slow", count: 2 },
      { value: "unit", count: 2 }
    ])
  })

  it("the search of the list ignores case and finds parts, and its pages have links and a place", async () => {
    await using server = await three()
    const search = async (query: string) => names((await server.json(`${repository}/tests?${query}`)).tests)
    assert.deepStrictEqual(await search("search=ADDS&sort=test_name&direction=asc"), ["Adds", "Adds", "adds twice"])
    assert.deepStrictEqual(await search("search=adds%20!TWICE&job_name=unit"), ["Adds"])
    assert.deepStrictEqual(await search("quarantined=true"), [])
    const body = JSON.stringify({ test_name: "breaks", reason: "known" })
    await server.send(`${repository}/quarantines`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body
    })
    assert.deepStrictEqual(await search("quarantined=true"), ["breaks"])
    const answer = await server.send(`${repository}/tests?per_page=3`)
    const [, next = ""] = /<([^>]+)>; rel="next"/u.exec(answer.headers.get("link") ?? "") ?? []
    const { pathname, search: query } = new URL(next)
    assert.deepInclude(await server.json(`${pathname}${query}`), { size: 1, offset: 3, total: 4 })
    const refused = await server.send(`${pathname}${query}&search=other`)
    assert.strictEqual(refused.status, 422)
  })

  it("a repository in short has its tests by status and the time of its last upload", async () => {
    await using server = await three()
    assert.deepStrictEqual(await server.json(`${repository}/summary`), {
      owner: "acme",
      repository: "widgets",
      tests: { healthy: 2, flaky: 1, broken: 1 },
      quarantines: 0,
      last_upload_at: new Date(now).toISOString(),
      links: null,
      has_queue: false
    })
    const settings = { method: "PATCH", headers: { "content-type": "application/json" } }
    const address = "https://git.example/web/widgets/-"
    const changed = await server.send(`${repository}/settings`, {
      ...settings,
      body: JSON.stringify({ repository_url: address })
    })
    assert.strictEqual(changed.status, 200)
    assert.strictEqual(
      (await server.json(`${repository}/summary`)).links.pull_request,
      `${address}/merge_requests/{number}`
    )
    const refused = await server.send(`${repository}/settings`, {
      ...settings,
      body: JSON.stringify({ repository_url: "javascript:alert(1)" })
    })
    assert.strictEqual(refused.status, 422)
    const unknown = await server.send("/v1/ci/acme/repositories/unknown/summary")
    assert.strictEqual(unknown.status, 404)
  })

  it("a queue is shown to an admin key, and not to a CI key, which does not reach it", async () => {
    await using server = await three()
    await server.send("/v1/repos/acme/widgets/merge-queue/pause", {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ reason: "an incident" })
    })
    const hasQueue = async (token: string) =>
      JSON.parse(await (await server.send(`${repository}/summary`, { token })).text()).has_queue
    assert.deepStrictEqual([await hasQueue(tokens.admin), await hasQueue(tokens.ci)], [true, false])
  })

  it("the trend has thirty days, with red runs and those for flaky tests alone", async () => {
    await using server = await three()
    const { days, ...total } = await server.json(`${repository}/trend`)
    assert.deepStrictEqual(total, { executions: 6, failed_executions: 2 })
    assert.strictEqual(days.length, 30)
    assert.deepInclude(days.at(-1), {
      flaky_tests: 1,
      broken_tests: 1,
      quarantines: 0,
      job_runs: 3,
      red_job_runs: 2,
      outages: 0,
      flaky_job_runs: 1,
      flaky_job_run_seconds: 1
    })
    assert.deepInclude(days[0], { flaky_tests: 0, broken_tests: 0, job_runs: 0 })
  })
})
