/**
 * The operations of the API as plain types: path, query, body and response of each in JSON, for programs without Effect.
 *
 * Import them as types: then this package is not bundled into the program.
 */
import type { HttpApi, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import type { Api } from "../Api.ts"

/** The operations of the API as the framework declares them. */
export type Endpoints =
  typeof Api extends HttpApi.HttpApi<infer _Id, infer Groups> ? HttpApiGroup.Endpoints<Groups> : never

/** The schema from which the framework derived the codec of a slot. */
type JsonOf<Codec> =
  Codec extends HttpApiSchema.WithHeaders<infer Inner, infer _Headers>
    ? JsonOf<Inner>
    : Codec extends { readonly schema: { readonly Encoded: infer Json } }
      ? Json
      : null

/** The JSON of the slots of each operation, by its id; null where an operation has no such slot. */
export type Operations = {
  readonly [E in Endpoints as E["identifier"]]: {
    readonly method: E["method"]
    readonly path: E["path"]
    readonly query: JsonOf<E["~Query"]>
    readonly body: JsonOf<E["~Payload"]>
    readonly response: JsonOf<E["~Success"]>
  }
}
