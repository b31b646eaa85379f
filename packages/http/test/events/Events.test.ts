import { assert, describe, it } from "@effect/vitest"
import type { Json } from "../description.ts"
import { junit, now, repository, serve, tokens, upload } from "../wire.ts"

const hour = 3_600_000

const happened = async () => {
  const server = await serve()
  await upload(server, { commit: "c1", at: now - 3 * hour, xml: junit({ a: "passed", b: "failed" }) })
  await upload(server, { commit: "c1", at: now - 2 * hour, xml: junit({ a: "passed", b: "passed" }), run: "again" })
  const created = await server.send(`${repository}/quarantines`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ test_name: "b", reason: "flaky" })
  })
  const { id } = JSON.parse(await created.text())
  await server.send(`${repository}/quarantines/${id}`, { method: "DELETE" })
  return { ...server, id }
}

describe("events", () => {
  it("events are listed newest first, each with its actor", async () => {
    await using server = await happened()
    const found = await server.json(`${repository}/events`)
    assert.deepInclude(found, { size: 4, per_page: 10, total: 4 })
    assert.deepStrictEqual(
      found.events.map(({ branch, summary, test_name, type }: Json) => [type, test_name, branch, summary]),
      [
        ["quarantine.removed", "b", null, '"b" is no longer quarantined on every branch.'],
        ["quarantine.created", "b", null, '"b" was quarantined on every branch.'],
        ["test.health_changed", "b", "main", '"b" was broken and is flaky now (CI, unit).'],
        ["test.health_changed", "b", "main", '"b" was healthy and is broken now (CI, unit).']
      ]
    )
    const [removed, created, flaky] = found.events
    assert.match(removed.actor, /^key /u)
    assert.deepStrictEqual(created.detail, {
      quarantine_id: server.id,
      source: "manual",
      reason: "flaky",
      evidence: null
    })
    assert.deepStrictEqual(flaky.detail, {
      from: "broken",
      to: "flaky",
      rule: "contradiction",
      pipeline_name: "CI",
      job_name: "unit",
      commit: "c1",
      ran_at: flaky.detail.ran_at,
      pull_request: null
    })
    assert.isBelow(Date.parse(flaky.detail.ran_at), now)
    assert.deepInclude(flaky, { actor: "auto", at: new Date(now).toISOString() })
  })

  it("events of the merge queue are hidden from CI keys, which do not reach the queue", async () => {
    await using server = await happened()
    const pause = "/v1/repos/acme/widgets/merge-queue/pause"
    const body = JSON.stringify({ reason: "an incident" })
    await server.send(pause, { method: "PUT", headers: { "content-type": "application/json" }, body })
    const typesFor = async (token: string, query = "") =>
      (await server.json(`${repository}/events${query}`, { token })).events.map(({ type }: Json) => type)
    assert.include(await typesFor(tokens.admin), "queue.paused")
    assert.include(await typesFor(tokens.reader), "queue.paused")
    const ci = await server.json(`${repository}/events`, { token: tokens.ci })
    assert.notInclude(JSON.stringify(ci), "queue.")
    assert.strictEqual(ci.total, 4)
    assert.deepStrictEqual(await typesFor(tokens.ci, "?type=queue.paused"), [])
  })

  it("events follow one another over pages, of one type when asked", async () => {
    await using server = await happened()
    const first = await server.send(`${repository}/events?per_page=3`)
    const next = /<([^>]+)>; rel="next"/u.exec(first.headers.get("link") ?? "")?.[1] ?? ""
    const last = await server.json(next.replace("http://lazaret.test", ""))
    assert.deepStrictEqual(
      last.events.map(({ type }: Json) => type),
      ["test.health_changed"]
    )
    const paused = await server.json(`${repository}/events?type=quarantine.created`)
    assert.deepStrictEqual([paused.size, paused.total], [1, 1])
    assert.strictEqual((await server.send(`${repository}/events?type=nothing`)).status, 422)
    assert.strictEqual((await server.send(`${repository}/events?cursor=nothing`)).status, 422)
    assert.strictEqual((await server.send("/v1/ci/acme/repositories/unknown/events")).status, 404)
  })

  it("events tell of pauses and their reasons", async () => {
    await using server = await serve()
    const path = "/v1/repos/acme/widgets/queue/pause"
    const pause = (reason: string) =>
      server.send(path, {
        method: "PUT",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ reason })
      })
    assert.strictEqual((await pause("release")).status, 200)
    await pause("release")
    await server.send(path, { method: "DELETE" })
    const { events } = await server.json(`${repository}/events`)
    assert.deepStrictEqual(
      events.map(({ detail, type }: Json) => [type, detail.reason]),
      [
        ["queue.unpaused", "release"],
        ["queue.paused", "release"]
      ]
    )
  })
})
