import { assert, describe, it } from "@effect/vitest"
import { QueueEvent } from "@lazaret/queue"
import { deliveries } from "@lazaret/queue/testing"
import { Effect, Schema } from "effect"
import type { Json } from "../description.ts"
import { answer, event, json, record, repo, type Server, withServer, yaml } from "../queue.ts"
import { serve, tokens } from "../wire.ts"

const send = (server: Server, body: unknown) => answer(server, `${repo}/queue/events`, json("POST", body))

const queued = event("a", "11:00:00", "queued")

describe("queue events", () => {
  it(
    "events are answered in their order, each with its outcome",
    withServer(async (server) => {
      const merged = event("b", "11:30:00", "merged", { pull_request: 8 })
      const odd = event("c", "11:40:00", "frozen")
      assert.deepStrictEqual(await record(server, odd, merged, queued), {
        outcomes: [
          { id: "c", status: "ignored", reason: "unknown_kind", detail: `The kind "frozen" is not known.` },
          {
            id: "b",
            status: "ignored",
            reason: "not_queued",
            detail: `Pull request 8 is not in the queue of "main".`
          },
          { id: "a", status: "applied" }
        ]
      })
    })
  )

  it(
    "count once, in one batch and in several",
    withServer(async (server) => {
      const reasons = async (...events: ReadonlyArray<unknown>) =>
        (await record(server, ...events)).outcomes.map((each: Json) => each.reason ?? each.status)
      assert.deepStrictEqual(await reasons(queued, queued), ["applied", "duplicate"])
      assert.deepStrictEqual(await reasons({ ...queued, pull_request: 9 }), ["duplicate"])
      const { queues } = await server.json(`${repo}/queues`)
      assert.strictEqual(queues[0].pull_requests.length, 1)
    })
  )

  it(
    "an empty list of queue events is accepted",
    withServer(async (server) => {
      assert.deepStrictEqual(await send(server, { events: [] }), { status: 200, body: { outcomes: [] } })
    })
  )

  it(
    "queue events come in batches of up to 1,000",
    withServer(async (server) => {
      const events = Array.from({ length: 1001 }, (_, index) => ({ ...queued, id: `e${index}`, pull_request: index }))
      assert.strictEqual((await send(server, { events: events.slice(1) })).status, 200)
      const { body, status } = await send(server, { events })
      assert.strictEqual(status, 422)
      assert.deepStrictEqual(body.errors, [
        { location: "body.events", message: "must hold at most 1000 events: send the others in a batch of their own" }
      ])
      const { queues } = await server.json(`${repo}/queues`)
      assert.strictEqual(queues[0].pull_requests.length, 1000)
    })
  )

  it(
    "queue events are all refused when one is malformed, with every fault once, and leave nothing behind",
    withServer(async (server) => {
      const check = { name: "", url: "javascript:alert(1)", state: "green" }
      const { body, status } = await send(server, {
        events: [
          queued,
          { ...queued, id: "", at: "2026-06-30", pull_request: -1 },
          event("b", "11:00:00", "check_updated", { check }),
          event("c", "11:00:00", "queued", { priority: "urgent" }),
          null
        ]
      })
      assert.strictEqual(status, 422)
      const locations: ReadonlyArray<string> = body.errors.map((each: Json) => each.location)
      assert.includeMembers(
        [...locations],
        [
          "body.events.1.id",
          "body.events.1.at",
          "body.events.1.pull_request",
          "body.events.2.check.name",
          "body.events.2.check.description",
          "body.events.2.check.url",
          "body.events.2.check.state",
          "body.events.2.check.avatar_url",
          "body.events.3.priority",
          "body.events.4"
        ]
      )
      assert.notInclude([...locations].join(), "events.0")
      const lines = body.errors.map((each: Json) => `${each.location} ${each.message}`)
      assert.strictEqual(new Set(lines).size, lines.length)
      assert.strictEqual((await server.send(`${repo}/queues`)).status, 404)
    })
  )

  const wrongFields: ReadonlyArray<readonly [string, object]> = [
    ["id", { id: "x".repeat(256) }],
    ["id", { id: "a\0" }],
    ["at", { at: "1969-12-31T23:59:59.999Z" }],
    ["at", { at: "2026-06-30 11:00:00" }],
    ["at", { at: 1_782_810_000_000 }],
    ["branch", { branch: "" }],
    ["branch", { branch: "x".repeat(256) }],
    ["pull_request", { pull_request: 1.5 }],
    ["pull_request", { pull_request: "7" }],
    ["kind", { kind: "" }],
    ["kind", { kind: 7 }],
    ["priority", { priority: 2_147_483_648 }],
    ["queue_rule", { queue_rule: "" }],
    ["check_type", { kind: "checks_started", check_type: "remote" }],
    ["check_pull_request", { kind: "checks_started", check_type: "draft_pr", check_pull_request: -1 }],
    ["round", { kind: "checks_started", check_type: "draft_pr", round: "" }],
    ["state", { kind: "checks_ended", state: "pending" }],
    ["reason", { kind: "dequeued", reason: "x".repeat(1001) }]
  ]
  it(
    "name the field that is wrong",
    withServer(async (server) => {
      for (const [field, fields] of wrongFields) {
        const { body, status } = await send(server, { events: [{ ...queued, ...fields }] })
        assert.strictEqual(status, 422, JSON.stringify(fields))
        const locations = body.errors.map((each: Json) => each.location)
        assert.include(locations, `body.events.0.${field}`, JSON.stringify(fields))
      }
    })
  )

  it(
    "name nothing but what is wrong",
    withServer(async (server) => {
      const { body } = await send(server, { events: [{ ...queued, pull_request: -1 }] })
      assert.deepStrictEqual(
        body.errors.map((each: Json) => each.location),
        ["body.events.0.pull_request"]
      )
    })
  )

  it(
    "queue events may be from long ago, and from a clock that runs ahead, but not by more than a day",
    withServer(async (server) => {
      const at = (time: string, id: string) => ({ ...queued, id, at: time })
      const past = at("1970-01-01T00:00:00Z", "past")
      const ahead = at("2026-07-01T12:00:00.000Z", "ahead")
      const far = at("2026-07-01T12:00:00.001Z", "far")
      const { body, status } = await send(server, { events: [past, far, ahead, at("9999-12-31T23:59:59Z", "end")] })
      assert.strictEqual(status, 422)
      const message = "is more than a day ahead of the server's clock: give the time at which it happened"
      assert.deepStrictEqual(body.errors, [
        { location: "body.events.1.at", message },
        { location: "body.events.3.at", message }
      ])
      assert.strictEqual((await server.send(`${repo}/queues`)).status, 404)
      assert.strictEqual((await send(server, { events: [past, ahead] })).status, 200)
    })
  )

  it(
    "queue events have numbers that are exact, or are refused",
    withServer(async (server) => {
      const status = async (digits: string) =>
        (
          await send(
            server,
            JSON.stringify({ events: [queued] }).replace(`"pull_request":7`, `"pull_request":${digits}`)
          )
        ).status
      for (const digits of ["9007199254740992", "9007199254740993", "9223372036854775807", "9223372036854776000"]) {
        assert.strictEqual(await status(digits), 422, digits)
      }
      assert.strictEqual(await status("9007199254740991"), 200)
    })
  )

  it(
    "queue events are refused as a whole when they are no JSON, of another type, or too many bytes",
    withServer(async (server) => {
      assert.strictEqual((await send(server, "{")).status, 422)
      assert.strictEqual((await send(server, "[]")).status, 422)
      const text = { ...json("POST", { events: [] }), headers: { "content-type": "text/plain" } }
      assert.strictEqual((await server.send(`${repo}/queue/events`, text)).status, 415)
      const large = { events: [{ ...queued, note: "x".repeat(1_048_576) }] }
      assert.strictEqual((await send(server, large)).status, 413)
    })
  )

  it(
    "queue events are taken from tokens of the platform that may write",
    withServer(async (server) => {
      const as = async (token: string) =>
        (await server.send(`${repo}/queue/events`, { ...json("POST", { events: [queued] }), token })).status
      assert.deepStrictEqual([await as(tokens.writer), await as(tokens.reader), await as(tokens.ci)], [200, 403, 403])
    })
  )
})

