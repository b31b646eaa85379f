import { assert, describe, it } from "@effect/vitest"
import { operations } from "../description.ts"
import { answer, event, json, record, repo, type Server, story, withServer, yaml } from "../queue.ts"
import { now, tokens } from "../wire.ts"

const pause = (reason: string) => json("PUT", { reason })

describe("the routes of the merge queue", () => {
  const tagged = (tag: string) => operations().filter(({ op }) => op["tags"].includes(tag))

  it("all seven queue routes are deprecated, and their feeds are not", () => {
    assert.deepStrictEqual(
      tagged("queues").map(({ op }) => op["deprecated"]),
      Array.from({ length: 7 }, () => true)
    )
    assert.sameDeepMembers(
      tagged("queue feeds").map(({ op }) => [op["operationId"], op["deprecated"]]),
      [
        ["recordQueueEvents", undefined],
        ["putQueuesConfiguration", undefined]
      ]
    )
  })

  it(
    "the routes of the merge queue of a repository that does not exist are not found, but for those that write",
    withServer(async (server) => {
      for (const path of ["queues/configuration", "queue/pause", "queues", "queues/branches"]) {
        assert.strictEqual((await server.send(`${repo}/${path}`)).status, 404, path)
      }
      assert.strictEqual((await server.send(`${repo}/queue/pause`, { method: "DELETE" })).status, 404)
      assert.strictEqual((await server.send(`${repo}/queue/pause/delete`, { method: "POST" })).status, 404)
      assert.strictEqual((await server.send(`${repo}/queue/pause`, pause("r"))).status, 200)
      assert.deepStrictEqual(await server.json(`${repo}/queues`), { queues: [] })
    })
  )
})

describe("the pause (interface 4.2.2 to 4.2.5)", () => {
  it(
    "the pause is a list of one, or of none",
    withServer(async (server) => {
      const paused = { queue_pause: [{ reason: "release", pause_date: "2026-06-30T12:00:00.000Z" }] }
      assert.deepStrictEqual(await server.json(`${repo}/queue/pause`, pause("release")), paused)
      assert.deepStrictEqual(await server.json(`${repo}/queue/pause`), paused)
      const ended = await server.send(`${repo}/queue/pause`, { method: "DELETE" })
      assert.deepStrictEqual([ended.status, await ended.text()], [204, ""])
      assert.deepStrictEqual(await server.json(`${repo}/queue/pause`), { queue_pause: [] })
    })
  )

  it(
    "the pause keeps its date and takes the new reason",
    withServer(async (server) => {
      await server.send(`${repo}/queue/pause`, pause("release"))
      server.setNow(now + 60_000)
      const { queue_pause: pauses } = await server.json(`${repo}/queue/pause`, pause("incident"))
      assert.deepStrictEqual(pauses, [{ reason: "incident", pause_date: "2026-06-30T12:00:00.000Z" }])
    })
  )

  it(
    "the pause ends by POST as by DELETE, and only once",
    withServer(async (server) => {
      const end = async (method: string, path: string) => (await server.send(`${repo}/${path}`, { method })).status
      await server.send(`${repo}/queue/pause`, pause("release"))
      assert.strictEqual(await end("POST", "queue/pause/delete"), 204)
      assert.strictEqual(await end("POST", "queue/pause/delete"), 404)
      assert.strictEqual(await end("DELETE", "queue/pause"), 404)
      await server.send(`${repo}/queue/pause`, pause("again"))
      assert.strictEqual(await end("DELETE", "queue/pause"), 204)
    })
  )

  it(
    "the pause has a reason of 0 to 255 characters",
    withServer(async (server) => {
      for (const reason of ["", "a".repeat(255), "\u{1F600}".repeat(255)]) {
        assert.strictEqual((await server.send(`${repo}/queue/pause`, pause(reason))).status, 200)
      }
      for (const body of [`{"reason":"${"a".repeat(256)}"}`, `{"reason":null}`, `{"reason":"a\\u0000"}`, "{}"]) {
        const refused = await answer(server, `${repo}/queue/pause`, json("PUT", body))
        assert.strictEqual(refused.status, 422, body)
        assert.deepStrictEqual(
          refused.body.errors.map(({ location }: { readonly location: string }) => location),
          ["body.reason"]
        )
      }
    })
  )

  it(
    "the pause reads with a token that may read, and is moved by one that may write",
    withServer(async (server) => {
      const as = async (token: string, method: string) =>
        (
          await server.send(`${repo}/queue/pause`, {
            ...pause("r"),
            ...(method === "GET" ? { body: "" } : {}),
            method,
            token
          })
        ).status
      assert.strictEqual(await as(tokens.writer, "PUT"), 200)
      assert.strictEqual(await as(tokens.reader, "PUT"), 403)
      assert.strictEqual(await as(tokens.ci, "PUT"), 403)
    })
  )
})

