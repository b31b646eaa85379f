import { Instant } from "@lazaret/domain"
import { CauseRounds, CostRounds } from "@lazaret/services"
import { assert, describe, it } from "@effect/vitest"
import { delivery, takesDeliveries } from "../github.ts"
import { now, repository, serve, tokens } from "../wire.ts"

type Server = Awaited<ReturnType<typeof serve>>

interface Run {
  readonly commit: string
  readonly at: number
  readonly failed?: ReadonlyArray<string>
  readonly attempt?: number
  readonly job?: string
  readonly base?: string
}

const tests = ["net > a", "net > b", "ui > x"]

/** A job run of three tests, each of one minute. */
const upload = async (server: Server, { at, attempt = 1, base, commit, failed = [], job = "unit" }: Run) => {
  const query = new URLSearchParams({
    pipeline_name: "CI",
    job_name: job,
    commit,
    run_id: commit,
    run_attempt: String(attempt),
    finished_at: new Date(at).toISOString(),
    branch: base === undefined ? "main" : "topic",
    ...(base === undefined ? {} : { base_branch: base })
  })
  const cases = tests.map((name) => {
    const failure = failed.includes(name) ? `<failure type="AssertionError" message="no">no</failure>` : ""
    return `<testcase name="${name.replace(">", "&gt;")}" time="60">${failure}</testcase>`
  })
  const answer = await server.send(`${repository}/reports?${query}`, {
    method: "POST",
    headers: { "content-type": "application/xml" },
    body: `<testsuite>${cases.join("")}</testsuite>`
  })
  assert.strictEqual(answer.status, 201, await answer.text())
}

/** Green commits, and two that flakes made red: on each of them the second attempt is green half an hour later. */
const history = async (server: Server) => {
  for (let index = 0; index < 20; index++) {
    await upload(server, { commit: `g${index}`, at: now - 3 * Instant.day + index * Instant.hour })
  }
  const at = now - 2 * Instant.day
  await upload(server, { commit: "r1", at, failed: ["net > a", "net > b"] })
  await upload(server, { commit: "r1", at, job: "lint" })
  await upload(server, { commit: "r1", at: at + 30 * Instant.minute, attempt: 2 })
  await upload(server, { commit: "r1", at: at + 20 * Instant.minute, attempt: 2, job: "lint" })
  await upload(server, { commit: "p1", at: at + Instant.hour, failed: ["ui > x"], base: "main" })
  await upload(server, { commit: "p1", at: at + 2 * Instant.hour, attempt: 2, base: "main" })
}

const compute = async (server: Server) => {
  server.setNow(now + Instant.hour)
  return await server.run(CostRounds.use(({ round }) => round))
}