const encode = Schema.encodeSync(QueueEvent.QueueEvent)

const onTheWire = (one: QueueEvent.QueueEvent) => ({ ...encode(one), at: new Date(one.at).toISOString() })

describe("queue events in any order", () => {
  let repositories = 0
  let running: Promise<Server> | undefined

  /** The queues that a new repository shows after these batches. */
  const queuesAfter = async (...batches: ReadonlyArray<ReadonlyArray<QueueEvent.QueueEvent>>) => {
    const server = await (running ??= serve())
    const path = `/v1/repos/acme/r${(repositories += 1)}`
    for (const batch of batches) {
      await server.send(`${path}/queue/events`, json("POST", { events: batch.map(onTheWire) }))
    }
    const span = "?start_at=1970-01-01T00:00:00Z&end_at=1970-01-02T00:00:00Z"
    return { ...(await server.json(`${path}/queues`)), ...(await server.json(`${path}/queues/branches${span}`)) }
  }

  it.effect.prop(
    "and in any batches give the same queues",
    [deliveries],
    ([{ delivered, events, repeated }]) =>
      Effect.promise(async () => {
        const third = Math.ceil(delivered.length / 3)
        const expected = await queuesAfter(events)
        const cut = [delivered.slice(0, third), repeated, delivered.slice(third), repeated]
        assert.deepStrictEqual(await queuesAfter(...cut), expected)
      }),
    { arbitrary: { runs: 40 } }
  )
})

