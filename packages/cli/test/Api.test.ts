import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Redacted, Schema, Stream } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import * as Api from "../src/Api.ts"
import * as Upload from "../src/Upload.ts"

const connection = { url: "https://lazaret.test", token: Redacted.make("secret"), keyFile: null }

const receipt = {
  report_id: "470d2e52-7833-522d-b2d5-e87b64121fd2",
  executions: { received: 2, recorded: 2, duplicates: 0, skipped: 0 },
  identities: 2,
  warnings: []
}

const body = (text: string) => Stream.succeed(new TextEncoder().encode(text))

const upload: Upload.Upload = {
  label: "report.xml",
  ref: { owner: "acme", repository: "widgets" },
  query: { pipeline_name: "CI & more", commit: "c1" },
  body: body("<testsuite/>")
}

type Answer = { readonly status: number; readonly body: unknown } | "no connection"

/** A server that gives these answers one after the other, the last one for ever, and notes the requests. */
const server = (...answers: ReadonlyArray<Answer>) => {
  const requests: Array<string> = []
  const client = HttpClient.make((request, url) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)] ?? "no connection"
    requests.push(`${request.method} ${url.pathname}${url.search} ${request.headers["authorization"]}`)
    return answer === "no connection"
      ? Effect.fail(
          new HttpClientError.HttpClientError({
            reason: new HttpClientError.TransportError({ request, cause: { code: "ECONNRESET" } })
          })
        )
      : Effect.succeed(HttpClientResponse.fromWeb(request, new Response(JSON.stringify(answer.body), answer)))
  })
  return { requests, client }
}

/** The end of an upload to a server, with all waiting done at once. */
const send = (client: HttpClient.HttpClient, told: Array<string> = []) =>
  Effect.gen(function* () {
    const sending = yield* Effect.forkChild(
      Upload.send(connection, upload, (reason) => Effect.sync(() => told.push(reason)))
    )
    yield* TestClock.adjust("1 hour")
    return yield* Effect.flatten(Fiber.await(sending))
  }).pipe(Effect.provideService(HttpClient.HttpClient, client))

const problem = (status: number, detail: string, errors?: ReadonlyArray<object>) => ({
  status,
  body: { type: "about:blank", status, detail, ...(errors === undefined ? {} : { errors }) }
})

describe("a call", () => {
  it.effect("yields the answer, and asks once", () =>
    Effect.gen(function* () {
      const { client, requests } = server({ status: 201, body: receipt })
      assert.deepStrictEqual(yield* send(client), receipt)
      assert.deepStrictEqual(requests, [
        "POST /v1/ci/acme/repositories/widgets/reports?pipeline_name=CI+%26+more&commit=c1 Bearer secret"
      ])
    })
  )

  for (const passing of ["no connection", { status: 408, body: {} }, problem(503, "Later.")] as const) {
    it.effect(`is repeated unchanged after ${passing === "no connection" ? passing : passing.status}`, () =>
      Effect.gen(function* () {
        const { client, requests } = server(passing, passing, { status: 201, body: receipt })
        const told: Array<string> = []
        assert.deepStrictEqual(yield* send(client, told), receipt)
        assert.strictEqual(requests.length, 3)
        assert.strictEqual(new Set(requests).size, 1)
        assert.strictEqual(told.length, 2)
      })
    )
  }

  it.effect("waits 1, 2, 4, 8 and 16 seconds, and then says where it could not reach whom", () =>
    Effect.gen(function* () {
      const { client, requests } = server("no connection")
      const sending = yield* Upload.send(connection, upload, () => Effect.void).pipe(
        Effect.provideService(HttpClient.HttpClient, client),
        Effect.forkChild
      )
      const counts: Array<number> = []
      for (const seconds of [0, 1, 2, 4, 8, 15, 1]) {
        yield* TestClock.adjust(seconds * 1000)
        counts.push(requests.length)
      }
      assert.deepStrictEqual(counts, [1, 2, 3, 4, 5, 5, 6])
      const failure = yield* Effect.flip(Effect.flatten(Fiber.await(sending)))
      assert.strictEqual(failure.exitCode, 4)
      assert.strictEqual(
        failure.message,
        "report.xml: https://lazaret.test cannot be reached (ECONNRESET). Check --url or LAZARET_URL, and that it " +
          "can be reached from here. (tried 6 times)"
      )
    })
  )

  const refusals: ReadonlyArray<readonly [Answer, string]> = [
    [problem(403, "Send a token."), "refused the key"],
    [problem(409, "This idempotency key was used for another report."), "report.xml: This idempotency key was used"],
    [
      problem(422, "Two faults.", [
        { location: "query.commit", message: "is required" },
        { location: "body", message: "No XML." }
      ]),
      "report.xml: commit is required; No XML."
    ],
    [{ status: 404, body: "nothing here" }, "does not answer like a Lazaret server (404)"],
    [{ status: 200, body: { hello: "world" } }, "does not answer like a Lazaret server (200)"]
  ]
  for (const [answer, expected] of refusals) {
    it.effect(`is not repeated when refused: ${expected}`, () =>
      Effect.gen(function* () {
        const { client, requests } = server(answer)
        const failure = yield* Effect.flip(send(client))
        assert.strictEqual(requests.length, 1)
        assert.include(failure.message, expected)
        assert.strictEqual(failure.exitCode, 5)
      })
    )
  }

  it.effect("to this machine, where nobody listens, fails at once", () =>
    Effect.gen(function* () {
      const refusing = HttpClient.make((request) =>
        Effect.fail(
          new HttpClientError.HttpClientError({
            reason: new HttpClientError.TransportError({ request, cause: { errors: [{ code: "ECONNREFUSED" }] } })
          })
        )
      )
      const local = { ...connection, url: "http://localhost:4180" }
      const exit = yield* Effect.exit(Api.greet(local, () => Effect.void)).pipe(
        Effect.provideService(HttpClient.HttpClient, refusing)
      )
      assert.isTrue(Exit.isFailure(exit))
      assert.include(JSON.stringify(exit), "There is no server at http://localhost:4180.")
    })
  )

  it.effect("that removes and is repeated finds gone what it has removed; one that was never tried finds nothing", () =>
    Effect.gen(function* () {
      const remove = (client: HttpClient.HttpClient, repeat: "removal" | "safe" | "never") =>
        Effect.gen(function* () {
          const request = HttpClientRequest.delete("/v1/repos/acme/widgets/queue/pause")
          const call = { request, answer: Schema.Null, subject: null, isFirst: false, repeat }
          const calling = yield* Effect.forkChild(Api.call(connection, call, () => Effect.void))
          yield* TestClock.adjust("1 hour")
          return yield* Fiber.await(calling)
        }).pipe(Effect.provideService(HttpClient.HttpClient, client))
      const gone = problem(404, "The merge queue of this repository is not paused.")
      assert.isTrue(Exit.isSuccess(yield* remove(server("no connection", gone).client, "removal")))
      assert.isTrue(Exit.isFailure(yield* remove(server(gone).client, "removal")))
      assert.isTrue(Exit.isFailure(yield* remove(server("no connection", gone).client, "safe")))
      const once = server("no connection", gone)
      assert.isTrue(Exit.isFailure(yield* remove(once.client, "never")))
      assert.strictEqual(once.requests.length, 1)
    })
  )
})
