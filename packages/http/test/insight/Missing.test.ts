import { Instant, TestId } from "@lazaret/domain"
import { MissingRounds } from "@lazaret/services"
import { assert, describe, it } from "@effect/vitest"
import { junit, now, repository, serve, tokens, upload } from "../wire.ts"

type Server = Awaited<ReturnType<typeof serve>>

const start = now - 20 * Instant.day

const suite = Array.from({ length: 40 }, (_, index) => `net${index % 4} > case ${index}`)

const passing = (names: ReadonlyArray<string>): string =>
  junit(Object.fromEntries(names.map((name) => [name, "passed" as const])))

/** Daily runs of the default branch, each with these tests. */
const history = async (server: Server, runs: ReadonlyArray<ReadonlyArray<string>>, job = "unit") => {
  for (const [index, names] of runs.entries()) {
    const at = start + index * Instant.day
    await upload(server, { commit: `c${index}`, run: `r${index}`, at, xml: passing(names), job })
  }
}

const usual = (count: number) => Array.from({ length: count }, () => suite)

const search = async (server: Server) => {
  server.setNow(now + Instant.hour)
  return await server.run(MissingRounds.use(({ round }) => round))
}

type Fields = { readonly [field: string]: unknown }

const losses = async (server: Server, query = ""): Promise<ReadonlyArray<Fields>> =>
  (await server.json(`${repository}/losses${query}`)).losses

