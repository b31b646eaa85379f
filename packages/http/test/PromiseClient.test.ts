import { assert, describe, it } from "@effect/vitest"
import { connect, LazaretError } from "@lazaret/api/promise"
import { junit, now, serve, tokens, upload } from "./wire.ts"

const params = { owner: "acme", repository: "widgets" }

const clientOf = ({ fetch }: Awaited<ReturnType<typeof serve>>, token = tokens.admin) =>
  connect({ url: "http://lazaret.test/", token, fetch })

/** The failure of a promise, which must be a `LazaretError`. */
const failureOf = async (promise: Promise<unknown>): Promise<LazaretError> => {
  const failure = await promise.then(
    () => null,
    (error: unknown) => error
  )
  assert.instanceOf(failure, LazaretError)
  return failure
}

describe("the client with promises", () => {
  it("an operation takes its parameters and yields its JSON; one without a body yields nothing", async () => {
    await using server = await serve()
    await upload(server, { commit: "c1", at: now - 1000, xml: junit({ a: "failed", b: "passed" }) })
    const lazaret = clientOf(server)
    const { tests } = await lazaret.searchTests({ params, query: { health_status: ["broken"], per_page: 1 } })
    assert.strictEqual(tests[0]?.test_name, "a")
    const details = await lazaret.getTest({ params: { ...params, test_id: tests[0]?.test_id ?? "" } })
    assert.strictEqual(details.first_failure_at, new Date(now - 1000).toISOString())
    const { id } = await lazaret.createQuarantine({ params, body: { test_name: "a", reason: "r" } })
    assert.isUndefined(await lazaret.deleteQuarantine({ params: { ...params, quarantine_id: id } }))
    assert.strictEqual((await lazaret.getApplication()).scope, "admin")
  })

  it("a report is sent with its media type", async () => {
    await using server = await serve()
    const query = { pipeline_name: "CI", job_name: "unit", commit: "c1", run_attempt: 2 }
    const raw = { type: "application/xml", content: junit({ a: "passed" }) }
    const receipt = await clientOf(server).uploadReport({ params, query, raw })
    assert.strictEqual(receipt.executions.recorded, 1)
  })

  it("the pages of a list follow one another until there is no next one", async () => {
    await using server = await serve()
    const names = Array.from({ length: 5 }, (_, index) => `test ${index}`)
    await upload(server, {
      commit: "c1",
      at: now,
      xml: junit(Object.fromEntries(names.map((name) => [name, "passed"])))
    })
    const found: Array<string> = []
    const sizes: Array<number> = []
    const query = { per_page: 2, sort: "test_name", direction: "asc" } as const
    for await (const { size, tests } of clientOf(server).pages("listTests", { params, query })) {
      sizes.push(size)
      found.push(...tests.map(({ test_name }) => test_name))
    }
    assert.deepStrictEqual([sizes, found], [[2, 2, 1], names])
  })

  it("a refusal is an error with the status, the sentence and the faults of the server", async () => {
    await using server = await serve()
    const unknown = await failureOf(clientOf(server).searchTests({ params }))
    assert.deepStrictEqual([unknown.operation, unknown.status], ["searchTests", 404])
    assert.match(unknown.message, /acme\/widgets/u)
    assert.isNotNull(unknown.requestId)
    const refused = await failureOf(clientOf(server, "nobody").searchTests({ params }))
    assert.strictEqual(refused.status, 403)
    const wrong = await failureOf(clientOf(server).createQuarantine({ params, body: { test_name: "", reason: "r" } }))
    assert.strictEqual(wrong.status, 422)
    assert.deepStrictEqual(
      wrong.faults.map(({ location }) => location),
      ["body.test_name"]
    )
  })

  it("a server that cannot be reached is an error of status 0 with its cause, and an ended request says so itself", async () => {
    const cause = new TypeError("fetch failed")
    const away = connect({ url: "http://lazaret.test", token: "t", fetch: () => Promise.reject(cause) })
    const failure = await failureOf(away.getApplication())
    assert.deepStrictEqual([failure.status, failure.cause], [0, cause])
    const signal = AbortSignal.abort()
    const ended = connect({ url: "http://lazaret.test", token: "t", fetch: () => Promise.reject(signal.reason) })
    assert.strictEqual(await ended.getApplication({ signal }).catch((error: unknown) => error), signal.reason)
  })
})
