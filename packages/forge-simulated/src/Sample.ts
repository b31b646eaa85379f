/**
 * Values that a schema accepts, around the members that matter.
 *
 * The answers of GitHub have hundreds of required members. A test names the ones that it is about; the others get the
 * simplest valid value.
 */
import { isObject, type Json, type JsonObject } from "./Json.ts"

/** A value of the schema with these members; `undefined` leaves the whole value open. */
export const complete = (schema: Json, given: Json | undefined, definitions: JsonObject): Json => {
  const { alternatives, members, schema: own } = flat(schema, given, definitions)
  if (given === null) return null
  if (Array.isArray(given)) return given.map((each) => complete(own["items"] ?? {}, each, definitions))
  if (given !== undefined && !isObject(given)) return given
  if (isObject(given) || isOfType(own, "object") || members.size > 0) {
    const required = new Set([...alternatives].filter((key) => members.has(key)))
    const wanted = [...new Set([...required, ...Object.keys(given ?? {})])]
    return Object.fromEntries(
      wanted.map((key) => [
        key,
        complete(members.get(key) ?? {}, isObject(given) ? given[key] : undefined, definitions)
      ])
    )
  }
  return simplest(own)
}

/** The names of the members that a schema has, those of every alternative included. */
export const membersOf = (schema: Json, definitions: JsonObject): ReadonlySet<string> => {
  const own = followed(schema, definitions)
  const parts = [own["allOf"], own["anyOf"], own["oneOf"]].flatMap((each) => (Array.isArray(each) ? each : []))
  const properties = own["properties"]
  return new Set([
    ...(isObject(properties) ? Object.keys(properties) : []),
    ...parts.flatMap((part) => [...membersOf(part, definitions)])
  ])
}

interface Flat {
  readonly schema: JsonObject
  readonly members: ReadonlyMap<string, Json>
  readonly alternatives: ReadonlySet<string>
}

const followed = (schema: Json, definitions: JsonObject): JsonObject => {
  const reference = isObject(schema) ? schema["$ref"] : undefined
  if (typeof reference !== "string") return isObject(schema) ? schema : {}
  return followed(definitions[reference.split("/").at(-1) ?? ""] ?? {}, definitions)
}

/** One object of a schema: its parts are merged, and of alternatives the first that fits is taken. */
const flat = (schema: Json, given: Json | undefined, definitions: JsonObject): Flat => {
  const own = followed(schema, definitions)
  const choices = [own["anyOf"], own["oneOf"]].flatMap((each) =>
    Array.isArray(each) ? [chosen(each, given, definitions)] : []
  )
  const parts = [...(Array.isArray(own["allOf"]) ? own["allOf"] : []), ...choices].map((part) =>
    flat(part, given, definitions)
  )
  const properties = own["properties"]
  const required = own["required"]
  return {
    schema: parts.reduce<JsonObject>((all, part) => ({ ...all, ...part.schema, ...typeOf(all, part.schema) }), own),
    members: merged([
      ...parts.flatMap(({ members }) => [...members]),
      ...Object.entries(isObject(properties) ? properties : {})
    ]),
    alternatives: new Set([
      ...parts.flatMap(({ alternatives }) => [...alternatives]),
      ...(Array.isArray(required) ? required.map(String) : [])
    ])
  }
}

/** A member that several parts describe keeps to all of them. */
const merged = (all: ReadonlyArray<readonly [string, Json]>): ReadonlyMap<string, Json> => {
  const members = new Map<string, Json>()
  for (const [name, schema] of all) {
    const known = members.get(name)
    members.set(name, known === undefined ? schema : { allOf: [known, schema] })
  }
  return members
}

/** The types that two parts of a schema allow together. */
const typeOf = (a: JsonObject, b: JsonObject): JsonObject => {
  const [first, second] = [a["type"], b["type"]].map((type) => (Array.isArray(type) ? type : [type]))
  const both = (first ?? []).filter((type) => type !== undefined && second?.includes(type) === true)
  return both.length === 0 ? {} : { type: both.length === 1 ? (both[0] ?? null) : both }
}

/** Null where it is allowed and nothing is given; else the alternative with the most of the given members. */
const chosen = (options: ReadonlyArray<Json>, given: Json | undefined, definitions: JsonObject): Json => {
  const typed = options.map((option) => ({ option, own: followed(option, definitions) }))
  if (given === undefined || given === null) {
    return (typed.find(({ own }) => isOfType(own, "null")) ?? typed[0])?.option ?? {}
  }
  const keys = isObject(given) ? Object.keys(given) : []
  const count = (option: Json) => keys.filter((key) => membersOf(option, definitions).has(key)).length
  const isFit = (own: JsonObject) => isObject(given) === (isOfType(own, "object") || own["properties"] !== undefined)
  const fitting = typed.filter(({ own }) => isFit(own))
  return (fitting.sort((a, b) => count(b.option) - count(a.option))[0] ?? typed[0])?.option ?? {}
}

const isOfType = ({ type }: JsonObject, name: string): boolean =>
  type === name || (Array.isArray(type) && type.includes(name))

const simplest = (schema: JsonObject): Json => {
  const { const: constant, enum: values, format, minimum, minLength } = schema
  if (isOfType(schema, "null")) return null
  if (constant !== undefined) return constant
  if (Array.isArray(values)) return values[0] ?? null
  if (isOfType(schema, "array")) return []
  if (isOfType(schema, "boolean")) return false
  if (isOfType(schema, "integer") || isOfType(schema, "number")) return typeof minimum === "number" ? minimum : 1
  if (format === "date-time") return "2026-01-01T00:00:00Z"
  if (format === "uri") return "https://github.test/some"
  return format === "email" ? "some@github.test" : "some".padEnd(typeof minLength === "number" ? minLength : 0, "0")
}
