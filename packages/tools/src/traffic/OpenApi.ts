/**
 * A whole OpenAPI 3.0 document as a judge of exchanges.
 *
 * **Details**
 *
 * It reads the document itself, not the extract that judges inside the simulated platforms: what the extract loses is found.
 */
import { Ajv, type AnySchemaObject, type ValidateFunction } from "ajv"
import { child, isObject, items, type Json, type JsonObject } from "../descriptions/Json.ts"
import { type Exchange, mediaType } from "./Exchange.ts"

/** The verdict on an exchange; `operation` is null where the document has no such operation. */
export interface Verdict {
  readonly operation: string | null
  /** The faults of the request, in sentences. */
  readonly request: ReadonlyArray<string>
  /** The faults of the answer, in sentences. */
  readonly answer: ReadonlyArray<string>
  /** Whether the answer is a refusal or a redirect with a status that the document does not list. */
  readonly isUnlisted: boolean
}

/** Judges exchanges. */
export interface Judge {
  readonly judge: (exchange: Exchange) => Verdict
}

interface Operation {
  readonly id: string
  readonly method: string
  readonly expression: RegExp
  /** How many segments are variable: `/a/{b}` also matches the path of `/a/c`, which is the more exact one. */
  readonly variables: number
  readonly parameters: ReadonlyArray<JsonObject>
  readonly definition: JsonObject
}

/** The judge of a document. */
export const of = (document: JsonObject): Judge => {
  const whole = asJsonSchema(document)
  const operations = operationsOf(whole)
  const context: Context = { document: whole, validate: validatorOf(whole) }
  return {
    judge: (exchange) => {
      const [path = "", query = ""] = exchange.url.split("?")
      const operation = operations.find(({ expression, method }) => method === exchange.method && expression.test(path))
      if (operation === undefined) return { operation: null, request: [], answer: [], isUnlisted: false }
      const values = operation.expression.exec(path)?.groups ?? {}
      const response = responseOf(context, operation, exchange.status)
      return {
        operation: operation.id,
        request: [
          ...(operation.definition["deprecated"] === true ? ["is deprecated"] : []),
          ...faultsOfParameters(context, operation, values, new URLSearchParams(query)),
          ...faultsOfBody(context, operation, exchange)
        ],
        answer: faultsOfAnswer(context, response, exchange),
        isUnlisted: response === undefined && exchange.status >= 300 && exchange.status !== 304
      }
    }
  }
}

interface Context {
  readonly document: JsonObject
  readonly validate: (schema: Json, value: Json) => ReadonlyArray<string>
}

const operationsOf = (document: JsonObject): ReadonlyArray<Operation> =>
  Object.entries(child(document, "paths"))
    .flatMap(([path, methods]) =>
      Object.entries(isObject(methods) ? methods : {}).flatMap(([method, definition]): ReadonlyArray<Operation> => {
        if (!isObject(definition) || method === "parameters") return []
        const parameters = [...items(child({ methods }, "methods")["parameters"]), ...items(definition["parameters"])]
        return [
          {
            id: `${method.toUpperCase()} ${path}`,
            method: method.toUpperCase(),
            expression: expressionOf(path),
            variables: path.split("{").length,
            parameters: parameters.map((each) => resolved(document, each)),
            definition
          }
        ]
      })
    )
    .toSorted((a, b) => a.variables - b.variables)

/** A parameter of a path is one segment; the path of a file, and a reference such as `heads/main`, may have several. */
const expressionOf = (path: string): RegExp => {
  const segment = (name: string) => (name === "path" || path.includes("/git/") ? ".+" : "[^/]+")
  const text = path
    .replaceAll(".", String.raw`\.`)
    .replaceAll(/\{([\w-]+)\}/gu, (_, name: string) => `(?<${name.replaceAll("-", "_")}>${segment(name)})`)
  return new RegExp(`^${text}$`, "u")
}

const resolved = (document: JsonObject, json: Json): JsonObject => {
  const reference = isObject(json) ? json["$ref"] : undefined
  if (typeof reference !== "string") return isObject(json) ? json : {}
  const found = reference
    .split("/")
    .slice(1)
    .reduce<JsonObject>((at, key) => child(at, key), document)
  return resolved(document, found)
}

const faultsOfParameters = (
  { document, validate }: Context,
  { parameters }: Operation,
  values: Readonly<Record<string, string>>,
  query: URLSearchParams
): ReadonlyArray<string> => {
  const known = new Set(parameters.filter((each) => each["in"] === "query").map(({ name }) => name))
  const unknown = [...query.keys()].filter((name) => !known.has(name)).map((name) => `has an unknown query ${name}`)
  const wrong = parameters.flatMap(({ deprecated, in: place, name, required, schema = {} }) => {
    if (typeof name !== "string") return []
    if (place !== "path" && place !== "query") return []
    const segment = values[name.replaceAll("-", "_")]
    const given = place === "query" ? query.get(name) : segment === undefined ? null : decodeURIComponent(segment)
    if (given === null) return required === true ? [`has no ${place} ${name}`] : []
    const value = typed(given, resolved(document, schema))
    return [
      ...(deprecated === true ? [`has a deprecated ${place} ${name}`] : []),
      ...validate(schema, value).map((fault) => `${place} ${name}${fault}`)
    ]
  })
  return [...unknown, ...wrong]
}

