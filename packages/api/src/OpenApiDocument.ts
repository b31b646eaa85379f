/** What the description of the API says beyond what the definition of the routes yields by itself. */
import { Record } from "effect"
import * as AccessTable from "./AccessTable.ts"
import * as Examples from "./examples/Examples.ts"
import { documentedAs } from "./wire/Parameter.ts"

/** Plain JSON, as OpenAPI documents are. */
type Json = unknown

type JsonObject = { readonly [key: string]: Json }

/**
 * Completes a generated OpenAPI document.
 *
 * **Details**
 *
 * - Parameters show their type behind the wire (`integer` with its limits), and their description where readers look.
 * - Each operation lists the credential kinds that `AccessTable` lets through, under the names of interface 5.2.
 * - Objects may grow: clients must accept members that they do not know.
 * - Every answer has a request id, lists have a `Link`, and "try later" says when.
 * - A route that reads neither parameters nor a body has nothing to refuse as 422.
 * - Bodies that are read piece by piece are shown as what they hold.
 * - It holds where it was read from, unless the server has a public address.
 */
export const complete = (spec: JsonObject): JsonObject => {
  const plain = object(simplify(spec))
  const components = object(plain["components"])
  return {
    servers: [{ url: "/" }],
    ...plain,
    components: {
      ...components,
      schemas: Record.map(object(components["schemas"]), problemRequires),
      securitySchemes: Object.fromEntries(Object.values(AccessTable.schemes).map(securityScheme))
    },
    paths: Record.map(object(plain["paths"]), (path) => Record.map(object(path), (one) => operation(object(one))))
  }
}

const isObject = (json: Json): json is JsonObject => typeof json === "object" && json !== null && !Array.isArray(json)

const object = (json: Json): JsonObject => (isObject(json) ? json : {})

const array = (json: Json): ReadonlyArray<Json> => (Array.isArray(json) ? json : [])

/** Schemas as people write them: see `documentedAs`, no closed objects, no trace of how errors are made. */
const simplify = (json: Json): Json => {
  if (Array.isArray(json)) return json.map(simplify)
  if (!isObject(json)) return typeof json === "string" && json.startsWith("#/") ? json.replace(/Encoded$/u, "") : json
  const shown = array(json["allOf"]).map((part) => object(part)[documentedAs])[0] ?? json[documentedAs]
  if (shown !== undefined) return shown
  const entries = Object.entries(json).filter(([key, value]) => key !== "additionalProperties" || value !== false)
  return Object.fromEntries(entries.map(([key, value]) => [key.replace(/Encoded$/u, ""), simplify(value)]))
}

/** All members of a problem document but `instance` are always there. */
const problemRequires = (schema: Json): Json => {
  const properties = object(object(schema)["properties"])
  if (!("type" in properties && "title" in properties && "detail" in properties)) return schema
  return { ...object(schema), required: Object.keys(properties).filter((name) => name !== "instance") }
}

const securityScheme = (scheme: { readonly key: string; readonly name: string; readonly description: string }) => [
  scheme.key,
  { type: "http", scheme: "bearer", description: `${scheme.name}: ${scheme.description}` }
]

const operation = (given: JsonObject): JsonObject => {
  const id = String(given["operationId"])
  const op = array(given["parameters"]).length > 0 || "requestBody" in given ? given : unrefused(given)
  const kinds = AccessTable.isGuarded(id) ? AccessTable.demands[id].kinds : []
  const example = Examples.byOperation[id]
  return {
    ...op,
    parameters: array(op["parameters"]).map((each) => parameter(object(each))),
    ...("requestBody" in op ? { requestBody: withExamples(object(op["requestBody"]), example?.request ?? {}) } : {}),
    responses: Record.map(object(op["responses"]), (response, status) =>
      answer(
        status.startsWith("2")
          ? withExamples(object(response), { "application/json": example?.response })
          : object(response),
        status
      )
    ),
    security: kinds.map((kind) => ({ [AccessTable.schemes[kind].key]: [] }))
  }
}

const unrefused = (op: JsonObject): JsonObject => ({
  ...op,
  responses: Record.filter(object(op["responses"]), (_, status) => status !== "422")
})

const parameter = (given: JsonObject): JsonObject => {
  const { description, examples, ...schema } = object(given["schema"])
  return {
    ...given,
    ...(description === undefined ? {} : { description }),
    ...(examples === undefined ? {} : { example: array(examples)[0] }),
    schema
  }
}

const withExamples = (body: JsonObject, examples: JsonObject): JsonObject =>
  !("content" in body)
    ? body
    : {
        ...body,
        content: Record.map(object(body["content"]), (media, type) =>
          withExample(streamed(media, type), examples[type])
        )
      }

/** The framework shows a body that it does not read itself as bytes, and how it gets them. */
const streamed = (media: Json, type: string): JsonObject => {
  const { "x-effect-stream": stream, ...shown } = object(media)
  const schema = stream === undefined ? undefined : readable[type]
  return schema === undefined ? shown : { ...shown, schema }
}

const readable: Readonly<Record<string, JsonObject>> = {
  "application/json": { type: "object", additionalProperties: true },
  "application/x-ndjson": { type: "string" }
}

const withExample = (media: JsonObject, example: Json): JsonObject =>
  example === undefined ? media : { ...media, example }

const text = { type: "string" }

const requestId = { description: "Names this request in the log of the server.", schema: text }

const retryAfter = { description: "After how many seconds to try again.", schema: { type: "integer", minimum: 0 } }

const link = {
  description:
    "Where the other pages are (RFC 8288): `first`, `prev`, `next` and `last`, each only when there is such a page.",
  schema: text
}

const answer = (response: JsonObject, status: string): JsonObject => {
  const headers = object(response["headers"])
  return {
    ...response,
    headers: {
      ...headers,
      ...("link" in headers ? { link } : {}),
      ...(status === "503" || status === "429" ? { "retry-after": retryAfter } : {}),
      "x-request-id": requestId
    }
  }
}
