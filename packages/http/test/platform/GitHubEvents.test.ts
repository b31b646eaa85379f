import { createHmac } from "node:crypto"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Option, Redacted } from "effect"
import { delivery, secret, signature, takesDeliveries } from "../github.ts"
import { repo, type Server } from "../queue.ts"
import { type Call, junit, now, repository, serve, tokens, upload } from "../wire.ts"

const path = "/v1/webhooks/github"

const fixture = (name: string): string =>
  readFileSync(new URL(`../../../ingest/test/fixtures/github/${name}.json`, import.meta.url), "utf8")

const withServer =
  (body: (server: Server) => Promise<void>): (() => Promise<void>) =>
  async () => {
    await using server = await serve({ config: takesDeliveries })
    await body(server)
  }

const answer = async (server: Server, call: Call) => {
  const response = await server.send(path, call)
  return { status: response.status, body: JSON.parse(await response.text()) }
}

/** A delivery with other headers. */
const withHeaders = (call: Call, headers: Readonly<Record<string, string | undefined>>): Call => ({
  ...call,
  headers: Object.fromEntries(
    Object.entries({ ...call.headers, ...headers }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]]
    )
  )
})

const enqueued = delivery("pull_request", fixture("pull_request.enqueued"))

const positions = async (server: Server) => {
  const { queues } = await server.json(`${repo}/queues`)
  return queues.flatMap((queue: { readonly pull_requests: ReadonlyArray<{ readonly number: number }> }) =>
    queue.pull_requests.map(({ number }) => number)
  )
}

describe("a server without a webhook secret", () => {
  for (const [what, gitHubWebhookSecret] of [
    ["none", Option.none()],
    ["an empty one", Option.some(Redacted.make(""))]
  ] as const) {
    it(`(${what}) has no such route for any request`, async () => {
      await using server = await serve({ config: { gitHubWebhookSecret } })
      const forged = withHeaders(enqueued, { "x-hub-signature-256": signature(String(enqueued.body), "") })
      for (const call of [enqueued, forged, { method: "POST", token: tokens.admin }]) {
        assert.strictEqual((await server.send(path, call)).status, 404)
      }
    })
  }
})

describe("the signature", () => {
  const body = String(enqueued.body)
  const good = signature(body)
  const digits = good.slice("sha256=".length)
  const wrong: ReadonlyArray<readonly [string, string | undefined]> = [
    ["missing", undefined],
    ["empty", ""],
    ["of another secret", signature(body, `${secret} `)],
    ["of another body", signature(`${body} `)],
    ["without its name", digits],
    ["under the old name", `sha1=${createHmac("sha1", secret).update(body).digest("hex")}`],
    ["too short", good.slice(0, -2)],
    ["too long", `${good}00`],
    ["with one digit changed", `${good.slice(0, -1)}${good.endsWith("0") ? "1" : "0"}`],
    ["no hexadecimal number", `sha256=${"g".repeat(64)}`],
    ["twice", `${good},${good}`]
  ]
  for (const [what, header] of wrong) {
    it(
      `a signature that is ${what} is refused`,
      withServer(async (server) => {
        const { status } = await answer(server, withHeaders(enqueued, { "x-hub-signature-256": header }))
        assert.strictEqual(status, 403)
        assert.strictEqual((await server.send(`${repo}/queues`)).status, 404)
      })
    )
  }

  it(
    "the signature is checked before anything else: an unsigned request learns nothing",
    withServer(async (server) => {
      const calls: ReadonlyArray<Call> = [
        { method: "POST", token: null },
        { method: "POST", token: tokens.admin, body: "{" },
        withHeaders(enqueued, { "x-hub-signature-256": undefined, "x-github-event": undefined }),
        withHeaders(enqueued, { "x-hub-signature-256": "x", "content-type": "text/plain" })
      ]
      const answers = await Promise.all(calls.map((call) => answer(server, call)))
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [403, 403, 403, 403]
      )
      assert.strictEqual(new Set(answers.map((each) => JSON.stringify({ ...each.body, request_id: "" }))).size, 1)
    })
  )

  it(
    "the signature of GitHub's own example is right, and is one of the bytes as they are sent",
    withServer(async (server) => {
      const example = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
      const hello = { ...delivery("ping", "Hello, World!") }
      assert.strictEqual(hello.headers?.["x-hub-signature-256"], example)
      assert.strictEqual((await answer(server, hello)).status, 422)
      const bytes = new Uint8Array([0x7b, 0x7d, 0xff])
      const signed = `sha256=${createHmac("sha256", secret).update(bytes).digest("hex")}`
      const odd = withHeaders({ ...hello, body: bytes }, { "x-hub-signature-256": signed })
      assert.strictEqual((await answer(server, odd)).status, 422)
    })
  )
})

