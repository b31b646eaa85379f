import { assert, describe, it } from "@effect/vitest"
import { KeyStore, RepositoryStore } from "@lazaret/store"
import { hashOf, StoreError } from "@lazaret/services"
import { Effect, Layer } from "effect"
import { gzipSync } from "node:zlib"
import { type Json, operations } from "./description.ts"
import { type Call, now, serve } from "./wire.ts"

const repository = "/v1/ci/acme/repositories/widgets"

const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}): Call => ({
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body
})

const quarantine = (fields: object): Call => post(JSON.stringify(fields))

/** The faults of a refused request, as `location` → `message`. */
const faults = async (answer: Response): Promise<Record<string, string>> => {
  assert.strictEqual(answer.status, 422)
  assert.strictEqual(answer.headers.get("content-type"), "application/problem+json")
  const problem: Json = JSON.parse(await answer.text())
  assert.strictEqual(problem.status, 422)
  assert.isNotEmpty(problem.detail)
  return Object.fromEntries(problem.errors.map((fault: Json) => [fault.location, fault.message]))
}

/** A repository store that fails every question for one reason. */
const failing = (reason: StoreError["reason"]) =>
  Layer.effect(
    RepositoryStore,
    Effect.map(RepositoryStore, (store) => ({
      ...store,
      get: () => Effect.fail(new StoreError({ operation: "RepositoryStore.get", reason, cause: "secret: s3cr3t" }))
    }))
  )