const put = (server: Server, body: string, type?: string) =>
  answer(server, `${repo}/queues/configuration`, yaml(body, type))

describe("the configuration file", () => {
  it(
    "the configuration file is taken under each media type of YAML",
    withServer(async (server) => {
      for (const type of ["application/yaml", "text/yaml; charset=utf-8", "application/x-yaml", "text/plain"]) {
        assert.deepStrictEqual(await put(server, "queue_rules: []", type), {
          status: 200,
          body: { valid: true, errors: [] }
        })
      }
      assert.strictEqual((await put(server, "queue_rules: []", "application/json")).status, 415)
      assert.strictEqual((await put(server, "queue_rules: []", "application/x-www-form-urlencoded")).status, 415)
    })
  )

  it(
    "the configuration file is kept when it is invalid, and says what is wrong with it",
    withServer(async (server) => {
      await put(server, "queue_rules:\n  - name: default\n")
      const { body, status } = await put(server, "queue_rules:\n  - name: default\n  - batch_size: 0\n")
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body, {
        valid: false,
        errors: [
          { location: "configuration.queue_rules[1].name", line: 3, message: "is missing: every rule needs a name" },
          {
            location: "configuration.queue_rules[1].batch_size",
            line: 3,
            message: "must be a whole number from 1 to 128"
          }
        ]
      })
      const read = await answer(server, `${repo}/queues/configuration`)
      assert.deepStrictEqual(
        [read.status, read.body.errors[1].message],
        [422, "Line 3: must be a whole number from 1 to 128"]
      )
    })
  )

  it(
    "the configuration file may be empty, and may have 64 KiB",
    withServer(async (server) => {
      const size = 65_536
      assert.deepStrictEqual((await put(server, "")).body, { valid: true, errors: [] })
      const full = `queue_rules: [] #${"x".repeat(size - 17)}`
      assert.strictEqual((await put(server, full)).status, 200)
      assert.strictEqual((await put(server, `${full}x`)).status, 413)
      assert.strictEqual((await put(server, "é".repeat(size / 2 + 1))).status, 413)
    })
  )

  it(
    "the configuration file is text: bytes that are no UTF-8, and the NUL character, are refused",
    withServer(async (server) => {
      const bytes = { ...yaml(""), body: new Uint8Array([0x61, 0xff]) }
      assert.strictEqual((await server.send(`${repo}/queues/configuration`, bytes)).status, 422)
      assert.strictEqual((await put(server, "a: \0")).status, 422)
      assert.strictEqual((await server.send(`${repo}/queues/configuration`)).status, 404)
    })
  )
})
