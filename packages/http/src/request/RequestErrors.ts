/** The implementation of `RequestErrors`: one problem document with every fault of path, query and body. */
import { isUtf8 } from "node:buffer"
import { BodyLimit, Problem, RawBody, RequestErrors } from "@lazaret/api"
import { Context, Effect, identity, Layer, Result, Schema, SchemaAST } from "effect"
import { HttpServerRequest, HttpServerRespondable } from "effect/http"
import { type HttpApiEndpoint, HttpApiError } from "effect/http-api"
import * as IssueFaults from "./IssueFaults.ts"
import * as HttpLimits from "./Limits.ts"

/** Answers a request that cannot be decoded with every fault of its path, query and body. */
export const layer = Layer.succeed(RequestErrors, (handler, { endpoint }) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const escapes = badEscapes(request.url, endpoint)
    if (escapes.length > 0) return yield* Problem.unprocessable(escapes)
    if (readsText(request, endpoint)) {
      if (isCompressed(request)) return yield* Effect.orDie(HttpServerRespondable.toResponse(compressed))
      yield* requireUtf8(request)
    }
    return yield* handler
  }).pipe(
    limitedBy(endpoint),
    Effect.catch((error) => (HttpApiError.HttpApiSchemaError.is(error) ? refuse(error, endpoint) : Effect.fail(error)))
  )
)

/** An endpoint without a body needs no limit, and each provided service copies the context of the request. */
const limitedBy = (endpoint: HttpApiEndpoint.Top) =>
  endpoint.payload.size === 0
    ? identity
    : Effect.provideService(HttpServerRequest.MaxBodySize, Context.get(endpoint.annotations, BodyLimit))

/** The framework stops at the first part with faults: the other parts are decoded here, so that all faults are listed. */
const refuse = Effect.fnUntraced(function* (error: HttpApiError.HttpApiSchemaError, endpoint: HttpApiEndpoint.Top) {
  if (error.kind !== "Params" && error.kind !== "Query" && error.kind !== "Payload") return yield* Effect.die(error)
  const faults = IssueFaults.of(error.kind, error.cause.issue)
  const query = error.kind === "Params" ? yield* queryFaults(endpoint) : []
  const body = error.kind === "Payload" ? [] : yield* bodyFaults(endpoint)
  return yield* Problem.unprocessable(IssueFaults.distinct([...faults, ...query, ...body]).slice(0, HttpLimits.faults))
})

const queryFaults = Effect.fnUntraced(function* (endpoint: HttpApiEndpoint.Top) {
  if (endpoint.query === undefined) return []
  const search = yield* HttpServerRequest.ParsedSearchParams
  return yield* decodingFaults("Query", Schema.toCodecArrayFromSingle(endpoint.query), search)
})

const bodyFaults = Effect.fnUntraced(function* (endpoint: HttpApiEndpoint.Top) {
  const payload = endpoint.payload.get("application/json")
  if (payload === undefined || payload.encoding._tag !== "Json") return []
  const request = yield* HttpServerRequest.HttpServerRequest
  return yield* request.text.pipe(
    Effect.orDie,
    Effect.flatMap((text) => decodingFaults("Payload", Schema.fromJsonString(Schema.Union(payload.schemas)), text))
  )
})

const decodingFaults = (
  slot: IssueFaults.Slot,
  schema: Schema.Top,
  input: unknown
): Effect.Effect<ReadonlyArray<Problem.Fault>> =>
  // No schema of this API needs a service to be decoded.
  Effect.match(Schema.decodeUnknownEffect(schema as Schema.Codec<unknown>, { errors: "all" })(input), {
    onFailure: (error) => IssueFaults.of(slot, error.issue),
    onSuccess: () => []
  })

/** The encodings of bodies that are text. */
const textual: ReadonlySet<string> = new Set(["Json", "Text", "FormUrlEncoded"])

/** Whether the framework reads the body of a request as text. */
const readsText = (request: HttpServerRequest.HttpServerRequest, endpoint: HttpApiEndpoint.Top): boolean => {
  const type = (request.headers["content-type"] ?? "application/json").split(";", 1)[0]?.trim().toLowerCase() ?? ""
  const payload = endpoint.payload.get(type)
  return payload !== undefined && textual.has(payload.encoding._tag) && !Context.get(endpoint.annotations, RawBody)
}

/** The framework reads a compressed body as it is, and its faults would be those of another text. */
const isCompressed = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  (headers["content-encoding"] ?? "identity").trim().toLowerCase() !== "identity"

/**
 * Refuses a text body that is not UTF-8 (RFC 8259, section 8.1). The framework would replace the wrong bytes and store
 * another text than the client sent.
 */
const requireUtf8 = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  const bytes = new Uint8Array(yield* Effect.orDie(request.arrayBuffer))
  if (!isUtf8(bytes)) return yield* Problem.unprocessable([{ location: "body", message: "must be UTF-8" }])
})

const compressed = new Problem.UnsupportedMediaType({
  detail: "Send the body as it is, without `Content-Encoding`: only reports and traces may be compressed."
})

/** Parameters whose percent escapes are not UTF-8: the router would decode them to another text. */
const badEscapes = (url: string, endpoint: HttpApiEndpoint.Top): ReadonlyArray<Problem.Fault> => {
  const start = url.indexOf("?")
  if (start === -1 || !url.includes("%", start)) return []
  const names = url
    .slice(start + 1)
    .split("&")
    .filter((pair) => !isDecodable(pair))
    .map((pair) => pair.split("=", 1)[0] ?? "")
  const known = parametersOf(endpoint)
  return names
    .filter((name) => known.includes(name))
    .map((name) => ({
      location: `query.${name}`,
      message: "must be percent-encoded UTF-8 (a `%` itself is written %25)"
    }))
}

const parametersOf = ({ query }: HttpApiEndpoint.Top): ReadonlyArray<PropertyKey> =>
  query !== undefined && SchemaAST.isObjects(query.ast) ? query.ast.propertySignatures.map(({ name }) => name) : []

const isDecodable = (text: string): boolean => Result.isSuccess(Result.try(() => decodeURIComponent(text)))
