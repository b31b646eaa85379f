import { assert, describe, it } from "@effect/vitest"
import { LazaretClient } from "@lazaret/api"
import { Effect, Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { junit, now, serve, tokens, upload } from "./wire.ts"

const params = { owner: "acme", repository: "widgets" }

/** Runs a program with a client whose requests go to the server of the test. */
const withClient = async <A, E>(
  server: Awaited<ReturnType<typeof serve>>,
  token: string,
  program: Effect.Effect<A, E, LazaretClient>
): Promise<A> => {
  const client = LazaretClient.layer({ url: "http://lazaret.test", token: Redacted.make(token) })
  const http = FetchHttpClient.layer.pipe(Layer.provide(Layer.succeed(FetchHttpClient.Fetch, server.fetch)))
  return Effect.runPromise(Effect.provide(program, client.pipe(Layer.provide(http))))
}

describe("the typed client", () => {
  it("the typed client asks and gets typed answers: instants are numbers, and absent is null", async () => {
    await using server = await serve()
    await upload(server, { commit: "c1", at: now - 1000, xml: junit({ a: "failed", b: "passed" }) })
    const program = Effect.gen(function* () {
      const client = yield* LazaretClient
      const { body, headers } = yield* client.searchTests({ params, query: { health_status: ["broken"], per_page: 1 } })
      const test_id = body.tests[0]?.test_id ?? ""
      const details = yield* client.getTest({ params: { ...params, test_id } })
      const window = { start: now - 3_600_000, end: now }
      const series = yield* client.getTestStatistic({
        params: { ...params, test_id, stat: "failure_count" },
        query: window
      })
      const created = yield* client.createQuarantine({ params, payload: { test_name: "a", reason: "r" } })
      const quarantine = { ...params, quarantine_id: created.id }
      const life = { expires_at: now + 86_400_000, owner: "@acme/web", ticket: null, scope: "merge_queue" } as const
      const given = yield* client.setQuarantineLife({ params: quarantine, payload: life })
      const debt = yield* client.getQuarantineDebt({ params })
      assert.deepStrictEqual(yield* client.getQuarantineLife({ params: quarantine }), given)
      assert.deepInclude(given, { ...life, remind_at: now })
      assert.deepStrictEqual(debt.owners, [
        { owner: "@acme/web", quarantines: 1, blocked_runs: 0, oldest_created_at: now }
      ])
      yield* client.deleteQuarantine({ params: { ...params, quarantine_id: created.id } })
      return { total: body.total, headers, details, series }
    })
    const { details, headers, series, total } = await withClient(server, tokens.admin, program)
    assert.deepStrictEqual([total, headers], [1, {}])
    assert.deepInclude(details, { test_name: "a", first_failure_at: now - 1000, last_success_at: null })
    assert.strictEqual(series.value, 1)
  })

  it("a refusal is a typed error that says what to do", async () => {
    await using server = await serve()
    const search = Effect.flatMap(LazaretClient, (client) => Effect.flip(client.searchTests({ params, query: {} })))
    const forbidden = await withClient(server, "nobody", search)
    assert.deepStrictEqual([forbidden._tag, "status" in forbidden && forbidden.status], ["Forbidden", 403])
    const unknown = await withClient(server, tokens.admin, search)
    assert.strictEqual(unknown._tag, "NotFound")
    assert.match(unknown.message, /acme\/widgets/u)
  })
})