describe("a delivery", () => {
  it(
    "a delivery moves the queue, and the same again changes nothing",
    withServer(async (server) => {
      const id = "github:0:pull_request:enqueued:PR_kwDOCyM9Ss5MPk2t:2026-01-31T11:45:00.000Z"
      assert.deepStrictEqual(await answer(server, enqueued), {
        status: 202,
        body: { accepted: true, outcomes: [{ id, status: "applied" }], notes: [] }
      })
      assert.deepStrictEqual(await positions(server), [42])
      const { body } = await answer(server, withHeaders(enqueued, { "x-github-delivery": "another" }))
      assert.deepInclude(body.outcomes[0], { id, status: "ignored", reason: "duplicate" })
      assert.deepStrictEqual(await positions(server), [42])
    })
  )

  it(
    "a delivery shows its checks, and moves on when it merges, in any order",
    withServer(async (server) => {
      for (const name of ["check_run.completed", "check_run.created", "status", "pull_request.enqueued"]) {
        await server.send(path, delivery(name.split(".", 1)[0] ?? "", fixture(name)))
      }
      await server.send(path, delivery("merge_group", fixture("merge_group.checks_requested")))
      const { queues } = await server.json(`${repo}/queues`)
      const [{ speculative_check_pull_request: check, ...pull }] = queues[0].pull_requests
      assert.deepStrictEqual(
        [
          check.started_at,
          check.ended_at,
          check.state,
          check.checks.map(({ name }: { readonly name: string }) => name)
        ],
        ["2026-01-31T11:45:02.000Z", null, "success", ["ci/build", "unit"]]
      )
      assert.deepStrictEqual(
        [pull.queued_at, pull.mergeability_check.check_type],
        ["2026-01-31T11:45:00.000Z", "draft_pr"]
      )
      await server.send(path, delivery("pull_request", fixture("pull_request.closed")))
      assert.deepStrictEqual(await positions(server), [])
    })
  )

  it(
    "a delivery of a merge traces the commit of a failure to its pull request",
    withServer(async (server) => {
      await server.send(path, delivery("pull_request", fixture("pull_request.closed")))
      const commit = "89e6c98d92887913cadf06b2adb97f26cde4849b"
      await upload(server, { commit, at: now - 60_000, xml: junit({ pays: "failed" }) })
      const { tests } = await server.json(`${repository}/search/tests`)
      const details = await server.json(`${repository}/tests/${tests[0].test_id}`)
      assert.deepStrictEqual(details.first_failure_pull, {
        id: 1_279_147_437,
        number: 42,
        title: "Pay with a card",
        user: { id: 583_231, login: "octocat" }
      })
    })
  )

  it(
    "a delivery of a push to the default branch tells its name, and that the configuration file has changed",
    withServer(async (server) => {
      const { body } = await answer(server, delivery("push", fixture("push")))
      assert.deepStrictEqual([body.accepted, body.outcomes], [true, []])
      assert.strictEqual(body.notes[0], "The default branch is main from now on.")
      assert.match(body.notes[1], /^\.lazaret\/queue\.yml has changed, .* send it with PUT /u)
    })
  )

  it(
    "a delivery comes as JSON or as a form",
    withServer(async (server) => {
      const type = (value: string | undefined, body = String(enqueued.body)) =>
        answer(
          server,
          withHeaders({ ...enqueued, body }, { "content-type": value, "x-hub-signature-256": signature(body) })
        )
      const form = new URLSearchParams({ payload: fixture("pull_request.enqueued") }).toString()
      assert.strictEqual((await type("application/x-www-form-urlencoded", form)).body.accepted, true)
      assert.strictEqual((await type("application/json; charset=utf-8")).body.accepted, true)
      assert.strictEqual((await type(undefined)).status, 415, "a text without a type is text/plain")
      assert.strictEqual((await type("text/plain")).status, 415)
      assert.strictEqual((await type("application/x-www-form-urlencoded", "load=1")).status, 422)
    })
  )

  it(
    "a delivery that is not used is accepted, and answered with the reason",
    withServer(async (server) => {
      assert.deepStrictEqual(await answer(server, delivery("ping", fixture("ping"))), {
        status: 202,
        body: { accepted: false, reason: `Deliveries of the event "ping" are not used here.` }
      })
      const topic = JSON.stringify({ ...JSON.parse(fixture("push")), ref: "refs/heads/topic" })
      assert.strictEqual((await answer(server, delivery("push", topic))).body.accepted, false)
      assert.strictEqual((await server.send(`${repo}/queues`)).status, 404)
    })
  )

  it(
    "a delivery that is malformed is refused with every fault, and leaves nothing behind",
    withServer(async (server) => {
      const payload = { action: "enqueued", pull_request: { number: "42" }, repository: { name: "widgets" } }
      const { body, status } = await answer(server, delivery("pull_request", payload))
      assert.strictEqual(status, 422)
      const locations = body.errors.map(({ location }: { readonly location: string }) => location)
      assert.includeMembers(locations, [
        "body.pull_request.number",
        "body.pull_request.updated_at",
        "body.pull_request.base",
        "body.repository.owner"
      ])
      const nameless = withHeaders(enqueued, { "x-github-event": undefined })
      const refused = await answer(server, nameless)
      assert.deepStrictEqual([refused.status, refused.body.errors[0].location], [422, "header.x-github-event"])
      assert.strictEqual((await answer(server, delivery("push", "null"))).status, 422)
      assert.strictEqual((await server.send(`${repo}/queues`)).status, 404)
    })
  )

  it(
    "a delivery has up to 25 MiB",
    withServer(async (server) => {
      const most = 25 * 1024 * 1024
      const body = `{"x":"${"a".repeat(most - 8)}"}`
      assert.strictEqual(body.length, most)
      assert.strictEqual((await server.send(path, delivery("ping", body))).status, 202)
      assert.strictEqual((await server.send(path, delivery("ping", `${body} `))).status, 413)
    })
  )

  it(
    "a delivery comes by POST",
    withServer(async (server) => {
      const response = await server.send(path)
      assert.deepStrictEqual([response.status, response.headers.get("allow")], [405, "OPTIONS, POST"])
    })
  )
})

