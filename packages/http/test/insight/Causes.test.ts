import { Instant } from "@lazaret/domain"
import { CauseRounds } from "@lazaret/services"
import { assert, describe, it } from "@effect/vitest"
import { junit, now, repository, serve, tokens, upload } from "../wire.ts"

type Server = Awaited<ReturnType<typeof serve>>

const start = now - 20 * Instant.day

/** Red and green job runs in turn: in each red one the first tests fail. */
const history = async (server: Server, reds: ReadonlyArray<ReadonlyArray<string>>) => {
  for (const [index, failed] of reds.entries()) {
    const tests = ["net > a", "net > b", "ui > x"]
    const at = start + index * Instant.day
    const of = (outcome: (name: string) => "passed" | "failed") =>
      junit(Object.fromEntries(tests.map((name) => [name, outcome(name)])))
    await upload(server, { commit: `g${index}`, at: at - Instant.hour, xml: of(() => "passed") })
    await upload(server, { commit: `r${index}`, at, xml: of((name) => (failed.includes(name) ? "failed" : "passed")) })
  }
}

const both = ["net > a", "net > b"]

const compute = async (server: Server) => {
  server.setNow(now + Instant.hour)
  return await server.run(CauseRounds.use(({ round }) => round))
}

const change = (body: object) => ({
  method: "PATCH",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

describe("causes", () => {
  it("a repository with few red job runs says how many more are needed", async () => {
    await using server = await serve()
    await history(server, [both, both])
    const before = await server.json(`${repository}/causes`)
    assert.deepStrictEqual([before.computed_at, before.causes], [null, []])
    assert.strictEqual(await compute(server), 1)
    const page = await server.json(`${repository}/causes`)
    assert.deepStrictEqual([page.total, page.red_job_runs, page.missing_job_runs], [0, 2, 3])
    assert.strictEqual(page.sentence, "not enough data yet: 3 more job runs with failures")
  })

  it("tests that fail together are one cause, which every failure names", async () => {
    await using server = await serve()
    await history(server, [both, ["ui > x"], both, both, ["ui > x"], both, ["net > a"]])
    await compute(server)
    const page = await server.json(`${repository}/causes`)
    assert.deepStrictEqual(
      page.causes.map((cause: { readonly [field: string]: unknown }) => [
        cause["name"],
        cause["test_names"],
        cause["job_runs"],
        cause["state"]
      ]),
      [
        ["AssertionError: no, 2 tests of net", ["net > a", "net > b"], 5, "open"],
        ["AssertionError: no, `ui > x`", ["ui > x"], 2, "open"]
      ]
    )
    assert.strictEqual(page.sentence, "2 causes from 7 job runs with failures")
    const [{ id, share, weeks }] = page.causes
    assert.closeTo(share, 5 / 7, 1e-9)
    assert.strictEqual(weeks.length, 12)
    const [next] = (await server.json(`${repository}/causes?per_page=1`)).causes
    assert.strictEqual(next.id, id)
    const tests = await server.json(`${repository}/causes/${id}/tests`)
    assert.deepStrictEqual(
      tests.tests.map((test: { readonly job_runs: number; readonly test_name: string }) => [
        test.test_name,
        test.job_runs
      ]),
      [
        ["net > a", 5],
        ["net > b", 4]
      ]
    )
    const ofTest = await server.json(`${repository}/causes?test_id=${tests.tests[1].test_id}`)
    assert.deepStrictEqual([ofTest.total, ofTest.causes[0].id], [1, id])
    const failures = await server.json(`${repository}/commits/r0/failures`)
    assert.deepStrictEqual(failures.failures[0].shared_cause, {
      id,
      name: "AssertionError: no, 2 tests of net",
      tests: 2,
      failed_here: 2,
      sentence: "one of 2 tests with this cause, 2 failed in this run"
    })
    const alone = await server.json(`${repository}/commits/r6/failures`)
    assert.strictEqual(alone.failures[0].shared_cause.failed_here, 1)
  })

  it("a cause is owned, silenced, closed, and open again when it fails after that", async () => {
    await using server = await serve()
    await history(server, [both, both, both, both, both])
    await compute(server)
    const [{ id }] = (await server.json(`${repository}/causes`)).causes
    const path = `${repository}/causes/${id}`
    const send = (body: object, token = tokens.ci) => server.json(path, { ...change(body), token })
    const owned = await send({ owner: "@acme/net", ticket: "NET-1" })
    assert.deepStrictEqual([owned.owner, owned.ticket, owned.state], ["@acme/net", "NET-1", "open"])
    const until = new Date(now + Instant.day).toISOString()
    assert.strictEqual((await send({ silenced_until: until })).state, "silenced")
    assert.strictEqual((await server.json(`${repository}/causes?state=open`)).total, 0)
    const closed = await send({ closed: true, silenced_until: null })
    assert.deepStrictEqual([closed.state, closed.owner], ["closed", "@acme/net"])
    assert.strictEqual((await server.json(path)).closed_at, new Date(now + Instant.hour).toISOString())

    server.setNow(now + 2 * Instant.hour)
    const failed = junit({ "net > a": "failed", "net > b": "failed" })
    await upload(server, { commit: "late", at: now + 2 * Instant.hour, xml: failed })
    server.setNow(now + 3 * Instant.hour)
    await server.run(CauseRounds.use(({ round }) => round))
    const again = await server.json(path)
    assert.deepStrictEqual([again.state, again.closed_at, again.ticket, again.job_runs], ["open", null, "NET-1", 6])
  })

  it("all tests of a cause are quarantined at once, those that had a quarantine are named", async () => {
    await using server = await serve()
    await history(server, [both, both, both, both, both])
    await compute(server)
    const [{ id, name }] = (await server.json(`${repository}/causes`)).causes
    const post = (body: object) => ({ ...change(body), method: "POST" })
    await server.send(`${repository}/quarantines`, post({ test_name: "net > a", reason: "known", branch: null }))
    const answer = await server.json(`${repository}/causes/${id}/quarantine`, post({}))
    assert.deepStrictEqual(answer, { quarantined: ["net > b"], already: ["net > a"] })
    const { quarantined_tests: list } = await server.json(`${repository}/quarantines`)
    assert.deepStrictEqual(list.map(({ reason }: { readonly reason: string }) => reason).toSorted(), [name, "known"])
  })

  it("an unknown cause is 404, a read-only key is 403, and an invalid owner or state is 422", async () => {
    await using server = await serve()
    await history(server, [both])
    const path = `${repository}/causes/6b1f8e2a-3c4d-5e6f-8a9b-0c1d2e3f4a5b`
    assert.strictEqual((await server.send(path)).status, 404)
    assert.strictEqual((await server.send(path, change({ owner: "ada" }))).status, 404)
    assert.strictEqual((await server.send(path, { ...change({ owner: "ada" }), token: tokens.readOnly })).status, 403)
    assert.strictEqual((await server.send(path, change({ owner: "" }))).status, 422)
    assert.strictEqual((await server.send(`${repository}/causes?state=red`)).status, 422)
  })
})
