/** The checks of every answer, by the API description alone. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import { document, type Json, operations } from "../description.ts"
import * as Edges from "./edges.ts"
import type { Parameter, Request } from "./requests.ts"

const ajv = new Ajv2020({
  strict: false,
  allErrors: false,
  formats: {
    uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu,
    "date-time": /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/iu,
    binary: true,
    uri: /^\w+:/u
  }
})
ajv.addSchema({ ...document, $id: "api" })

const validators = new Map<string, ValidateFunction>()

const validator = (key: string, schema: Json): ValidateFunction => {
  const known = validators.get(key)
  if (known !== undefined) return known
  const made = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll(`"#/`, `"api#/`)))
  validators.set(key, made)
  return made
}

/** An answer as it is judged. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** The faults of an answer; empty for a good one. */
export const complaints = (request: Request, answer: Answer): ReadonlyArray<string> => [
  ...(answer.status >= 500 ? [`status ${answer.status}`] : []),
  ...(answer.headers.get("x-request-id") === null ? ["no request id"] : []),
  ...bodyComplaints(request, answer),
  ...faultComplaints(request, answer)
]

const bodyComplaints = ({ operation }: Request, answer: Answer): ReadonlyArray<string> => {
  const documented: Json = operation["responses"][answer.status]
  if (documented === undefined) return [`status ${answer.status} is not documented`]
  if (documented["content"] === undefined) return answer.text === "" ? [] : ["a body where none is documented"]
  const type = answer.headers.get("content-type") ?? "no content type"
  const media = documented["content"][type]
  if (media === undefined) return [`${type} is not documented`]
  if (!/^application\/(?:json|[a-z-]+\+json)$/u.test(type)) return []
  const validate = validator(`${operation["operationId"]} ${answer.status}`, media["schema"])
  return validate(JSON.parse(answer.text)) ? [] : [`the body breaks its schema: ${ajv.errorsText(validate.errors)}`]
}

/** A request that the description forbids is refused, and one that is refused is forbidden by it. */
const faultComplaints = (request: Request, answer: Answer): ReadonlyArray<string> => {
  const wrong = request.parameters.filter((parameter) => !isAllowed(request, parameter)).map(locationOf)
  if (answer.status < 300 && wrong.length > 0) return [`accepted although ${wrong.join()} breaks the description`]
  if (answer.status !== 422) return []
  const blamed: ReadonlyArray<string> = JSON.parse(answer.text).errors.map((fault: Json) => fault.location)
  const unjust = blamed.filter(
    (location) => !isSubtle(location, request) && !wrong.includes(location.replace(/\.\d+$/u, ""))
  )
  const missed = wrong.filter((location) => !blamed.some((each) => each.replace(/\.\d+$/u, "") === location))
  return [
    ...unjust.map((location) => `${location} is blamed although it obeys the description`),
    ...(hasBadEscape(request) ? [] : missed.map((location) => `${location} is not blamed`))
  ]
}

const locationOf = ({ definition }: Parameter): string => `${definition["in"]}.${definition["name"]}`

/**
 * Rules that no JSON Schema can say: dates that exist, windows, cursors, what can be stored, whole bodies, and the
 * configuration file that an earlier request has brought.
 */
const isSubtle = (location: string, request: Request): boolean =>
  /^(?:body.*|configuration.*|query\.(?:(?:start|end)(?:_at)?|cursor|finished_at|pull_request))$/u.test(location) ||
  request.parameters.some(
    (parameter) =>
      location.startsWith(locationOf(parameter)) &&
      parameter.values.some((value) => value.includes("\0") || !value.isWellFormed())
  )

const hasBadEscape = (request: Request): boolean =>
  request.parameters.some(
    ({ definition, values }) => definition["in"] === "query" && !values.every((value) => value.isWellFormed())
  )

const isAllowed = ({ operation }: Request, { definition, values }: Parameter): boolean => {
  if (values.length === 0) return definition["required"] !== true
  const { schema } = definition
  // JSON Schema bounds no time.
  if (schema["format"] === "date-time" && values.some((value) => Edges.times.refused.includes(value))) return false
  const validate = validator(`${operation["operationId"]} ${definition["in"]} ${definition["name"]}`, schema)
  if (schema["type"] === "array") return validate(values)
  return values.length === 1 && validate(read(schema, values[0] ?? ""))
}

const read = (schema: Json, text: string): unknown =>
  schema["type"] === "integer" && /^\d+$/u.test(text) ? Number(text) : text

/** The operations that the description has. */
export const operationIds: ReadonlyArray<string> = operations().map(({ op }) => op["operationId"])