const typed = (text: string, { oneOf, type }: JsonObject): Json => {
  const types = [type, ...items(oneOf).map((each) => child({ each }, "each")["type"])]
  if (types.some((each) => each === "integer" || each === "number") && /^-?\d+$/u.test(text)) return Number(text)
  return type === "boolean" && /^(?:true|false)$/u.test(text) ? text === "true" : text
}

const faultsOfBody = (
  context: Context,
  { definition }: Operation,
  { body, headers }: Exchange
): ReadonlyArray<string> => {
  const expected = definition["requestBody"]
  if (body === "") {
    return expected !== undefined && resolved(context.document, expected)["required"] === true ? ["has no body"] : []
  }
  if (expected === undefined) return ["has a body, which the operation does not take"]
  const type = mediaType(headers["content-type"])
  const content = child(resolved(context.document, expected), "content")
  if (content[type] === undefined) return [`has the media type ${type}, not ${Object.keys(content).join(", ")}`]
  const schema = child(content, type)["schema"] ?? {}
  const value = JSON.parse(body) as Json
  const known = membersOf(context.document, schema)
  const unknown = Object.keys(isObject(value) && !known.isOpen ? value : {}).filter((key) => !known.members.has(key))
  const used = isObject(value) ? [...known.deprecated].filter((key) => key in value) : []
  return [
    ...context.validate(schema, value).map((fault) => `body${fault}`),
    ...unknown.map((key) => `has an unknown member ${key}`),
    ...used.map((key) => `has a deprecated member ${key}`)
  ]
}

interface Members {
  readonly members: ReadonlySet<string>
  readonly deprecated: ReadonlySet<string>
  readonly isOpen: boolean
}

/** The members that a schema names, in all of its parts. */
const membersOf = (document: JsonObject, schema: Json): Members => {
  const own = resolved(document, schema)
  const parts = ["allOf", "anyOf", "oneOf"].flatMap((key) => items(own[key])).map((part) => membersOf(document, part))
  const properties = Object.entries(child(own, "properties"))
  const deprecated = properties.filter(([, each]) => isDeprecated(each))
  return {
    members: new Set([...properties.map(([key]) => key), ...parts.flatMap(({ members }) => [...members])]),
    deprecated: new Set([...deprecated.map(([key]) => key), ...parts.flatMap((part) => [...part.deprecated])]),
    isOpen: own["additionalProperties"] === true || parts.some(({ isOpen }) => isOpen)
  }
}

const isDeprecated = (schema: Json): boolean =>
  isObject(schema) && (schema["deprecated"] === true || items(schema["anyOf"]).some(isDeprecated))

const responseOf = ({ document }: Context, { definition }: Operation, status: number): JsonObject | undefined => {
  const response = child(definition, "responses")[String(status)]
  return response === undefined ? undefined : resolved(document, response)
}

const faultsOfAnswer = (
  { validate }: Context,
  response: JsonObject | undefined,
  { answer, answered, status }: Exchange
): ReadonlyArray<string> => {
  // Not modified: the answer is the one that the sender knows.
  if (status === 304) return []
  if (response === undefined) return status < 300 ? [`has the status ${status}, which is not listed`] : []
  const type = mediaType(answered["content-type"])
  const content = child(response, "content")[type]
  if (answer === "") return status < 300 && child(response, "content")["application/json"] ? ["has no body"] : []
  if (content === undefined) return status < 400 ? [`has the media type ${type}, which is not listed`] : []
  return validate(child({ content }, "content")["schema"] ?? {}, JSON.parse(answer) as Json)
}

const validatorOf = (document: JsonObject): Context["validate"] => {
  const ajv = new Ajv({ allErrors: true, strict: false, logger: false, formats })
  ajv.addSchema({ ...document, $id: "document" } as AnySchemaObject)
  const compiled = new Map<string, ValidateFunction>()
  return (schema, value) => {
    const text = JSON.stringify(schema).replaceAll('"#/', '"document#/')
    const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text))
    compiled.set(text, validate)
    if (validate(value)) return []
    return (validate.errors ?? []).map(({ instancePath, message = "" }) => `${instancePath} ${message}`)
  }
}

const formats = {
  "date-time": (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/u.test(text),
  uri: (text: string) => URL.canParse(text),
  email: /^[^@\s]+@[^@\s]+$/u,
  int64: true,
  "uri-template": true,
  uuid: true,
  date: /^\d{4}-\d\d-\d\d$/u
} as const

/** OpenAPI 3.0 allows `nullable` where JSON Schema has no type, and with values that do not list null. */
const asJsonSchema = <A extends Json>(json: A): A => {
  if (Array.isArray(json)) return json.map(asJsonSchema) as Json as A
  if (!isObject(json)) return json
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(json).map(([key, value]) => [key, asJsonSchema(value)])
  )
  if (nullable !== true)
    return (nullable === undefined || nullable === false ? rest : { ...rest, nullable }) as Json as A
  return { anyOf: [rest, { enum: [null] }] } as Json as A
}
