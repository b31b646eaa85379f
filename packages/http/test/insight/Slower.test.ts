import { Instant } from "@lazaret/domain"
import { SlowerRounds } from "@lazaret/services"
import { assert, describe, it } from "@effect/vitest"
import { now, repository, serve, upload } from "../wire.ts"

/** Reports of one job run every six hours: `net > slow` takes three times as long in the last ten of 30. */
const history = async (server: Awaited<ReturnType<typeof serve>>) => {
  for (let index = 0; index < 30; index++) {
    const noise = 1 + 0.02 * Math.sin(7.3 * index)
    const slow = ((index < 20 ? 12 : 36) * noise).toFixed(3)
    await upload(server, {
      commit: `c${String(index).padStart(2, "0")}`,
      at: now - (30 - index) * 6 * Instant.hour,
      xml: `<testsuite><testcase name="net > slow" time="${slow}"/><testcase name="net > even" time="${(8 * noise).toFixed(3)}"/></testsuite>`
    })
  }
}

describe("slower", () => {
  it("a test that takes longer since a commit is listed with its size, its commits and the time of a week", async () => {
    await using server = await serve()
    await history(server)
    const page = await server.json(`${repository}/slower`)
    assert.deepStrictEqual([page.size, page.total, page.tests, page.per_page], [1, 1, 2, 100])
    const [line] = page.lines
    assert.deepStrictEqual(
      [line.kind, line.test_name, line.last_commit, line.first_commit, line.confidence],
      ["test", "net > slow", "c19", "c20", "high"]
    )
    assert.closeTo(line.before_seconds, 12, 0.5)
    assert.closeTo(line.after_seconds, 36, 1.5)
    // 30 job runs in 7 days and 6 hours.
    assert.closeTo(line.added_seconds_per_week, 24 * 29, 60)
    assert.strictEqual(line.latest_seconds.length, 30)
    assert.match(page.sentence, /^1 change adds 1\d minutes a week; 2 tests were compared over 60 days$/)
  })

  it("a round reports a change once, keeps its answer for the page, and a deleted test is in neither", async () => {
    await using server = await serve()
    await history(server)
    const eventsOf = async () => (await server.json(`${repository}/events?type=tests.slower`)).events
    const round = () => server.run(SlowerRounds.use((rounds) => rounds.round))
    assert.strictEqual(await round(), 0, "reports are collected for half an hour")
    server.setNow(now + Instant.hour)
    assert.strictEqual(await round(), 1)
    const [event, ...more] = await eventsOf()
    assert.deepStrictEqual(more, [])
    assert.match(
      event.summary,
      /^"net > slow" takes 3\d(\.\d)? s instead of 1\d(\.\d)? s since commit c20 \(CI, unit\): 1\d min more each week\.$/
    )
    assert.deepInclude(event.detail.changes[0], { kind: "test", last_commit: "c19", first_commit: "c20" })
    assert.deepStrictEqual([event.detail.total, event.test_name], [1, "net > slow"])

    await upload(server, {
      commit: "c30",
      at: now,
      xml: `<testsuite><testcase name="net > slow" time="36.5"/></testsuite>`
    })
    server.setNow(now + 3 * Instant.hour)
    assert.strictEqual(await round(), 1)
    assert.strictEqual((await eventsOf()).length, 1)
    const page = await server.json(`${repository}/slower`)
    assert.deepStrictEqual([page.size, Date.parse(page.computed_at)], [1, now + 3 * Instant.hour])
    const confirmed = { confirm: "net > slow" }
    const deleted = await server.send(`${repository}/tests/${event.test_id}`, {
      method: "DELETE",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(confirmed)
    })
    assert.isTrue(deleted.ok)
    assert.deepStrictEqual((await server.json(`${repository}/slower`)).lines, [])
  })

  it("a server keeps its answer for ten minutes, and a repository without slower tests says so", async () => {
    await using server = await serve()
    await upload(server, {
      commit: "c",
      at: now - Instant.day,
      xml: `<testsuite><testcase name="a" time="1"/></testsuite>`
    })
    const first = await server.json(`${repository}/slower`)
    assert.deepStrictEqual(
      [first.lines, first.sentence],
      [[], "nothing became slower; 0 tests were compared over 60 days"]
    )
    server.setNow(now + 9 * Instant.minute)
    assert.strictEqual((await server.json(`${repository}/slower`)).computed_at, first.computed_at)
    server.setNow(now + 11 * Instant.minute)
    assert.notStrictEqual((await server.json(`${repository}/slower`)).computed_at, first.computed_at)
    assert.strictEqual((await server.send("/v1/ci/acme/repositories/none/slower")).status, 404)
    assert.strictEqual((await server.send(`${repository}/slower?per_page=0`)).status, 422)
  })
})
