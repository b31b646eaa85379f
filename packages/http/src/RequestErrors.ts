/** Requests that cannot be decoded: every fault of path, query and body becomes one problem document. */
import { BodyLimit, Problem, RequestErrors } from "@lazaret/api"
import { QueueEvent } from "@lazaret/domain"
import { Context, Effect, identity, Layer, Result, Schema, SchemaAST, SchemaIssue } from "effect"
import { HttpServerRequest } from "effect/http"
import { type HttpApiEndpoint, HttpApiError } from "effect/http-api"

/** Answers a request that cannot be decoded with every fault of its path, query and body. */
export const layer = Layer.succeed(RequestErrors, (handler, { endpoint }) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const escapes = badEscapes(request.url, endpoint)
    if (escapes.length > 0) return yield* Problem.unprocessable(escapes)
    return yield* handler
  }).pipe(
    limitedBy(endpoint),
    Effect.catch((error) => (HttpApiError.HttpApiSchemaError.is(error) ? refuse(error, endpoint) : Effect.fail(error)))
  )
)

/** What reads no body needs no limit, and a service that is provided makes the context of the request anew. */
const limitedBy = (endpoint: HttpApiEndpoint.Top) =>
  endpoint.payload.size === 0
    ? identity
    : Effect.provideService(HttpServerRequest.MaxBodySize, Context.get(endpoint.annotations, BodyLimit))

type Slot = "Params" | "Query" | "Payload"

const locations: { readonly [S in Slot]: string } = { Params: "path", Query: "query", Payload: "body" }

const isSlot = (kind: string): kind is Slot => Object.hasOwn(locations, kind)

/** The framework stops at the first slot with faults: the later ones are decoded here, so that all faults are listed. */
const refuse = Effect.fnUntraced(function* (error: HttpApiError.HttpApiSchemaError, endpoint: HttpApiEndpoint.Top) {
  if (!isSlot(error.kind)) return yield* Effect.die(error)
  const faults = faultsOf(error.kind, error.cause.issue)
  const query = error.kind === "Params" ? yield* queryFaults(endpoint) : []
  const body = error.kind === "Payload" ? [] : yield* bodyFaults(endpoint)
  return yield* Problem.unprocessable(distinct([...faults, ...query, ...body]).slice(0, mostFaults))
})

/** What a body of 1 MiB can be wrong about is forty times its size: nobody reads on after so many. */
const mostFaults = 10_000

/** The alternatives of a union share fields, and complain about them in the same words; some complain of the others. */
const distinct = (faults: ReadonlyArray<Problem.Fault>): ReadonlyArray<Problem.Fault> => {
  const telling = faults.filter(({ message }) => message !== QueueEvent.knownKindFault)
  return [...new Map(telling.map((fault) => [`${fault.location}\0${fault.message}`, fault])).values()]
}

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

const decodingFaults = (slot: Slot, schema: Schema.Top, input: unknown): Effect.Effect<ReadonlyArray<Problem.Fault>> =>
  // No schema of this API needs a service to be decoded.
  Effect.match(Schema.decodeUnknownEffect(schema as Schema.Codec<unknown>, { errors: "all" })(input), {
    onFailure: (error) => faultsOf(slot, error.issue),
    onSuccess: () => []
  })

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    if (issue._tag === "MissingKey") return "is required"
    return issue._tag === "UnexpectedKey" ? "is not known here" : SchemaIssue.defaultLeafHook(issue)
  }
})

const faultsOf = (slot: Slot, issue: SchemaIssue.Issue): ReadonlyArray<Problem.Fault> =>
  format(issue).issues.map((each) => ({
    location: [locations[slot], ...(each.path ?? []).map(segment)].join("."),
    message: shortened(plain(each.message, slot))
  }))

/** A parameter that is given twice is no text; and nobody outside knows the names of our schemas. */
const plain = (message: string, slot: Slot): string => {
  if (slot === "Query" && /^Expected string\b/u.test(message)) return "must be given once"
  return message.replace(/^Expected [A-Z]\w*(?=$|, got)/u, "must be a JSON object").replace(/^Expected /u, "must be ")
}

const segment = (part: PropertyKey | { readonly key: PropertyKey }): string =>
  String(typeof part === "object" ? part.key : part)

const longestMessage = 500

/** A message can quote the value, which can be long. */
const shortened = (message: string): string =>
  message.length <= longestMessage ? message : `${message.slice(0, longestMessage).toWellFormed()}…`

/** Parameters whose percent escapes are no UTF-8; the router would read them as other text than was meant. */
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