describe("the configuration (interface 4.2.1)", () => {
  const put = (server: Server, text: string) => server.json(`${repo}/queues/configuration`, yaml(text))

  it(
    "the configuration lists the rules in processing order, with every setting",
    withServer(async (server) => {
      await put(
        server,
        "queue_rules:\n  - name: hotfix\n    checks_timeout: 1h 30m\n  - name: default\n    batch_size: 5\n"
      )
      const { configuration } = await server.json(`${repo}/queues/configuration`)
      assert.deepStrictEqual(configuration[0], {
        name: "hotfix",
        config: {
          priority: 1,
          batch_size: 1,
          batch_max_wait_time: 30,
          batch_max_failure_resolution_attempts: null,
          allow_inplace_checks: true,
          allow_queue_branch_edit: false,
          checks_timeout: 5400,
          commit_message_template: null,
          draft_bot_account: null,
          merge_bot_account: null,
          merge_method: "merge",
          queue_branch_merge_method: null,
          queue_branch_prefix: "gh-readonly-queue/",
          update_bot_account: null,
          update_method: "merge"
        }
      })
      assert.deepInclude(configuration[1], { name: "default" })
      assert.deepInclude(configuration[1].config, { priority: 0, batch_size: 5 })
    })
  )

  it(
    "the configuration is empty where no file was given",
    withServer(async (server) => {
      await server.send(`${repo}/queue/pause`, pause("r"))
      assert.deepStrictEqual(await server.json(`${repo}/queues/configuration`), { configuration: [] })
    })
  )

  it(
    "an invalid configuration answers 422 with every fault and its line, and leaves the queue readable",
    withServer(async (server) => {
      await put(server, "queue_rules:\n  - name: default\n    batch_size: 0\n    batchsize: 3\n")
      await record(server, event("q", "11:00:00", "queued"))
      const { body, status } = await answer(server, `${repo}/queues/configuration`)
      assert.strictEqual(status, 422)
      assert.strictEqual(body.type, "about:blank")
      assert.deepStrictEqual(body.errors, [
        {
          location: "configuration.queue_rules[0].batch_size",
          message: "Line 3: must be a whole number from 1 to 128"
        },
        {
          location: "configuration.queue_rules[0].batchsize",
          message: "Line 4: is not a known key; did you mean batch_size?"
        }
      ])
      const { queues } = await server.json(`${repo}/queues`)
      assert.strictEqual(queues[0].pull_requests[0].queue_rule.config.batch_size, 1)
    })
  )
})