describe("failures", () => {
  it("a refusal lists every fault of path, query and body at once", async () => {
    await using server = await serve()
    const url = "/v1/ci/ac_me/repositories/widgets/tests/no-uuid/executions?sort=x&direction=up&per_page=101&start=now"
    assert.sameMembers(Object.keys(await faults(await server.send(url))), [
      "path.owner",
      "path.test_id",
      "query.sort",
      "query.direction",
      "query.per_page",
      "query.start"
    ])
    const body = await server.send(
      "/v1/ci/ac_me/repositories/widgets/quarantines",
      quarantine({ reason: 1, branch: "" })
    )
    assert.deepStrictEqual(await faults(body), {
      "path.owner": "must be letters, digits and hyphens only",
      "body.test_name": "is required",
      "body.reason": "must be a string",
      "body.branch": "must be 1 to 10000 characters long"
    })
  })

  it("a life without a field is refused, and a time that may be null is asked for as a time", async () => {
    await using server = await serve()
    const created = await server.send(`${repository}/quarantines`, quarantine({ test_name: "a", reason: "r" }))
    const { id }: Json = JSON.parse(await created.text())
    const put = (body: object) =>
      server.send(`${repository}/quarantines/${id}/life`, { ...quarantine(body), method: "PUT" })
    const life = { expires_at: null, owner: "@acme/web", ticket: null, scope: "every_run" }
    const given: Json = JSON.parse(await (await put(life)).text())
    assert.deepStrictEqual(await faults(await put({})), {
      "body.expires_at": "is required",
      "body.owner": "is required",
      "body.ticket": "is required",
      "body.scope": "is required"
    })
    assert.deepStrictEqual(await faults(await put({ ...life, expires_at: -5 })), {
      "body.expires_at": "must be an ISO 8601 date and time or null"
    })
    const kept = await server.send(`${repository}/quarantines/${id}/life`)
    assert.deepStrictEqual(JSON.parse(await kept.text()), given)
  })

  it("a change of a life keeps the fields that it does not name, clears those that are null, and knows no other", async () => {
    await using server = await serve()
    const created = await server.send(`${repository}/quarantines`, quarantine({ test_name: "a", reason: "r" }))
    const { id }: Json = JSON.parse(await created.text())
    const patch = (body: object) =>
      server.send(`${repository}/quarantines/${id}/life`, { ...quarantine(body), method: "PATCH" })
    const changed = async (body: object): Promise<Json> => JSON.parse(await (await patch(body)).text())
    const ticket = "https://example.com/12"
    await changed({ owner: "@acme/web", scope: "merge_queue" })
    const both = { owner: "@acme/web", scope: "merge_queue", ticket, expires_at: null }
    assert.deepInclude(await changed({ ticket }), both)
    assert.deepInclude(await changed({}), both)
    assert.deepInclude(await changed({ owner: null }), { ...both, owner: null })
    assert.deepStrictEqual(await faults(await patch({ own: null })), { "body.own": "is not a known field" })
    const lives: Json = await server.json(`${repository}/quarantine-lives?per_page=5`)
    assert.deepStrictEqual([lives.size, lives.lives[0].quarantine_id, lives.lives[0].ticket], [1, id, ticket])
  })

  it("a number that a double cannot hold has one fault", async () => {
    await using server = await serve()
    const event = `{"id":"a","at":"2026-06-30T12:00:00Z","kind":"queued","branch":"main","pull_request":9007199254740993}`
    const answer = await server.send("/v1/repos/acme/widgets/queue/events", post(`{"events":[${event}]}`))
    const problem: Json = JSON.parse(await answer.text())
    const message = "must be a whole number from 0 to 9007199254740991"
    assert.deepInclude(problem.errors, { location: "body.events.0.pull_request", message })
    const numbers = problem.errors.filter((fault: Json) => fault.location === "body.events.0.pull_request")
    assert.lengthOf(numbers, 1)
  })

  it("a JSON body that is not UTF-8 is refused and stores nothing", async () => {
    await using server = await serve()
    const bytes = Buffer.from(`{"test_name":"bad\xff","reason":"r"}`, "latin1")
    assert.deepStrictEqual(await faults(await server.send(`${repository}/quarantines`, post(new Uint8Array(bytes)))), {
      body: "must be UTF-8"
    })
    assert.strictEqual((await server.send(`${repository}/quarantines`)).status, 404)
  })

  it("a compressed JSON body is refused by its encoding, not by what its bytes look like", async () => {
    await using server = await serve()
    const url = `${repository}/quarantines`
    const body = JSON.stringify({ test_name: "a", reason: "r" })
    for (const encoding of ["gzip", "br", "identity, gzip"]) {
      const answer = await server.send(url, post(new Uint8Array(gzipSync(body)), { "content-encoding": encoding }))
      assert.strictEqual(answer.status, 415, encoding)
      assert.include(JSON.parse(await answer.text()).detail, "Content-Encoding")
    }
    assert.strictEqual((await server.send(url, post(body, { "content-encoding": "Identity" }))).status, 201)
  })

  it("every response of a deprecated operation has a Deprecation header, and no other response has one", async () => {
    await using server = await serve()
    for (const { method, op, path } of operations()) {
      const url = path.replaceAll(/\{\w+\}/gu, "a")
      const answer = await server.send(url, { method: method.toUpperCase(), token: null })
      assert.strictEqual(answer.headers.get("deprecation"), op["deprecated"] === true ? "@1767225600" : null, url)
    }
  })

  it("faults name what the interface expects", async () => {
    await using server = await serve()
    const twice = await server.send(`${repository}/search/tests?per_page=5&per_page=6`)
    assert.deepStrictEqual(await faults(twice), { "query.per_page": "must be given once" })
    const list = await server.send(`${repository}/quarantines`, post("[]"))
    assert.deepStrictEqual(await faults(list), { body: "must be a JSON object" })
  })

  it("a whole number is decimal digits and nothing else", async () => {
    await using server = await serve()
    for (const text of [
      "0",
      "101",
      "-1",
      "+5",
      "1e1",
      "5.0",
      "0x5",
      " 5",
      "5 ",
      "",
      "٥",

      "9".repeat(400)
    ]) {
      const found = await faults(await server.send(`${repository}/quarantines?per_page=${encodeURIComponent(text)}`))
      assert.deepStrictEqual(Object.keys(found), ["query.per_page"], text)
    }
  })

  it("a text that does not name an instant is refused", async () => {
    await using server = await serve()
    const wrong = [
      "2026",
      "1",
      "now",
      "2026-01-31",
      "2026-01-31 12:00:00Z",
      "2026-02-30T00:00:00Z",
      "2025-02-29T00:00:00Z",
      "2026-13-01T00:00:00Z",
      "2026-00-10T00:00:00Z",
      "0000-00-00T00:00:00Z",
      "2026-01-31T24:00:00Z",
      "2026-01-31T23:59:60Z",
      "2026-01-31T12:00:00+24:00",
      "2026-01-31T12:00:00.Z",
      "2026-01-31T12:3000Z",
      "2026-W54-1T00:00Z",
      "2025-366T00:00Z",
      "20260131",
      "99999-01-01T00:00:00Z",
      ""
    ]
    for (const text of wrong) {
      const url = `${repository}/tests/8c742819-d7c6-56de-8296-355d9339d400/stats/mean_duration`
      const found = await faults(await server.send(`${url}?end=${encodeURIComponent(text)}`))
      assert.deepStrictEqual(Object.keys(found), ["query.end"], text)
    }
  })

  it("text that no store can keep is refused", async () => {
    await using server = await serve()
    assert.deepStrictEqual(await faults(await server.send(`${repository}/search/tests?test_name=a%00b`)), {
      "query.test_name.0": "must not contain the NUL character"
    })
    assert.deepStrictEqual(
      await faults(await server.send(`${repository}/quarantines`, quarantine({ test_name: "a\0", reason: "\ud800" }))),
      {
        "body.test_name": "must not contain the NUL character",
        "body.reason": "must be well-formed Unicode"
      }
    )
  })

  it("percent escapes that are no UTF-8 are refused, whatever the router makes of them", async () => {
    await using server = await serve()
    const found = await faults(
      await server.send(`${repository}/search/tests?test_name=%ED%A0%80&job_name=100%&job_name=ok`)
    )
    assert.deepStrictEqual(Object.keys(found), ["query.test_name", "query.job_name"])
    assert.strictEqual((await server.send("/v1/ci/%zz/repositories/widgets/quarantines")).status, 404)
  })

  it("limits count characters, not bytes nor UTF-16 units", async () => {
    await using server = await serve()
    await server.send(`${repository}/quarantines`, quarantine({ test_name: "a", reason: "" }))
    const search = (name: string) => server.send(`${repository}/search/tests?test_name=${encodeURIComponent(name)}`)
    assert.strictEqual((await search("\u{1F600}".repeat(255))).status, 200)
    assert.strictEqual((await search("\u{1F600}".repeat(256))).status, 422)
    const many = Array.from({ length: 256 }, () => "test_name=x")
    assert.strictEqual((await server.send(`${repository}/search/tests?${many.slice(1).join("&")}`)).status, 200)
    assert.strictEqual((await server.send(`${repository}/search/tests?${many.join("&")}`)).status, 422)
    const long = { test_name: "x".repeat(10_000), reason: "\u{1F600}".repeat(10_000) }
    assert.strictEqual((await server.send(`${repository}/quarantines`, quarantine(long))).status, 201)
  })

  it("a window that cannot be is refused with its fault", async () => {
    await using server = await serve()
    const url = `${repository}/tests/8c742819-d7c6-56de-8296-355d9339d400/health-transitions`
    await server.send(`${repository}/quarantines`, quarantine({ test_name: "a", reason: "" }))
    for (const [query, location] of [
      ["start=2026-01-02T00:00:00Z&end=2026-01-02T00:00:00Z", "query.end"],
      ["start=2026-01-02T00:00:00Z&end=2026-01-01T00:00:00Z", "query.end"],
      ["start=2025-01-01T00:00:00Z&end=2026-06-01T00:00:00Z", "query.start"],
      ["start=1969-12-31T23:59:59Z", "query.start"],
      ["start=2999-01-01T00:00:00Z", "query.start"],
      ["end=2999-01-01T00:00:00Z", "query.end"]
    ]) {
      assert.deepStrictEqual(Object.keys(await faults(await server.send(`${url}?${query}`))), [location])
    }
  })

  it("a foreign cursor and an impossible window are both named", async () => {
    await using server = await serve()
    await server.send(`${repository}/quarantines`, quarantine({ test_name: "a", reason: "" }))
    const url = `${repository}/tests/8c742819-d7c6-56de-8296-355d9339d400/executions`
    const found = await faults(await server.send(`${url}?cursor=x&start=2027-01-01T00:00:00Z&end=2026-01-01T00:00:00Z`))
    assert.deepStrictEqual(Object.keys(found), ["query.cursor", "query.end"])
  })

  it("unknown query parameters are ignored", async () => {
    await using server = await serve()
    await server.send(`${repository}/quarantines`, quarantine({ test_name: "a", reason: "" }))
    assert.strictEqual(
      (await server.send(`${repository}/quarantines?foo=1&bar=%zz&%=x&test_name[]=x&per_page[]=0`)).status,
      200
    )
  })

  it("a body must be JSON of the right type, and not too large", async () => {
    await using server = await serve()
    const url = `${repository}/quarantines`
    for (const body of ["", "{", "null", "[]", `"x"`, "1", `{"test_name":"a","reason":"b"}x`]) {
      assert.match(Object.keys(await faults(await server.send(url, post(body)))).join(), /^body/u, body)
    }
    assert.strictEqual((await server.send(url, post("a=b", { "content-type": "text/plain" }))).status, 415)
    const large = await server.send(url, post(JSON.stringify({ test_name: "x".repeat(1_048_576), reason: "" })))
    assert.strictEqual(large.status, 413)
    assert.strictEqual(large.headers.get("content-type"), "application/problem+json")
    assert.strictEqual((await server.send(url)).status, 404)
  })

  it("a storage that is late stays ready for five seconds after its latest answer", async () => {
    let isLate = false
    const keys = Layer.effect(
      KeyStore,
      Effect.map(KeyStore, (store) => ({
        ...store,
        find: (hash) => (hash === hashOf("") && isLate ? Effect.never : store.find(hash))
      }))
    )
    await using server = await serve({ keys })
    const status = async () => (await server.send("/health/ready")).status
    assert.strictEqual(await status(), 200)
    isLate = true
    assert.strictEqual(await status(), 200)
    server.setNow(now + 5000)
    assert.strictEqual(await status(), 200)
    server.setNow(now + 5001)
    assert.strictEqual(await status(), 503)
  })

  it("a frozen storage is not ready, although its questions cannot even be given up", async () => {
    let asked = 0
    const frozen = Effect.uninterruptible(
      Effect.andThen(
        Effect.sync(() => (asked += 1)),
        Effect.never
      )
    )
    const keys = Layer.effect(
      KeyStore,
      Effect.map(KeyStore, (store) => ({ ...store, find: (hash) => (hash === hashOf("") ? frozen : store.find(hash)) }))
    )
    const server = await serve({ keys })
    for (let probe = 0; probe < 3; probe++) assert.strictEqual((await server.send("/health/ready")).status, 503)
    assert.strictEqual(asked, 1)
  })

  it("a store that cannot be reached is 503 with a pause, and the caller may try again", async () => {
    await using server = await serve({ stores: failing("unavailable") })
    const answer = await server.send(`${repository}/quarantines`)
    assert.strictEqual(answer.status, 503)
    assert.match(answer.headers.get("retry-after") ?? "", /^\d+$/u)
    assert.notInclude(await answer.text(), "s3cr3t")
  })

  it("a failing store answers 500 with a request id, is logged, and reveals no internals", async () => {
    await using server = await serve({ stores: failing("failed") })
    const answer = await server.send(`${repository}/quarantines`, { headers: { "x-request-id": "find-me" } })
    const text = await answer.text()
    assert.strictEqual(answer.status, 500)
    assert.strictEqual(JSON.parse(text).request_id, "find-me")
    assert.notInclude(text, "s3cr3t")
    assert.notInclude(text, "RepositoryStore")
    assert.include(server.log(), "s3cr3t")
    assert.include(server.log(), "find-me")
  })
})
