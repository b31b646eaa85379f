/** A typed client of the HTTP interface for programs that use Effect. */
import { Context, Effect, Layer, type Redacted } from "effect"
import { HttpClientRequest } from "effect/http"
import { HttpApiClient, HttpApiMiddleware } from "effect/http-api"
import { Api } from "./Api.ts"
import { Authentication } from "./definition/Authentication.ts"
import type { Endpoints } from "./definition/Operations.ts"

/** How the server is reached. */
export interface Options {
  readonly url: string | URL
  readonly token: Redacted.Redacted
}

/**
 * The function of one operation. It takes the parts of the request that the operation has (`params`, `query`, `payload`), and
 * yields the response.
 */
export type Call<Id extends Endpoints["identifier"]> = HttpApiClient.Client.Method<
  Extract<Endpoints, { readonly identifier: Id }>,
  never,
  never
>

type ById = { readonly [Id in Endpoints["identifier"]]: Call<Id> }

/** The functions of all operations by their ids, which `docs/reference/http.md` lists. */
export interface Calls extends ById {}

const make = ({ token, url }: Options) =>
  HttpApiClient.make(Api, { baseUrl: url }).pipe(
    Effect.provide(
      HttpApiMiddleware.layerClient(Authentication, ({ next, request }) =>
        next(HttpClientRequest.bearerToken(request, token))
      )
    )
  )

/**
 * Every operation of the API as a function. What fails is typed: the problem documents of the operation, `HttpClientError`
 * and `SchemaError`.
 *
 * **Example** (the flaky tests of a repository)
 *
 * ```ts skip
 * const program = Effect.gen(function* () {
 *   const client = yield* LazaretClient
 *   const { body } = yield* client.searchTests({
 *     params: { owner: "acme", repository: "widgets" },
 *     query: { health_status: ["flaky"] }
 *   })
 *   return body.tests.map((test) => test.test_name)
 * }).pipe(
 *   Effect.provide(LazaretClient.layer({ url: "http://localhost:4180", token: Redacted.make("…") })),
 *   Effect.provide(FetchHttpClient.layer)
 * )
 * ```
 */
export class LazaretClient extends Context.Service<LazaretClient, Calls>()("@lazaret/api/LazaretClient") {
  /** The client over an `HttpClient`. */
  static readonly layer = (options: Options) => Layer.effect(LazaretClient, make(options))
}