const change = (body: object) => ({
  method: "PATCH",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

describe("costs", () => {
  it("a repository with few job runs says how many more are needed, and shows no figure", async () => {
    await using server = await serve()
    await upload(server, { commit: "r", at: now - Instant.day, failed: ["ui > x"] })
    const before = await server.json(`${repository}/costs`)
    assert.deepStrictEqual([before.computed_at, before.missing_job_runs, before.figures], [null, null, null])
    assert.strictEqual(before.sentence, "not computed yet: costs follow some minutes after the first report")
    assert.strictEqual(await compute(server), 1)
    const page = await server.json(`${repository}/costs`)
    assert.deepStrictEqual([page.missing_job_runs, page.figures, page.costs], [19, null, []])
    assert.strictEqual(page.sentence, "not enough data yet: 19 more job runs")
  })

  it("costs are shared among the tests that made job runs red, and shown by test, cause, owner and week", async () => {
    await using server = await serve()
    await history(server)
    await compute(server)
    const page = await server.json(`${repository}/costs?by=test`)
    assert.deepStrictEqual(
      page.costs.map((row: { readonly [field: string]: unknown }) => [
        row["name"],
        row["failed_minutes"],
        row["run_again_minutes"],
        row["waiting_minutes"],
        row["job_runs"]
      ]),
      [
        ["ui > x", 3, 0, 60, 1],
        ["net > a", 1.5, 1.5, 15, 0.5],
        ["net > b", 1.5, 1.5, 15, 0.5]
      ]
    )
    const { figures } = page
    assert.deepStrictEqual(
      [figures.failed_minutes, figures.run_again_minutes, figures.machine_minutes, figures.waiting_minutes],
      [6, 3, 9, 90]
    )
    assert.deepStrictEqual([figures.time_source, figures.judged_minutes, figures.waiting_commits], ["reports", 0, 2])
    assert.deepStrictEqual(figures.commits, {
      all: 22,
      red: 2,
      by_flakes: 2,
      by_flakes_with_gate: 2,
      share: 2 / 22,
      share_with_gate: 2 / 22
    })
    assert.deepStrictEqual([figures.pull_requests.all, figures.pull_requests.by_flakes], [1, 1])
    assert.strictEqual(page.sentence, "the 3 most expensive causes are 100 % of the cost")
    const weeks = await server.json(`${repository}/costs?by=week&weeks=12`)
    assert.deepStrictEqual(
      [weeks.total, weeks.costs.length, weeks.figures.weeks.length, weeks.costs[1].job_runs],
      [12, 10, 12, 2]
    )
    const owners = await server.json(`${repository}/costs?by=owner`)
    assert.deepStrictEqual([owners.total, owners.costs[0].name, owners.costs[0].machine_minutes], [1, null, 9])
    const next = await server.json(`${repository}/costs?by=test&per_page=1`)
    assert.deepStrictEqual([next.total, next.size], [3, 1])
  })

  it("the time of a job is that of the hosting platform where it says one", async () => {
    await using server = await serve({ config: takesDeliveries })
    await history(server)
    const at = now - Instant.day
    await upload(server, { commit: "42", at, failed: ["ui > x"] })
    await upload(server, { commit: "42", at: at + Instant.minute, attempt: 2 })
    const time = (end: number) => ({
      run_id: 42,
      run_attempt: 1,
      name: "unit",
      started_at: new Date(end - 10 * Instant.minute).toISOString(),
      completed_at: new Date(end).toISOString()
    })
    const named = { name: "widgets", owner: { login: "acme" }, default_branch: "main" }
    const job = { action: "completed", workflow_job: time(at), repository: named }
    const answer = await server.send("/v1/webhooks/github", delivery("workflow_job", job))
    assert.strictEqual(answer.status, 202, await answer.text())
    await compute(server)
    const { figures } = await server.json(`${repository}/costs`)
    assert.deepStrictEqual([figures.time_source, figures.platform_job_runs, figures.failed_minutes], ["both", 1, 16])
  })

  it("tests of one cause are one row with its name, and share what they cost", async () => {
    await using server = await serve()
    await history(server)
    for (let index = 0; index < 4; index++) {
      const at = now - Instant.day + 3 * index * Instant.hour
      await upload(server, { commit: `n${index}`, at, failed: ["net > a", "net > b"] })
      await upload(server, { commit: `n${index}`, at: at + Instant.hour, attempt: 2 })
    }
    server.setNow(now + Instant.hour)
    await server.run(CauseRounds.use(({ round }) => round))
    await compute(server)
    const { costs, figures } = await server.json(`${repository}/costs`)
    assert.deepStrictEqual(
      costs.map((row: { readonly [field: string]: unknown }) => [row["name"], row["tests"], row["failed_minutes"]]),
      [
        ["AssertionError: no, 2 tests of net", 2, 15],
        ["AssertionError: no, `ui > x`", 1, 3]
      ]
    )
    assert.match(costs[0].cause_id, /^[0-9a-f-]{36}$/u)
    assert.strictEqual(figures.worst.causes.length, 2)
    const owned = { ...change({ owner: "@acme/net" }), token: tokens.ci }
    await server.json(`${repository}/causes/${costs[0].cause_id}`, owned)
    const owners = await server.json(`${repository}/costs?by=owner`)
    assert.deepStrictEqual(
      owners.costs.map((row: { readonly name: string | null }) => row.name),
      ["@acme/net", null]
    )
  })

  it("a price of the repository changes the amounts, and who changed it is in the audit log", async () => {
    await using server = await serve()
    await history(server)
    await compute(server)
    const prices = { cost_policy: { machine_minute: 0.5, person_minute: 1 } }
    await server.json(`${repository}/settings`, { ...change(prices), token: tokens.admin })
    const { costs, figures } = await server.json(`${repository}/costs?by=test`)
    assert.deepStrictEqual([figures.is_priced, figures.amount, costs[0].amount], [true, 94.5, 61.5])
    const audit = await (await server.send("/v1/audit", { token: tokens.admin })).text()
    assert.include(audit, "machineMinute")
  })

  it("the week that is over is one event, which digests report", async () => {
    await using server = await serve()
    await history(server)
    for (const hours of [1, 2, 3]) {
      await upload(server, { commit: `late${hours}`, at: now })
      server.setNow(now + hours * Instant.hour)
      await server.run(CostRounds.use(({ round }) => round))
    }
    const { events } = await server.json(`${repository}/events?type=costs.week_ended`)
    assert.strictEqual(events.length, 1)
    assert.match(
      events[0].summary,
      /^Last week flaky tests alone made 2 of 22 commits red, and cost 9 minutes of jobs and 90 of waiting; the 3 most expensive causes are 100 % of the cost: ui > x \(33 %\)/u
    )
  })

  it("an unknown repository is 404, a key without access 403, and an unknown table or number of weeks 422", async () => {
    await using server = await serve()
    assert.strictEqual((await server.send(`${repository}/costs`)).status, 404)
    await upload(server, { commit: "c", at: now })
    assert.strictEqual((await server.send(`${repository}/costs`, { token: tokens.other })).status, 403)
    assert.strictEqual((await server.send(`${repository}/costs`, { token: tokens.readOnly })).status, 200)
    assert.strictEqual((await server.send(`${repository}/costs?by=colour`)).status, 422)
    assert.strictEqual((await server.send(`${repository}/costs?weeks=13`)).status, 422)
  })
})