describe("the queues (interface 4.2.6)", () => {
  it(
    "the queues show a pull request with every field",
    withServer(async (server) => {
      const check = {
        name: "unit",
        description: "all green",
        url: "https://ci.example/1",
        details_url: null,
        state: "success",
        avatar_url: null
      }
      await story(server, check)
      const times = { started_at: "2026-06-30T11:51:00.000Z", ended_at: null }
      const { queues } = await server.json(`${repo}/queues`)
      assert.deepStrictEqual(queues, [
        {
          branch: { name: "main" },
          pull_requests: [
            {
              number: 7,
              position: 0,
              priority: 3000,
              effective_priority: 3000,
              priority_alias: "high",
              queue_rule: { name: "default", config: queues[0].pull_requests[0].queue_rule.config },
              queued_at: "2026-06-30T11:50:00.000Z",
              speculative_check_pull_request: {
                in_place: false,
                number: 90,
                ...times,
                checks: [check],
                evaluated_conditions: "- [X] unit",
                state: "success"
              },
              mergeability_check: { check_type: "draft_pr", pull_request_number: 90, ...times, state: "success" },
              estimated_time_of_merge: "2026-06-30T12:11:00.000Z",
              partition_name: "__default__"
            }
          ]
        }
      ])
    })
  )

  it(
    "estimate nothing while paused",
    withServer(async (server) => {
      await record(
        server,
        event("a", "09:00:00", "queued", { pull_request: 6 }),
        event("b", "09:00:00", "checks_started", { pull_request: 6, check_type: "in_place" }),
        event("c", "09:20:00", "merged", { pull_request: 6 }),
        event("d", "11:50:00", "queued")
      )
      const estimate = async () =>
        (await server.json(`${repo}/queues`)).queues[0].pull_requests[0].estimated_time_of_merge
      assert.strictEqual(await estimate(), "2026-06-30T12:20:00.000Z")
      await server.send(`${repo}/queue/pause`, pause("release"))
      assert.isNull(await estimate())
    })
  )

  it(
    "the queues show numbers exactly as they were given",
    withServer(async (server) => {
      const numbers = [0, 9_007_199_254_740_991]
      await record(server, ...numbers.map((each) => event(`${each}`, "11:00:00", "queued", { pull_request: each })))
      const { queues } = await server.json(`${repo}/queues`)
      assert.deepStrictEqual(
        queues[0].pull_requests.map(({ number }: { readonly number: number }) => number),
        numbers
      )
    })
  )
})

describe("the base branches (interface 4.2.7)", () => {
  const branches = (server: Server, query = "") => answer(server, `${repo}/queues/branches${query}`)

  it(
    "the base branches are those with an event in the span, by default the last day",
    withServer(async (server) => {
      await record(
        server,
        event("a", "11:59:59.999", "queued"),
        event("b", "12:00:00", "queued", { branch: "late" }),
        { ...event("c", "", "queued", { branch: "early" }), at: "2026-06-29T12:00:00Z" },
        { ...event("d", "", "queued", { branch: "old" }), at: "2026-06-29T11:59:59.999Z" },
        event("e", "10:00:00", "frozen", { branch: "Odd" })
      )
      assert.deepStrictEqual((await branches(server)).body, { base_refs: ["Odd", "early", "main"] })
      const from = "?start_at=2026-06-29T11:00:00Z"
      assert.deepStrictEqual((await branches(server, from)).body, { base_refs: ["Odd", "early", "main", "old"] })
      const until = "?end_at=2026-06-30T10:30:00%2B00:00"
      assert.deepStrictEqual((await branches(server, until)).body, { base_refs: ["Odd", "early", "old"] })
    })
  )

  it(
    "base branches take existing instants, and a span that ends after it starts",
    withServer(async (server) => {
      await record(server, event("a", "11:00:00", "queued"))
      const wrong: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
        ["start_at=x&end_at=2026-06-30", ["query.start_at", "query.end_at"]],
        ["start_at=2026-02-29T00:00:00Z", ["query.start_at"]],
        ["start_at=2026-06-30T11:0000", ["query.start_at"]],
        ["end_at=1782810000", ["query.end_at"]],
        ["start_at=2026-06-30T11:00:00Z&end_at=2026-06-30T11:00:00Z", ["query.end_at"]],
        ["start_at=2026-06-30T13:00:00Z", ["query.end_at"]],
        ["start_at=2025-01-01T00:00:00Z", ["query.start_at"]],
        ["end_at=1969-12-31T23:59:59Z", ["query.end_at"]]
      ]
      for (const [query, locations] of wrong) {
        const { body, status } = await branches(server, `?${query}`)
        assert.strictEqual(status, 422, query)
        assert.deepStrictEqual(
          body.errors.map(({ location }: { readonly location: string }) => location),
          locations,
          query
        )
      }
    })
  )
})
