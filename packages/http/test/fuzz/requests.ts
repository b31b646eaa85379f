/** Requests for the operations of the API description. */
import * as fc from "fast-check"
import { type Json, operations } from "../description.ts"
import { junit, tokens } from "../wire.ts"
import * as Edges from "./edges.ts"
import { awkward, jsonValues, parameterValues } from "./values.ts"

/** A request, with what it was made from. */
export interface Request {
  readonly operation: Json
  readonly method: string
  readonly path: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly token: string | null
  readonly contentType: string | null
  readonly body: string | null
}

/** The values that a request gives to a parameter. */
export interface Parameter {
  readonly definition: Json
  readonly values: ReadonlyArray<string>
}

/** Values of parameters by name that exist on the server, so that requests reach what is behind the checks. */
export type Known = { readonly [name: string]: ReadonlyArray<string> }

/** Requests for every operation alike; half of them obey the description. */
export const requests = (known: Known): fc.Arbitrary<Request> =>
  fc.oneof(...operations().flatMap((each) => [request(each, known, false), request(each, known, true)]))

const request = (
  { method, op, path }: ReturnType<typeof operations>[number],
  known: Known,
  mayBeWrong: boolean
): fc.Arbitrary<Request> => {
  const definitions: ReadonlyArray<Json> = (op["parameters"] ?? []).filter((each: Json) => each["in"] !== "header")
  return fc
    .record({
      parameters: fc.tuple(...definitions.map((definition) => parameter(definition, known, mayBeWrong))),
      token: token(op),
      payload: payload(op, mayBeWrong)
    })
    .map(({ parameters, payload: { body, contentType }, token: credential }) => ({
      operation: op,
      method: method.toUpperCase(),
      path: `${pathOf(path, parameters)}${queryOf(parameters)}`,
      parameters,
      token: credential,
      contentType,
      body
    }))
}

const parameter = (definition: Json, known: Known, mayBeWrong: boolean): fc.Arbitrary<Parameter> => {
  const values = parameterValues(definition["schema"], known[definition["name"]] ?? [], mayBeWrong)
  if (definition["in"] === "path") return values.map((given) => ({ definition, values: segment(given) }))
  const given = values.map((each) => ({ definition, values: each }))
  const absent = fc.constant({ definition, values: [] })
  if (!definition["required"]) return fc.oneof({ arbitrary: given, weight: 1 }, { arbitrary: absent, weight: 3 })
  return mayBeWrong ? fc.oneof({ arbitrary: given, weight: 9 }, { arbitrary: absent, weight: 1 }) : given
}

/**
 * A segment of a path is a non-empty text, except the dots that URLs resolve. Text without a UTF-8 form cannot be in a
 * path.
 */
const segment = (values: ReadonlyArray<string>): ReadonlyArray<string> =>
  values.slice(0, 1).map((value) => (["", ".", ".."].includes(value) || !value.isWellFormed() ? "x" : value))

const token = (operation: Json): fc.Arbitrary<string | null> => {
  const rare = fc.constantFrom(tokens.ci, tokens.other, tokens.reader, tokens.writer, "", "x\u00e9", null)
  return (operation["security"] ?? []).length === 0
    ? fc.constant(null)
    : fc.oneof({ arbitrary: fc.constant(tokens.admin), weight: 12 }, { arbitrary: rare, weight: 1 })
}

interface Payload {
  readonly contentType: string | null
  readonly body: string | null
}

const payload = (operation: Json, mayBeWrong: boolean): fc.Arbitrary<Payload> => {
  const content: Json = operation["requestBody"]?.["content"]
  if (content === undefined) return fc.constant({ contentType: null, body: null })
  const bodies = Object.entries(content).map(([contentType, media]) =>
    bodyOf(contentType, media, mayBeWrong).map((body) => ({ contentType, body }))
  )
  const wrong = fc.record({
    contentType: fc.constantFrom("text/plain", "multipart/form-data", "application/json", "x", null),
    body: fc.oneof(fc.json(), fc.string({ maxLength: 50 }))
  })
  return mayBeWrong ? fc.oneof(...bodies, wrong) : fc.oneof(...bodies)
}

const bodyOf = (contentType: string, media: Json, mayBeWrong: boolean): fc.Arbitrary<string> => {
  const right =
    uploads(contentType, media) ?? jsonValues(media["schema"], mayBeWrong).map((json) => JSON.stringify(json))
  if (media["example"]?.["key"] !== undefined) return fc.oneof(right, fc.constant(JSON.stringify({ key: tokens.ci })))
  return mayBeWrong ? fc.oneof(right, fc.string({ maxLength: 30 }), fc.json()) : right
}

/** Bodies of formats that the description does not spell out: its examples with other names and outcomes. */
const uploads = (contentType: string, media: Json): fc.Arbitrary<string> | undefined => {
  if (contentType.endsWith("xml")) return fc.oneof(cases.map(junit), timed)
  if (contentType.endsWith("protobuf")) return fc.constant("")
  if (media["schema"]["additionalProperties"] !== true) return undefined
  const example = JSON.stringify(media["example"])
  const edges = Edges.of(media["example"])
  const reports = media["example"]["results"] === undefined ? [] : Edges.reports.map(Edges.of)
  const others = fc
    .tuple(awkward, fc.constantFrom("passed", "failed", "skipped", "x", 7))
    .map(([name, outcome]) =>
      example.replaceAll(`"adds"`, JSON.stringify(name)).replaceAll(`"passed"`, JSON.stringify(outcome))
    )
  return fc.oneof(others, ...[edges, ...reports].map((each) => each.map((json) => JSON.stringify(json))))
}

/** JUnit with a time of its own at an edge, and a duration. */
const timed = fc
  .tuple(
    fc.constantFrom(...Edges.times.accepted, ...Edges.times.refused),
    fc.constantFrom("-1", "0", "1e308", "9".repeat(30), "31622400", "31622401")
  )
  .map(([at, time]) => `<testsuite timestamp="${at}"><testcase name="a" time="${time}" timestamp="${at}"/></testsuite>`)

const cases = fc.dictionary(
  fc.constantFrom("a", "checkout > pays", "é", "<b>"),
  fc.constantFrom<"passed" | "failed">("passed", "failed"),
  { maxKeys: 3 }
)

const pathOf = (path: string, parameters: ReadonlyArray<Parameter>): string =>
  path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => {
    const found = parameters.find((each) => each.definition["in"] === "path" && each.definition["name"] === name)
    return encode(found?.values[0] ?? "x")
  })

const queryOf = (parameters: ReadonlyArray<Parameter>): string => {
  const pairs = parameters
    .filter((each) => each.definition["in"] === "query")
    .flatMap(({ definition, values }) => values.map((value) => `${definition["name"]}=${encode(value)}`))
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`
}

/** A lone surrogate has no percent escape: its bytes are written, which are no UTF-8. */
const encode = (text: string): string =>
  Array.from(text, (character) => (character.isWellFormed() ? encodeURIComponent(character) : "%ED%A0%80")).join("")