describe("a delivery for an app", () => {
  const config = { ...takesDeliveries, gitHubAppId: Option.some(12) }
  const target = { "x-github-hook-installation-target-type": "integration" }

  it("a delivery for an app is taken for the app of this server, and from a webhook of a repository", async () => {
    await using server = await serve({ config })
    const own = withHeaders(enqueued, { ...target, "x-github-hook-installation-target-id": "12" })
    assert.strictEqual((await answer(server, own)).status, 202)
    const repositoryHook = withHeaders(enqueued, { "x-github-hook-installation-target-type": "repository" })
    assert.strictEqual((await answer(server, repositoryHook)).status, 202)
  })

  it("a delivery for an app is refused for another app, and nothing is stored", async () => {
    await using server = await serve({ config })
    for (const id of ["13", undefined]) {
      const other = withHeaders(enqueued, { ...target, "x-github-hook-installation-target-id": id })
      const refused = await answer(server, other)
      assert.strictEqual(refused.status, 403)
      assert.include(refused.body.detail, "another GitHub App")
    }
    assert.strictEqual((await server.send(`${repo}/queues`)).status, 404)
  })

  it("a delivery of a pressed button needs the id of the delivery", async () => {
    await using server = await serve({ config })
    const payload = JSON.parse(fixture("check_run.created"))
    const pressed = { ...payload, action: "requested_action", requested_action: { identifier: "rerun_failed_jobs" } }
    const press = delivery("check_run", pressed)
    const missing = await answer(server, withHeaders(press, { "x-github-delivery": undefined }))
    assert.deepStrictEqual([missing.status, missing.body.errors[0].location], [422, "header.x-github-delivery"])
    const { body } = await answer(server, press)
    assert.deepStrictEqual(body.notes, ['This server has no button "rerun_failed_jobs".'])
  })
})
