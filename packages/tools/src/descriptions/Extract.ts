/**
 * The part of a published OpenAPI description that we use, as JSON Schema.
 *
 * The description of GitHub has 13 MB: tests need about thirty of its operations, without prose and examples.
 */
import { child, isObject, items, type Json, type JsonObject } from "./Json.ts"

/** An operation, or a delivery, of the result: its schemas refer to `#/definitions`. */
export interface Extracted {
  readonly operations: JsonObject
  readonly definitions: JsonObject
}

/** The operations with these ids; an id that the description does not have is a defect. */
export const operations = (description: JsonObject, ids: ReadonlyArray<string>): Extracted => {
  const known = new Map(
    Object.entries(child(description, "paths")).flatMap(([path, methods]) =>
      Object.entries(isObject(methods) ? methods : {}).flatMap(([method, operation]) => {
        const id = isObject(operation) ? operation["operationId"] : undefined
        return typeof id === "string" && isObject(operation) ? [[id, { path, method, operation }] as const] : []
      })
    )
  )
  const chosen = ids.map((id) => {
    const found = known.get(id)
    if (found === undefined) throw new Error(`the description has no operation ${id}`)
    const shared = items(child(child(description, "paths"), found.path)["parameters"])
    return [id, operationOf(description, { ...found, shared })] as const
  })
  return closed(description, Object.fromEntries(chosen))
}

/** The schemas of the deliveries with these names, such as `pull-request-closed`. */
export const deliveries = (description: JsonObject, names: ReadonlyArray<string>): Extracted => {
  const webhooks = child(description, "webhooks")
  const found = Object.keys(webhooks).length > 0 ? webhooks : child(description, "x-webhooks")
  const chosen = names.map((name) => {
    const body = child(child(found, name), "post")["requestBody"]
    if (body === undefined) throw new Error(`the description has no delivery ${name}`)
    return [name, schemaOf(description, body)] as const
  })
  return closed(description, Object.fromEntries(chosen))
}

interface Found {
  readonly path: string
  readonly method: string
  readonly operation: JsonObject
  readonly shared: ReadonlyArray<Json>
}

const operationOf = (description: JsonObject, { method, operation, path, shared }: Found): JsonObject => {
  const parameters = [...shared, ...items(operation["parameters"])].map((each) => {
    const { in: place, name, required, schema } = resolved(description, each)
    return { in: place ?? null, name: name ?? null, required: required ?? false, schema: plain(schema ?? {}) }
  })
  const responses = Object.entries(child(operation, "responses")).map(([status, response]) => [
    status,
    schemaOf(description, response)
  ])
  const body = operation["requestBody"]
  const isRequired = body !== undefined && resolved(description, body)["required"] === true
  return {
    method: method.toUpperCase(),
    path,
    parameters,
    ...(body === undefined ? {} : { body: schemaOf(description, body), isBodyRequired: isRequired }),
    responses: Object.fromEntries(responses) as JsonObject
  }
}

/** The JSON schema of a body or a response; null without one. */
const schemaOf = (description: JsonObject, holder: Json): Json => {
  const content = child(resolved(description, holder), "content")
  const type = Object.keys(content).find((each) => /^application\/(?:[\w.-]+\+)?json\b/u.test(each))
  return type === undefined ? null : plain(child(content, type)["schema"] ?? {})
}

const resolved = (description: JsonObject, json: Json): JsonObject => {
  const reference = isObject(json) ? json["$ref"] : undefined
  if (typeof reference !== "string") return isObject(json) ? json : {}
  const [, , kind = "", name = ""] = reference.split("/")
  return child(child(child(description, "components"), kind), name)
}

/** The members of schemas that judge a value; all others are prose. */
const keywords = new Set(
  (
    "type enum const format pattern minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf " +
    "minItems maxItems uniqueItems minProperties maxProperties required"
  ).split(" ")
)

const ofSchemas = new Set(["allOf", "anyOf", "oneOf"])

/** A schema of OpenAPI 3.0 as JSON Schema: `nullable` becomes a type. */
const plain = (schema: Json): Json => {
  if (!isObject(schema)) return schema
  const reference = schema["$ref"]
  if (typeof reference === "string") return { $ref: `#/definitions/${reference.split("/").at(-1)}` }
  const kept = Object.entries(schema).flatMap(([key, value]): ReadonlyArray<readonly [string, Json]> => {
    if (keywords.has(key)) return [[key, value]]
    if (ofSchemas.has(key)) return [[key, items(value).map(plain)]]
    if (key === "items" || key === "not") return [[key, plain(value)]]
    if (key === "additionalProperties") return [[key, plain(value)]]
    if (key === "properties") return [[key, mapped(child(schema, key), plain)]]
    return []
  })
  return schema["nullable"] === true ? nullable(Object.fromEntries(kept)) : Object.fromEntries(kept)
}

const nullable = (schema: JsonObject): Json => {
  const { enum: values, type } = schema
  if (typeof type !== "string") return { anyOf: [schema, { type: "null" }] }
  const withNull = values === undefined ? {} : { enum: [...new Set([...items(values), null])] }
  return { ...schema, ...withNull, type: [type, "null"] }
}

const mapped = (object: JsonObject, each: (json: Json) => Json): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, each(value)]))

/** Adds every definition that the operations refer to, also indirectly. */
const closed = (description: JsonObject, chosen: JsonObject): Extracted => {
  const schemas = child(child(description, "components"), "schemas")
  const definitions = new Map<string, Json>()
  const waiting = [...referred(chosen)]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (definitions.has(name)) continue
    const definition = plain(schemas[name] ?? null)
    definitions.set(name, definition)
    waiting.push(...referred(definition))
  }
  const sorted = [...definitions].sort(([a], [b]) => (a < b ? -1 : 1))
  return { operations: chosen, definitions: Object.fromEntries(sorted) }
}

const referred = (json: Json): ReadonlyArray<string> => {
  if (Array.isArray(json)) return json.flatMap(referred)
  if (!isObject(json)) return []
  const reference = json["$ref"]
  return typeof reference === "string" ? [reference.split("/").at(-1) ?? ""] : Object.values(json).flatMap(referred)
}