describe("losses", () => {
  it("a repository with few runs says how many more are needed", async () => {
    await using server = await serve()
    await history(server, usual(2))
    const before = await server.json(`${repository}/losses`)
    assert.deepStrictEqual([before.computed_at, before.losses], [null, []])
    assert.strictEqual(await search(server), 1)
    const page = await server.json(`${repository}/losses`)
    assert.deepStrictEqual([page.total, page.jobs, page.missing_runs], [0, 1, 3])
    assert.strictEqual(page.sentence, "not enough data yet: 3 more runs on the default branch")
  })

  it("tests that one run leaves out are a loss that has returned, and one event", async () => {
    await using server = await serve()
    await history(server, [...usual(6), suite.slice(10), suite])
    await search(server)
    const [loss, ...others] = await losses(server)
    assert.deepStrictEqual(others, [])
    assert.deepStrictEqual(
      [loss?.["kind"], loss?.["state"], loss?.["runs"], loss?.["run_id"], loss?.["commit"], loss?.["job_names"]],
      ["tests", "returned", 1, "r6", "c6", ["unit"]]
    )
    assert.strictEqual(loss?.["sentence"], "10 of 40 tests did not run")
    assert.deepStrictEqual(loss?.["test_names"], suite.slice(0, 10).toSorted())
    assert.deepStrictEqual(await losses(server, "?state=open"), [])
    assert.strictEqual((await losses(server, "?kind=tests&state=returned")).length, 1)
  })

  it("a loss of the last days is one event, however often it is found", async () => {
    await using server = await serve()
    for (let index = 0; index < 8; index++) {
      const names = index < 6 ? suite : suite.slice(10)
      const at = now - (8 - index) * Instant.hour
      await upload(server, { commit: `c${index}`, at, xml: passing(names) })
    }
    await search(server)
    await history(server, usual(1))
    server.setNow(now + 5 * Instant.hour)
    await server.run(MissingRounds.use(({ round }) => round))
    const { events } = await server.json(`${repository}/events?type=job_run.tests_missing`)
    assert.deepStrictEqual(
      events.map(({ summary }: Fields) => summary),
      ["CI / unit, commit c6: 10 of 40 tests did not run."]
    )
  })

  it("tests of a renamed file are proposed as renames, and no loss once these are accepted", async () => {
    await using server = await serve()
    const moved = suite.map((name) => name.replace("net0 >", "client >"))
    await history(server, [...usual(6), moved, moved])
    await search(server)
    const [loss] = await losses(server)
    assert.deepStrictEqual([loss?.["kind"], loss?.["renamed"]], ["renamed", 10])
    const { events } = await server.json(`${repository}/events?type=job_run.tests_missing`)
    assert.deepStrictEqual(events, [])
    const aliases = loss?.["renames"]
    const made = await server.send(`${repository}/test-aliases`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ test_aliases: aliases })
    })
    assert.strictEqual(made.status, 201)
    await upload(server, { commit: "last", at: now - Instant.hour, xml: passing(moved) })
    server.setNow(now + 2 * Instant.hour)
    await server.run(MissingRounds.use(({ round }) => round))
    assert.deepStrictEqual(await losses(server), [])
  })

  it("a job that does not report while another one does is a loss", async () => {
    await using server = await serve()
    await history(server, usual(8))
    await history(server, usual(6), "lint")
    await search(server)
    const [loss] = await losses(server)
    assert.deepStrictEqual([loss?.["kind"], loss?.["job_names"], loss?.["state"]], ["jobs", ["lint"], "open"])
    assert.strictEqual(loss?.["sentence"], "1 of 2 jobs did not report")
  })

  it("the verdict of a run says what it did not execute, and the gate may stop for it", async () => {
    await using server = await serve()
    await history(server, usual(6))
    await upload(server, { commit: "topic", at: now - Instant.hour, xml: passing(suite.slice(10)), pull: "7" })
    const path = `${repository}/commits/topic/failures`
    const judged = await server.json(path)
    assert.strictEqual(judged.sentence, "No test failed. 10 of 40 tests did not run in unit.")
    assert.strictEqual(judged.conclusion, "success")
    assert.deepStrictEqual(
      judged.missing.map(({ expected, missing, test_names }: Fields) => [expected, missing, test_names]),
      [[40, 10, suite.slice(0, 10).toSorted()]]
    )
    const changed = await server.send(`${repository}/settings`, {
      method: "PATCH",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ gate: { missing: "block" } })
    })
    assert.strictEqual(changed.status, 200)
    const stopped = await server.json(path)
    assert.strictEqual(stopped.conclusion, "failure")
    assert.match(stopped.sentence, /The gate does not let such a run pass\.$/u)
    const green = await server.json(`${repository}/commits/c5/failures`)
    assert.deepStrictEqual([green.conclusion, green.missing], ["success", []])
  })

  it("the verdict of a run names a shard that did not report", async () => {
    await using server = await serve()
    const shards = ["unit (1)", "unit (2)"]
    const testsOf = (shard: number) => suite.filter((_, index) => index % 2 === shard)
    for (const [index, job] of shards.entries())
      await history(
        server,
        usual(6).map(() => testsOf(index)),
        job
      )
    const at = now - 5 * Instant.hour
    await upload(server, { commit: "topic", at, xml: passing(testsOf(0)), job: "unit (1)", pull: "7" })
    const judged = await server.json(`${repository}/commits/topic/failures`)
    assert.strictEqual(judged.sentence, "No test failed. The job unit (2) did not report while its siblings did.")
    assert.deepStrictEqual(
      judged.missing.map(({ expected, job_names, kind, missing }: Fields) => [kind, job_names, missing, expected]),
      [["jobs", ["unit (2)"], 1, 2]]
    )
  })

  it("a job that has uploaded its report may ask what it did not execute, while its siblings are running", async () => {
    await using server = await serve()
    await history(server, usual(6))
    await history(server, usual(6), "lint")
    await upload(server, { commit: "topic", at: now, xml: passing(suite.slice(10)), run: "own", pull: "7" })
    const ask = (job: string) =>
      server.json(`${repository}/failures/triage`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ pipeline_name: "CI", job_name: job, commit: "topic", run_id: "own", failures: [] })
      })
    const answer = await ask("unit")
    assert.deepStrictEqual(
      [answer.sentence, answer.conclusion, answer.missing.length],
      ["No test failed. 10 of 40 tests did not run in unit.", "success", 1]
    )
    assert.deepStrictEqual((await ask("lint")).missing, [], "it has not reported yet")
    assert.deepStrictEqual((await server.json(`${repository}/commits/topic/failures`)).missing, [])
  })

  it("a report without the failures that it announces, or of tests that ended with an error, is a failure of the run", async () => {
    await using server = await serve()
    const send = async (commit: string, xml: string, query: Readonly<Record<string, string>> = {}) => {
      const parameters = new URLSearchParams({ pipeline_name: "CI", job_name: "unit", commit, ...query })
      const body = { method: "POST", headers: { "content-type": "application/xml" }, body: xml }
      return await server.json(`${repository}/reports?${parameters}`, body)
    }
    const failuresOf = async (commit: string) =>
      (await server.json(`${repository}/commits/${commit}/failures`)).failures.map(
        ({ is_blocking, message, test_name }: Fields) => [test_name, message, is_blocking]
      )
    const ended = await send("ended", passing(["a > b"]), { tests_ended: "1" })
    assert.deepStrictEqual(ended.executions, { received: 2, recorded: 2, duplicates: 0, skipped: 0 })
    const sentence = "The tests ended with 1, and no report lists a failed test. See the output of the run."
    assert.deepStrictEqual(ended.warnings.slice(0, 1), [`${sentence} \`test run\` is recorded as failed.`])
    assert.deepStrictEqual(await failuresOf("ended"), [["test run", sentence, true]])
    await send("announced", `<testsuite tests="2" failures="2"><testcase name="a"/></testsuite>`)
    const announced = "The report announces 2 failures, and lists none. See the output of the run."
    assert.deepStrictEqual(await failuresOf("announced"), [["test run", announced, true]])
    await send("green", passing(["a > b"]), { tests_ended: "0" })
    assert.deepStrictEqual(await failuresOf("green"), [])
    await send("red", junit({ "a > b": "failed" }), { tests_ended: "1" })
    assert.deepStrictEqual(
      (await failuresOf("red")).map(([name]: ReadonlyArray<unknown>) => name),
      ["a > b"]
    )
  })

  it("the failure of a run passes when tests end with 0, until it has recovered, and only in its job", async () => {
    await using server = await serve()
    const id = TestId.of("test run")
    const executions = () => server.json(`${repository}/tests/${id}`)
    const send = async (index: number, job: string, ended: string) => {
      const at = new Date(now - (40 - index) * Instant.hour).toISOString()
      const parameters = {
        pipeline_name: "CI",
        job_name: job,
        commit: `c${index}`,
        finished_at: at,
        tests_ended: ended
      }
      const body = { method: "POST", headers: { "content-type": "application/xml" }, body: passing(["a > b"]) }
      const answer = await server.json(`${repository}/reports?${new URLSearchParams(parameters)}`, body)
      return answer.executions.recorded
    }
    assert.strictEqual(await send(0, "unit", "0"), 1, "no such test is known")
    assert.strictEqual(await send(1, "unit", "1"), 2)
    assert.strictEqual((await executions()).health_status, "broken")
    assert.strictEqual(await send(2, "lint", "0"), 1, "another job")
    let passes = 0
    for (let index = 3; index < 40 && (await executions()).health_status !== "healthy"; index++) {
      assert.strictEqual(await send(index, "unit", "0"), 2)
      passes += 1
    }
    assert.strictEqual((await executions()).health_status, "healthy")
    assert.isAtLeast(passes, 1)
    assert.strictEqual(await send(40, "unit", "0"), 1, "it has recovered")
  })

  it("losses are for callers that may read tests", async () => {
    await using server = await serve()
    await history(server, usual(1))
    const answer = await server.send(`${repository}/losses`, { token: tokens.uploadOnly })
    assert.strictEqual(answer.status, 403)
  })
})
