import { assert, describe, it } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { Effect, Exit, Fiber, Redacted, Stream } from "effect"
import { HttpClient, HttpClientError, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import * as Client from "../../src/connection/Client.ts"
import type * as CommandFailure from "../../src/terminal/CommandFailure.ts"
import { both, MediaType } from "../../src/connection/Request.ts"

const connection = { url: "https://lazaret.test", token: Redacted.make("secret"), keyFile: null }

const receipt = {
  report_id: "470d2e52-7833-522d-b2d5-e87b64121fd2",
  executions: { received: 2, recorded: 2, duplicates: 0, skipped: 0 },
  identities: 2,
  warnings: []
}

const params = { owner: "acme", repository: "widgets" }

const query = { pipeline_name: "CI & more", job_name: "unit", commit: "c1" }

const payload = Stream.succeed(new TextEncoder().encode("<testsuite/>"))

const upload = (api: Client.Api) => api.uploadReport({ params, query, payload, ...both })

type Answered = { readonly status: number; readonly body: unknown; readonly headers?: Record<string, string> }

/** A server that gives these answers one after the other, the last one again and again, and notes the requests. */
const server = (...answers: ReadonlyArray<Answered | { readonly code: string }>) => {
  const requests: Array<string> = []
  const http = HttpClient.make((request, url) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)] ?? { code: "ECONNRESET" }
    requests.push(`${request.method} ${url.pathname}${url.search} ${request.headers["authorization"]}`)
    return "code" in answer
      ? Effect.fail(
          new HttpClientError.HttpClientError({
            reason: new HttpClientError.TransportError({ request, cause: { errors: [answer] } })
          })
        )
      : Effect.succeed(HttpClientResponse.fromWeb(request, new Response(bodyOf(answer), answer)))
  })
  return { requests, http }
}

const bodyOf = ({ body, status }: Answered) => (status === 204 ? null : JSON.stringify(body))

const noConnection = { code: "ECONNRESET" }

const problem = (status: number, detail: string, more: object = {}): Answered => ({
  status,
  body: { type: "about:blank", title: titles[status], status, detail, ...more }
})

const titles: Readonly<Record<number, string>> = {
  403: "Forbidden",
  404: "Not Found",
  409: "Conflict",
  422: "Unprocessable Content",
  503: "Service Unavailable"
}

/** The end of an operation, with all waiting done at once; `told` collects the reasons of repetitions. */
const ask = <A>(
  http: HttpClient.HttpClient,
  operation: (client: Client.Client) => Effect.Effect<A, CommandFailure.CommandFailure>,
  { printed = [], url = connection.url }: { readonly printed?: Array<string>; readonly url?: string } = {}
) =>
  Effect.gen(function* () {
    const client = yield* Client.make({ ...connection, url }, (reason) => Effect.sync(() => printed.push(reason)))
    const asking = yield* Effect.forkChild(operation(client))
    yield* TestClock.adjust("1 hour")
    return yield* Fiber.await(asking)
  }).pipe(Effect.provideService(HttpClient.HttpClient, http))

const failureOf = <A>(exit: Exit.Exit<A, CommandFailure.CommandFailure>) => Effect.flip(exit)

