/** The parts of the OpenAPI document that concern one operation. */
import { Context, Option, Record } from "effect"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"
import { Access, schemes } from "../Access.ts"
import * as Examples from "../../Examples.ts"
import { Revalidated } from "../Revalidation.ts"
import { array, type Json, type JsonObject, object } from "./Json.ts"
import { isStrict, simplify } from "./Schema.ts"

/** The examples of an operation: its request body by media type, and the JSON of its response. */
export interface Example {
  readonly request?: { readonly [mediaType: string]: unknown }
  readonly response?: unknown
}

/** The endpoint annotation with the examples of an operation; null for those of its name (`Examples`). */
export const Example = Context.Reference("@lazaret/api/Example", { defaultValue: (): Example | null => null })

/**
 * Completes the generated entry of an operation.
 *
 * **Details**
 *
 * - Its schemas are simplified (`simplify`).
 * - It lists the credential kinds that the operation accepts.
 * - Descriptions and examples of parameters stand at the parameter and not in its schema.
 * - Every response has a request id, lists have a `Link`, 429 and 503 have a `Retry-After`, and responses of deprecated
 *   operations a `Deprecation`.
 * - An operation whose responses have an entity tag has the header `If-None-Match`, and 304.
 * - An operation that reads neither parameters nor a body has no 422.
 * - A body that is read piece by piece is shown as its content.
 * - A body whose unknown fields are refused is marked for `Document.complete`, which knows its schema.
 */
export const complete =
  (endpoint: HttpApiEndpoint.Top) =>
  (generated: JsonObject): JsonObject => {
    const given = object(simplify(generated))
    const hasInput = array(given["parameters"]).length > 0 || "requestBody" in given
    const example = Context.get(endpoint.annotations, Example) ?? Examples.examples[endpoint.identifier] ?? {}
    const isRevalidated = Context.get(endpoint.annotations, Revalidated)
    const responses = Record.filter(object(given["responses"]), (_, status) => hasInput || status !== "422")
    return {
      ...given,
      parameters: [
        ...array(given["parameters"]).map((each) => parameter(object(each))),
        ...(isRevalidated ? [ifNoneMatch] : [])
      ],
      ...("requestBody" in given
        ? {
            requestBody: {
              ...withExamples(object(given["requestBody"]), example.request ?? {}),
              ...(refusesUnknown(endpoint) ? { [isStrict]: true } : {})
            }
          }
        : {}),
      responses: Record.map(isRevalidated ? { ...responses, "304": notModified } : responses, (response, status) => ({
        ...(status.startsWith("2")
          ? withExamples(object(response), { "application/json": example.response })
          : object(response)),
        headers: {
          ...(isRevalidated && (status === "200" || status === "304") ? { etag } : {}),
          ...headers(object(object(response)["headers"]), status, given["deprecated"] === true)
        }
      })),
      security: security(endpoint)
    }
  }

const refusesUnknown = ({ annotations }: HttpApiEndpoint.Top): boolean =>
  Option.exists(
    Context.getOption(annotations, HttpApi.PayloadParseOptions),
    ({ onExcessProperty }) => onExcessProperty === "error"
  )

const security = (endpoint: HttpApiEndpoint.Top) => {
  const access = Context.getOrElse(endpoint.annotations, Access, () => "public" as const)
  return access === "public" ? [] : access.kinds.map((kind) => ({ [schemes[kind].key]: [] }))
}

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

/** The framework shows a body that it does not read itself as bytes. */
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

const requestId = { description: "Identifies this request in the server's log.", schema: text }

const retryAfter = { description: "After how many seconds to try again.", schema: { type: "integer", minimum: 0 } }

const etag = {
  description: "The entity tag of the response (RFC 9110); equal responses have equal tags.",
  schema: text
}

const ifNoneMatch = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "Entity tags that the caller has: when the response has one of them, it is 304 without a body.",
  schema: text
}

const notModified = { description: "The response is one that the caller has." }

const deprecation = { description: "Since when the operation is deprecated (RFC 9745).", schema: text }

const link = {
  description:
    "The addresses of the other pages (RFC 8288): `first`, `prev`, `next` and `last`, each only when there is such a page.",
  schema: text
}

const headers = (given: JsonObject, status: string, deprecated: boolean): JsonObject => ({
  ...given,
  ...("link" in given ? { link } : {}),
  ...(status === "503" || status === "429" ? { "retry-after": retryAfter } : {}),
  ...(deprecated ? { deprecation } : {}),
  "x-request-id": requestId
})
