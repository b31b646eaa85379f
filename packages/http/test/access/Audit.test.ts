import { assert, describe, it } from "@effect/vitest"
import { Api, Operation } from "@lazaret/api"
import { Option } from "effect"
import { HttpApi } from "effect/http-api"
import { now, repository, serve, tokens } from "../wire.ts"

const json = { "content-type": "application/json" }

type Server = Awaited<ReturnType<typeof serve>>

/** The document of an answer, which the assertions check. */
const read = async (answer: Promise<Response>) => JSON.parse(await (await answer).text())

const post = (server: Server, path: string, body: object, token = tokens.admin) =>
  server.send(path, { method: "POST", token, headers: json, body: JSON.stringify(body) })

const entries = async (server: Server, query = "", token = tokens.admin) =>
  (await server.json(`/v1/audit${query}`, { token })).entries

describe("the audit log", () => {
  it("an action is recorded with its actor, its target, and what it changed", async () => {
    await using server = await serve()
    const made = await read(post(server, "/v1/application-keys", { name: "acme CI", scope: "ci", owner: "acme" }))
    server.setNow(now + 1)
    await server.send(`/v1/application-keys/${made.id}`, { method: "DELETE" })
    const [revoked, created] = await entries(server)
    assert.deepInclude(created, {
      at: new Date(now).toISOString(),
      action: "createApplicationKey",
      owner: "acme",
      repository: null,
      target: {},
      outcome: "done",
      before: null,
      after: { id: made.id, name: "acme CI", owner: "acme", scope: "ci" }
    })
    assert.deepInclude(created.actor, { kind: "key", name: "admin" })
    assert.deepInclude(revoked, {
      action: "revokeApplicationKey",
      target: { key_id: made.id },
      before: { id: made.id, name: "acme CI", owner: "acme", scope: "ci" },
      after: null
    })
  })

  it("a change of settings is recorded with the fields that differ, before and after", async () => {
    await using server = await serve()
    const change = (body: object) =>
      server.send(`${repository}/settings`, { method: "PATCH", headers: json, body: JSON.stringify(body) })
    await change({ auto_quarantine: "flaky" })
    server.setNow(now + 1)
    await change({ auto_quarantine: "off", default_branch: "trunk" })
    const [second] = await entries(server, "?action=changeSettings")
    assert.deepStrictEqual(second.before, { autoQuarantine: "flaky", defaultBranch: null })
    assert.deepStrictEqual(second.after, { autoQuarantine: "off", defaultBranch: "trunk" })
    assert.deepStrictEqual([second.owner, second.repository], ["acme", "widgets"])
  })

  it("an action that was refused is recorded as failed, without values after it", async () => {
    await using server = await serve()
    const body = { test_name: "adds", reason: "flaky" }
    await post(server, `${repository}/quarantines`, body, tokens.ci)
    server.setNow(now + 1)
    assert.strictEqual((await post(server, `${repository}/quarantines`, body, tokens.ci)).status, 409)
    const [second, first] = await entries(server, "?actor=ci")
    assert.deepStrictEqual([first.outcome, first.after.testName, first.actor.name], ["done", "adds", "ci"])
    assert.deepStrictEqual([second.outcome, second.after], ["failed", null])
  })

  it("a request without a valid credential leaves no entry, and uploads leave none", async () => {
    await using server = await serve()
    assert.strictEqual((await post(server, "/v1/application-keys", {}, "nobody")).status, 403)
    const url = `${repository}/reports?pipeline_name=CI&job_name=unit&commit=c1`
    const headers = { "content-type": "application/xml" }
    await server.send(url, { method: "POST", headers, body: `<testsuite><testcase name="a"/></testsuite>` })
    assert.deepStrictEqual(await entries(server), [])
  })

  it("a key of one owner reads the entries of this owner alone, whatever it asks for", async () => {
    await using server = await serve()
    await post(server, "/v1/application-keys", { name: "everywhere", scope: "ci", owner: null })
    await post(server, "/v1/application-keys", { name: "mine", scope: "ci", owner: "OTHER" })
    await post(server, "/v1/application-keys", { name: "theirs", scope: "ci", owner: "acme" })
    const seen = await entries(server, "", tokens.other)
    assert.deepStrictEqual(
      seen.map(({ after }: { after: { name: string } }) => after.name),
      ["mine"]
    )
    assert.deepStrictEqual(await entries(server, "?owner=acme", tokens.other), [])
    assert.strictEqual((await server.send("/v1/audit", { token: tokens.ci })).status, 403)
    assert.strictEqual((await server.send("/v1/audit/export", { token: tokens.ci })).status, 403)
  })

  it("pages and the export hold the same entries, newest first", async () => {
    await using server = await serve()
    for (let index = 0; index < 5; index += 1) {
      server.setNow(now + index)
      await post(server, "/v1/application-keys", { name: `key ${index}`, scope: "ci", owner: "acme" })
    }
    const paged: Array<unknown> = []
    let url: string | undefined = "/v1/audit?per_page=2"
    while (url !== undefined) {
      const answer = await server.send(url)
      paged.push(...JSON.parse(await answer.text()).entries)
      url = /<http:\/\/lazaret\.test([^>]*)>; rel="next"/u.exec(answer.headers.get("link") ?? "")?.[1]
    }
    const exported = await server.send("/v1/audit/export")
    assert.strictEqual(exported.headers.get("content-type"), "application/x-ndjson")
    const lines = (await exported.text()).trimEnd().split("\n")
    assert.deepStrictEqual(
      lines.map((line) => JSON.parse(line)),
      paged
    )
    assert.strictEqual(paged.length, 5)
  })

  it("no secret stands in the log: not of a key, a webhook or a sign-in link", async () => {
    await using server = await serve()
    const issued = await read(post(server, "/v1/application-keys", { name: "k", scope: "ci", owner: "acme" }))
    const hook = { url: "https://hooks.example.com/T0/path-secret", secret: "a secret that is long" }
    const made = await read(post(server, `${repository}/webhooks`, hook))
    await server.send(`${repository}/webhooks/${made.id}`, { method: "DELETE" })
    const { url } = await server.json("/v1/sign-in-links", { method: "POST" })
    const text = await (await server.send("/v1/audit/export")).text()
    assert.include(text, "hooks.example.com")
    for (const secret of [issued.secret, hook.secret, "path-secret", url.split("#")[1], tokens.admin]) {
      assert.notInclude(text, secret)
    }
  })

  it("names that no storage keeps are recorded with a replacement", async () => {
    await using server = await serve()
    const path = `${repository}/quarantines/${encodeURIComponent("a\0b")}${"x".repeat(2000)}`
    assert.strictEqual((await server.send(path, { method: "DELETE" })).status, 422)
    const [entry] = await entries(server)
    assert.isTrue(entry.target.quarantine_id.startsWith("a\ufffdbxxx"))
    assert.strictEqual(entry.target.quarantine_id.length, 1000)
  })

  it("every operation that may change something is recorded, apart from data of CI jobs", () => {
    const unrecorded: Array<string> = []
    HttpApi.reflect(Api, {
      onGroup: () => {},
      onEndpoint: ({ endpoint }) => {
        const isChange = endpoint.method !== "GET" && Option.isSome(Operation.demandOf(endpoint))
        if (isChange && !Operation.isAudited(endpoint)) unrecorded.push(endpoint.identifier)
      }
    })
    assert.sameMembers(unrecorded, [
      "askShardDurations",
      "askTriage",
      "checkQuarantines",
      "planShard",
      "recordStressRun",
      "recordQueueEvents",
      "uploadReport",
      "uploadTraces",
      "uploadTracesByOldPath"
    ])
  })
})