describe("a call of the API", () => {
  test("a call of the API yields the decoded answer with the body as it came, and asks once", function* () {
    const { http, requests } = server({ status: 201, body: { ...receipt, new_field: [1] } })
    const exit = yield* ask(http, (client) => client.call(upload))
    assert.deepStrictEqual(exit, Exit.succeed({ value: receipt, body: { ...receipt, new_field: [1] } }))
    assert.deepStrictEqual(requests, [
      "POST /v1/ci/acme/repositories/widgets/reports?pipeline_name=CI+%26+more&job_name=unit&commit=c1 Bearer secret"
    ])
  })

  test("a call of the API sends a stream with gzip and with its media type", function* () {
    const sent: Array<ReadonlyArray<string | undefined>> = []
    const http = HttpClient.make((request) => {
      const { body } = request
      sent.push([request.headers["content-encoding"], body._tag === "Stream" ? body.contentType : undefined])
      return Effect.succeed(HttpClientResponse.fromWeb(request, Response.json(receipt, { status: 201 })))
    })
    yield* ask(http, (client) => client.call(upload))
    yield* ask(http, (client) => Effect.provideService(client.call(upload), MediaType, "application/json"))
    assert.deepStrictEqual(sent, [
      ["gzip", "application/xml"],
      ["gzip", "application/json"]
    ])
  })

  const passing: Readonly<Record<string, Answered | { readonly code: string }>> = {
    "a lost connection": noConnection,
    "the status 408": { status: 408, body: {} },
    "the status 429": { status: 429, body: {} },
    "the status 502 of a proxy": { status: 502, body: "<html>" },
    "the status 503": problem(503, "Later.")
  }
  for (const [name, answer] of Object.entries(passing)) {
    test(`a call of the API is repeated unchanged after ${name}`, function* () {
      const { http, requests } = server(answer, answer, { status: 201, body: receipt })
      const printed: Array<string> = []
      const exit = yield* ask(http, (client) => client.call(upload), { printed })
      assert.isTrue(Exit.isSuccess(exit))
      assert.deepStrictEqual([requests.length, new Set(requests).size, printed.length], [3, 1, 2])
    })
  }

  test("a call of the API waits 1, 2, 4, 8 and 16 seconds, and then fails with the address and the reason", function* () {
    const { http, requests } = server(noConnection)
    const client = yield* Effect.provideService(
      Client.make(connection, () => Effect.void),
      HttpClient.HttpClient,
      http
    )
    const asking = yield* Effect.forkChild(client.call(upload))
    const counts: Array<number> = []
    for (const seconds of [0, 1, 2, 4, 8, 15, 1]) {
      yield* TestClock.adjust(seconds * 1000)
      counts.push(requests.length)
    }
    assert.deepStrictEqual(counts, [1, 2, 3, 4, 5, 5, 6])
    const failure = yield* failureOf(yield* Fiber.await(asking))
    assert.strictEqual(failure.exitCode, 4)
    assert.strictEqual(
      failure.message,
      "https://lazaret.test cannot be reached (ECONNRESET). Check --url or LAZARET_URL, and that this machine " +
        "can reach it. (tried 6 times)"
    )
  })

  test("all calls of a client together pause for no longer than its patience", function* () {
    const { http, requests } = server(problem(503, "Later."))
    const client = yield* Effect.provideService(
      Client.make(connection, () => Effect.void, 10),
      HttpClient.HttpClient,
      http
    )
    const asking = yield* Effect.forkChild(Effect.flip(client.call(upload)))
    yield* TestClock.adjust("10 seconds")
    const failure = yield* Fiber.join(asking)
    assert.match(failure.message, /answered 503: Later\. \(tried 4 times\)$/)
    assert.strictEqual(requests.length, 4)
    const again = yield* Effect.forkChild(Effect.flip(client.call(upload)))
    yield* TestClock.adjust("3 seconds")
    assert.match((yield* Fiber.join(again)).message, /\(tried 3 times\)$/)
  })

  test("a client waits as long as a rate limit says, even longer than its patience", function* () {
    const limited = { ...problem(429, "Too many requests."), headers: { "retry-after": "30" } }
    const { http, requests } = server(limited, { status: 201, body: receipt })
    const client = yield* Effect.provideService(
      Client.make(connection, () => Effect.void, 10),
      HttpClient.HttpClient,
      http
    )
    const asking = yield* Effect.forkChild(client.call(upload))
    yield* TestClock.adjust("30 seconds")
    assert.deepStrictEqual((yield* Fiber.join(asking)).value, receipt)
    assert.strictEqual(requests.length, 2)
  })

  test("a call of the API waits as long as the header Retry-After says", function* () {
    const busy = { ...problem(503, "Later."), headers: { "retry-after": "30" } }
    const { http } = server(busy, { status: 201, body: receipt })
    const printed: Array<string> = []
    yield* ask(http, (client) => client.call(upload), { printed })
    assert.deepStrictEqual(printed, ["https://lazaret.test answered 503: Later. Trying again in 30 s."])
  })

  const refusals: ReadonlyArray<readonly [Answered, string]> = [
    [problem(403, "This key reaches the owner acme."), "refused the key (403): This key reaches the owner acme. Check"],
    [problem(409, "This idempotency key was used for another report."), "This idempotency key was used"],
    [
      problem(422, "Two faults.", {
        errors: [
          { location: "query.commit", message: "is required" },
          { location: "body", message: "No XML." }
        ]
      }),
      "commit is required; No XML."
    ],
    [{ status: 404, body: "nothing here" }, "does not answer like a Lazaret server (404)"],
    [{ status: 201, body: { hello: "world" } }, "has another version than this lazaret: use the lazaret of the server"]
  ]
  for (const [answer, expected] of refusals) {
    test(`a call of the API is not repeated when the server refuses it: ${expected}`, function* () {
      const { http, requests } = server(answer)
      const failure = yield* failureOf(yield* ask(http, (client) => client.call(upload)))
      assert.strictEqual(requests.length, 1)
      assert.include(failure.message, expected)
      assert.strictEqual(failure.exitCode, 5)
    })
  }

  test("a call of the API that the schemas of the API refuse is not sent", function* () {
    const { http, requests } = server({ status: 201, body: receipt })
    const nameless = { name: "", scope: "ci", owner: "acme" } as const
    const failure = yield* failureOf(
      yield* ask(http, (client) => client.once((api) => api.createApplicationKey({ payload: nameless, ...both })))
    )
    assert.deepStrictEqual([failure.exitCode, requests.length], [2, 0])
    assert.match(failure.message, /^name .*\.$/)
  })

  test("a call of the API to this machine fails at once when nobody listens", function* () {
    const { http, requests } = server({ code: "ECONNREFUSED" })
    const exit = yield* ask(http, (client) => client.call(upload), { url: "http://localhost:4180" })
    const failure = yield* failureOf(exit)
    assert.deepStrictEqual([failure.exitCode, requests.length], [4, 1])
    assert.include(failure.message, "There is no server at http://localhost:4180. Start it (npm start)")
  })
})

