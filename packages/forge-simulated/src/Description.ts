/**
 * The published description of a platform, as a judge of requests, answers and deliveries.
 *
 * `npm run descriptions` makes the fixtures from the packages that the platforms publish.
 */
import { readFileSync } from "node:fs"
import { Ajv, type ValidateFunction } from "ajv"
import { isObject, type Json, type JsonObject } from "./Json.ts"
import * as Sample from "./Sample.ts"

/** A parameter of an operation. */
interface Parameter {
  readonly in: "path" | "query" | "header"
  readonly name: string
  readonly required: boolean
  readonly schema: JsonObject
}

/** An operation of the description. */
export interface Operation {
  readonly method: string
  readonly path: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly body?: Json
  readonly isBodyRequired?: boolean
  readonly responses: { readonly [status: string]: Json }
}

/** A request that matches an operation: parameters are decoded to their types. */
export interface Matched {
  readonly id: string
  readonly operation: Operation
  readonly path: Readonly<Record<string, string>>
}

/** The operations of one platform. */
export interface Description {
  /** The operation of a request, null when the description has none. */
  readonly match: (method: string, path: string) => Matched | null
  /** The faults of a request, in sentences. */
  readonly faultsOfRequest: (request: Matched, query: URLSearchParams, body: Json | undefined) => ReadonlyArray<string>
  /** The faults of an answer, in sentences. */
  readonly faultsOfAnswer: (id: string, status: number, body: Json | undefined) => ReadonlyArray<string>
  /** The answer of an operation with these members; the other required ones have some valid value. */
  readonly answer: (id: string, status: number, members: Json) => Json
}

/** The deliveries of one platform. */
export interface Deliveries {
  /** A payload with these members; the other required ones have some valid value. An invalid payload is a defect. */
  readonly payload: (name: string, members: JsonObject) => JsonObject
}

/** The operations in a fixture. */
export const operations = (fixture: string): Description => {
  const { definitions, operations: known } = read(fixture)
  // The fixture is written by `npm run descriptions` in this form.
  const table = Object.entries(known as unknown as Readonly<Record<string, Operation>>)
  const byId = new Map(table)
  const routes = table.map(([id, operation]) => ({ id, operation, expression: expressionOf(operation.path) }))
  const judge = judgeOf(definitions)
  return {
    match: (method, path) => {
      for (const { expression, id, operation } of routes) {
        const found = operation.method === method ? expression.exec(path) : null
        if (found !== null) return { id, operation, path: mapped(found.groups ?? {}, decodeURIComponent) }
      }
      return null
    },
    faultsOfRequest: ({ id, operation, path }, query, body) => [
      ...faultsOfParameters(operation, path, query, judge),
      ...faultsOfBody(id, operation, body, judge),
      ...(isObject(body) ? unknownMembers(body, operation.body ?? {}, definitions) : [])
    ],
    faultsOfAnswer: (id, status, body) => {
      const schema = byId.get(id)?.responses[String(status)]
      if (schema === undefined) return [`${id} has no answer with status ${status}`]
      if (schema === null) return body === undefined ? [] : [`${id} ${status} has no body`]
      return judge(`${id} ${status}`, schema)(body)
    },
    answer: (id, status, members) =>
      Sample.complete(byId.get(id)?.responses[String(status)] ?? {}, members, definitions)
  }
}

/** The deliveries in a fixture. */
export const deliveries = (fixture: string): Deliveries => {
  const { definitions, operations: known } = read(fixture)
  const judge = judgeOf(definitions)
  return {
    payload: (name, members) => {
      const schema = known[name]
      if (schema === undefined) throw new Error(`the fixture has no delivery ${name}`)
      const payload = Sample.complete(schema, members, definitions)
      const faults = judge(name, schema)(payload)
      if (faults.length > 0 || !isObject(payload)) throw new Error(faults.join("\n"))
      return payload
    }
  }
}

const read = (fixture: string): { readonly operations: JsonObject; readonly definitions: JsonObject } =>
  JSON.parse(readFileSync(new URL(`../fixtures/${fixture}`, import.meta.url), "utf8"))

const mapped = (object: Readonly<Record<string, string>>, each: (value: string) => string) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, each(value)]))

/** A path parameter is one segment; that of a file is the rest. */
const expressionOf = (path: string): RegExp =>
  new RegExp(
    `^${path.replaceAll(".", String.raw`\.`).replaceAll(/\{(\w+)\}/gu, (_, name: string) => `(?<${name}>${name === "path" ? ".+" : "[^/]+"})`)}$`,
    "u"
  )

type Judge = (name: string, schema: Json) => (value: unknown) => ReadonlyArray<string>

const judgeOf = (definitions: JsonObject): Judge => {
  const ajv = new Ajv({ allErrors: true, strict: false, formats })
  ajv.addSchema({ $id: "fixture", definitions })
  const compiled = new Map<string, ValidateFunction>()
  return (name, schema) => (value) => {
    const validate = compiled.get(name) ?? ajv.compile(referring(schema))
    compiled.set(name, validate)
    if (validate(value)) return []
    return (validate.errors ?? []).map((error) => `${name}${error.instancePath} ${error.message ?? ""}`)
  }
}

const formats = {
  "date-time": (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/u.test(text),
  uri: (text: string) => URL.canParse(text),
  email: /^[^@\s]+@[^@\s]+$/u,
  int64: true,
  "uri-template": true,
  uuid: true
} as const

/** The same schema, with references into the fixture. */
const referring = (schema: Json): JsonObject =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/definitions/', '"fixture#/definitions/'))

const faultsOfParameters = (
  { parameters }: Operation,
  path: Readonly<Record<string, string>>,
  query: URLSearchParams,
  judge: Judge
): ReadonlyArray<string> => {
  const known = new Set(parameters.filter((each) => each.in === "query").map(({ name }) => name))
  const unknown = [...query.keys()].filter((name) => !known.has(name)).map((name) => `query.${name} is unknown`)
  const wrong = parameters.flatMap(({ in: place, name, required, schema }) => {
    const text = place === "path" ? path[name] : place === "query" ? query.get(name) : null
    if (text === undefined || text === null)
      return required && place !== "header" ? [`${place}.${name} is missing`] : []
    return judge(`${place}.${name} ${JSON.stringify(schema)}`, schema)(typed(text, schema))
  })
  return [...unknown, ...wrong]
}

const typed = (text: string, { type }: JsonObject): Json => {
  if (type === "integer" || type === "number") return /^-?\d+$/u.test(text) ? Number(text) : text
  return type === "boolean" && /^(?:true|false)$/u.test(text) ? text === "true" : text
}

const faultsOfBody = (
  id: string,
  operation: Operation,
  body: Json | undefined,
  judge: Judge
): ReadonlyArray<string> => {
  const { body: schema, isBodyRequired } = operation
  if (schema === undefined) return body === undefined ? [] : [`${id} takes no body`]
  if (body === undefined) return isBodyRequired === true ? [`${id} needs a body`] : []
  return judge(`${id} body`, schema)(body)
}

/** A member that the description does not name is most likely a spelling error, which the platform would ignore. */
const unknownMembers = (body: JsonObject, schema: Json, definitions: JsonObject): ReadonlyArray<string> => {
  const known = Sample.membersOf(schema, definitions)
  return Object.keys(body)
    .filter((key) => !known.has(key))
    .map((key) => `body.${key} is unknown`)
}
