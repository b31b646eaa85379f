import { assert, describe, it } from "@effect/vitest"
import { operations } from "../description.ts"
import { answer, event, gated, json, record, repo, story, withServer, yaml } from "../queue.ts"
import { now, repository, tokens } from "../wire.ts"

const views = `${repo}/merge-queue`

const check = { name: "unit", description: "", url: null, state: "success", avatar_url: null }

describe("the newer views of the merge queue", () => {
  it(
    "the end of the trial of a gate is in the audit log with its reason and its actor",
    withServer(async (server) => {
      await gated(server, { open: [7], queued: [7] })
      const body = json("PUT", { reason: "tried by hand" })
      const waive = (token: string) =>
        server.send(`${repository}/merge-queue/trial`, { ...body, token }).then(({ status }) => status)
      assert.deepStrictEqual([await waive(tokens.readOnly), await waive(tokens.admin)], [403, 200])
      const { entries } = await server.json("/v1/audit?action=waiveTrial")
      const after = { branch: "main", reason: "tried by hand" }
      assert.deepStrictEqual(
        entries.map(
          (entry: { readonly actor: { readonly name: string }; readonly outcome: string; readonly after: object }) => [
            entry.actor.name,
            entry.outcome,
            entry.after
          ]
        ),
        [["admin", "done", after]]
      )
    })
  )

  it("the OpenAPI document marks no route below /merge-queue/ as deprecated", () => {
    const ours = operations().filter(({ path }) => path.includes("/merge-queue/"))
    assert.isAbove(ours.length, 11)
    assert.deepStrictEqual(
      ours.filter(({ op }) => op["deprecated"] !== undefined),
      []
    )
  })

  it(
    "the newer views of the merge queue of an unknown repository are not found, but for the one that writes",
    withServer(async (server) => {
      for (const path of ["status", "pull/7", "branches", "pause", "engine", "preflight", "log", "pull/7/history"]) {
        assert.strictEqual((await server.send(`${views}/${path}`)).status, 404, path)
      }
      assert.strictEqual((await server.send(`${views}/pause`, { method: "DELETE" })).status, 404)
      assert.strictEqual((await server.send(`${views}/pause`, json("PUT", { reason: "r" }))).status, 200)
      assert.deepStrictEqual((await answer(server, `${views}/branches`)).body, { branches: [] })
    })
  )

  it(
    "the newer views of the merge queue show what the interface shows, without the deprecated view of the checks",
    withServer(async (server) => {
      await story(server, check)
      const { queues } = await server.json(`${repo}/queues`)
      const { speculative_check_pull_request: old, ...queued } = queues[0].pull_requests[0]
      assert.deepStrictEqual(await server.json(`${views}/status`), {
        pause: null,
        queues: [{ branch: { name: "main" }, pull_requests: [queued] }]
      })
      assert.deepStrictEqual(await server.json(`${views}/pull/7`), {
        branch: { name: "main" },
        ...queued,
        mergeability_check: {
          ...queued.mergeability_check,
          checks: old.checks,
          evaluated_conditions: "- [X] unit"
        }
      })
      assert.deepStrictEqual(await server.json(`${views}/branches`), {
        branches: [{ name: "main", queued_count: 1, median_checks_duration: 1200 }]
      })
    })
  )

  it(
    "the newer views of the merge queue share the pause with the routes of the interface",
    withServer(async (server) => {
      await story(server, check)
      const effect = "only_shown"
      const pause = { reason: "release", pause_date: "2026-06-30T12:00:00.000Z" }
      assert.deepStrictEqual(await server.json(`${views}/pause`), { pause: null, effect })
      assert.deepStrictEqual(await server.json(`${views}/pause`, json("PUT", { reason: "release" })), { pause, effect })
      server.setNow(now + 60_000)
      assert.deepStrictEqual(await server.json(`${views}/pause`), { pause, effect })
      assert.deepStrictEqual(await server.json(`${repo}/queue/pause`), { queue_pause: [pause] })
      const status = await server.json(`${views}/status`)
      assert.deepStrictEqual(status.pause, pause)
      assert.isNull(status.queues[0].pull_requests[0].estimated_time_of_merge)
      const again = await server.json(`${views}/pause`, json("PUT", { reason: "incident" }))
      assert.deepStrictEqual(again, { pause: { ...pause, reason: "incident" }, effect })
      const ended = await server.send(`${views}/pause`, { method: "DELETE" })
      assert.deepStrictEqual([ended.status, await ended.text()], [204, ""])
      assert.strictEqual((await server.send(`${views}/pause`, { method: "DELETE" })).status, 404)
      assert.deepStrictEqual(await server.json(`${repo}/queue/pause`), { queue_pause: [] })
    })
  )

  it(
    "the newer views of the merge queue find a pull request by an exact number, or say what is wrong with it",
    withServer(async (server) => {
      await record(server, event("q", "11:00:00", "queued", { pull_request: 9_007_199_254_740_991 }))
      assert.strictEqual((await server.json(`${views}/pull/9007199254740991`)).number, 9_007_199_254_740_991)
      for (const number of ["9007199254740992", "9223372036854776000", "-1", "7.0", "x", "0x7", "%20"]) {
        const { body, status } = await answer(server, `${views}/pull/${number}`)
        assert.strictEqual(status, 422, number)
        const message = "must be a whole number from 0 to 9007199254740991"
        assert.deepStrictEqual(body.errors, [{ location: "path.number", message }], number)
      }
      const { body, status } = await answer(server, `${views}/pull/6`)
      assert.deepStrictEqual([status, body.detail], [404, "Pull request 6 is not in a merge queue of this repository."])
    })
  )

  it(
    "routes refuse an unauthorised caller before anything else, and name the methods of a path",
    withServer(async (server) => {
      for (const path of ["status", "pull/x", "branches", "pause"]) {
        assert.strictEqual((await server.send(`${views}/${path}`, { token: tokens.ci })).status, 403, path)
      }
      const allow = async (path: string) => {
        const response = await server.send(`${views}/${path}`, { method: "PATCH" })
        return [response.status, response.headers.get("allow")]
      }
      assert.deepStrictEqual(await allow("status"), [405, "GET, HEAD, OPTIONS"])
      assert.deepStrictEqual(await allow("pause"), [405, "DELETE, GET, HEAD, OPTIONS, PUT"])
      const reader = await server.send(`${views}/pause`, { ...json("PUT", { reason: "r" }), token: tokens.reader })
      assert.strictEqual(reader.status, 403)
      assert.strictEqual((await server.send(`${views}/pause`, json("PUT", {}))).status, 422)
      assert.strictEqual((await server.send(`${views}/nothing`)).status, 404)
    })
  )

  it(
    "a repository without an engine says why, and the name of a branch that cannot exist is refused",
    withServer(async (server) => {
      const explained = async () => (await server.json(`${views}/engine`)).explanation
      const configure = (text: string) => server.send(`${repo}/queues/configuration`, yaml(text))
      await configure("")
      assert.match(
        await explained(),
        /^The merge queue knows no base branch: `default_branch` of the repository is not set\./u
      )
      await record(server, event("1", "11:00:00", "queued"))
      const { engines, explanation } = await server.json(`${views}/engine`)
      // The events name the base branch: it has the mirror.
      assert.deepStrictEqual(
        [explanation, engines.length, engines[0].branch, engines[0].mode],
        [null, 1, "main", "mirror"]
      )
      await configure("merge_queue: {mode: off}")
      assert.match(await explained(), /^The mode of the merge queue is off/u)
      for (const path of ["preflight", "log"]) {
        for (const branch of ["%00", "", "x".repeat(256), "%ED%A0%80"]) {
          const { status } = await server.send(`${views}/${path}?branch=${branch}`)
          assert.isTrue(status === 422, `${path} ${branch} ${status}`)
        }
      }
    })
  )

  it(
    "a gate over the wire shows its chain, its rules and its log, takes requests, and holds merges during a pause",
    withServer(async (server) => {
      await gated(server, { open: [7, 8], queued: [7] })
      const { engines } = await server.json(`${views}/engine`)
      assert.strictEqual(engines.length, 1)
      const { branch, evicted, findings, groups, is_acting: isActing, mode } = engines[0]
      assert.deepStrictEqual([branch, mode, isActing, evicted], ["main", "gate", true, []])
      assert.deepStrictEqual(groups[0].pulls, [7])
      assert.strictEqual(groups[0].explanation, "Waiting for the required checks.")
      const report = await server.json(`${views}/preflight`)
      assert.deepStrictEqual([report.can_act, report.is_live, report.findings], [false, false, findings])
      const log = await server.send(`${views}/log?per_page=1`)
      assert.match(log.headers.get("link") ?? "", /rel="next"/u)
      const [newest] = (await server.json(`${views}/log`)).lines
      assert.strictEqual(newest.sentence, "The platform built a group for #7.")
      const { lines } = await server.json(`${views}/pull/7/history`)
      assert.deepStrictEqual([lines.length, lines[0].pulls], [1, [7]])
      const asked = await server.send(`${views}/pull/8`, { method: "PUT" })
      assert.deepStrictEqual([asked.status, await asked.json()], [202, { number: 8, branch: "main" }])
      assert.strictEqual((await server.send(`${views}/pull/7`, { method: "DELETE" })).status, 202)
      assert.strictEqual((await server.send(`${views}/pull/99`, { method: "PUT" })).status, 404)
      const reader = await server.send(`${views}/pull/8`, { method: "PUT", token: tokens.reader })
      assert.strictEqual(reader.status, 403)
      assert.strictEqual((await server.json(`${views}/pause`, json("PUT", { reason: "r" }))).effect, "holds_merges")
      assert.deepStrictEqual(
        (await server.json(`${repo}/queues`)).queues[0].pull_requests.map((pull: { number: number }) => pull.number),
        [7]
      )
    })
  )
})