describe("a removal", () => {
  const gone = problem(404, "The merge queue of this repository is not paused.")

  const remove = (client: Client.Client) => client.remove((api) => api.unpauseQueue({ params, ...both }))

  test("a removal that is repeated and finds nothing has removed it the time before", function* () {
    assert.isTrue(Exit.isSuccess(yield* ask(server(noConnection, gone).http, remove)))
    assert.isTrue(Exit.isSuccess(yield* ask(server({ status: 204, body: null }).http, remove)))
  })

  test("a removal that finds nothing at its first attempt fails", function* () {
    const failure = yield* failureOf(yield* ask(server(gone).http, remove))
    assert.deepStrictEqual([failure.exitCode, failure.status], [5, 404])
  })
})

describe("an operation whose repetition has another effect", () => {
  test("an operation whose repetition has another effect is sent once, and its outcome is unknown when the connection is lost", function* () {
    const { http, requests } = server(noConnection)
    const key = { name: "CI", scope: "ci", owner: "acme" } as const
    const failure = yield* failureOf(
      yield* ask(http, (client) => client.once((api) => api.createApplicationKey({ payload: key, ...both })))
    )
    assert.deepStrictEqual([failure.exitCode, requests.length], [4, 1])
    assert.include(failure.message, "The outcome is unknown")
  })
})

describe("the cursor of the next page", () => {
  it("the cursor of the next page is the one of the link to it, whatever its address", () => {
    const link = '<https://inside:80/x?per_page=2&cursor=a%2Bb>; rel="next", </x?cursor=z>; rel="last"'
    assert.strictEqual(Client.cursorOfNext(link), "a+b")
    assert.isNull(Client.cursorOfNext('</x?cursor=z>; rel="last"'))
    assert.isNull(Client.cursorOfNext(undefined))
  })
})
