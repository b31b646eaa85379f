/**
 * Values for the schemas of the API description: at, just inside and just outside of each limit, of wrong types, and
 * texts that break careless programs.
 */
import * as fc from "fast-check"
import { document, type Json } from "../description.ts"
import * as Edges from "./edges.ts"

/** Texts that break careless programs. */
export const awkward = fc.constantFrom(
  "",
  " ",
  "null",
  "undefined",
  "true",
  "[]",
  "{}",
  "0",
  "-1",
  "1e3",
  "NaN",
  "a\0b",
  "\ud800",
  "\u{1F600}",
  "e\u0301",
  "\u202Eabc",
  "\uFEFF",
  "' OR 1=1 --",
  "%",
  "%%",
  "*",
  "?",
  "_",
  "\\",
  "<script>",
  "../../etc/passwd",
  "a/b",
  "a?b#c&d=e",
  "__proto__",
  "constructor",
  "x".repeat(2000)
)

const repeated = (length: number): fc.Arbitrary<string> =>
  fc.constantFrom("a", "\u{1F600}", "é", "*").map((character) => character.repeat(length))

/** Made once, because it is expensive. */
const binary = fc.string({ unit: "binary", maxLength: 20 })

/** Texts for the patterns of the document: of repositories, of mailboxes, and of names. */
const examplesOf = (pattern: string, most: number): ReadonlyArray<string> => {
  if (pattern.includes("\\/")) return ["acme/*", "*/web-?"]
  return pattern.includes("@") ? ["ada@example.com"] : ["a-1", "Z".repeat(most)]
}

/** Texts at, just inside and, when they may be wrong, just outside of the limits of a schema. */
const texts = (schema: Json, mayBeWrong: boolean): fc.Arbitrary<string> => {
  const least: number = schema["minLength"] ?? 0
  const most: number = Math.min(schema["maxLength"] ?? 20, 10_000)
  const lengths = mayBeWrong ? [least - 1, least, least + 1, most - 1, most, most + 1] : [least, most - 1, most]
  const plain = fc.string({ unit: "grapheme-ascii", minLength: least, maxLength: Math.min(20, most) })
  const edges = fc.oneof(...lengths.filter((length) => length >= 0).map(repeated))
  const likely =
    schema["format"] === "uri"
      ? [fc.constantFrom("https://example.com/hook", `http://a/${"b".repeat(most - 9)}`)]
      : schema["pattern"] === undefined
        ? [plain, edges]
        : [fc.constantFrom(...examplesOf(String(schema["pattern"]), most))]
  return mayBeWrong ? fc.oneof(...likely, edges, awkward, binary) : fc.oneof(...likely)
}

const rightDates = fc
  .date({ min: new Date("2026-05-01T00:00:00Z"), max: new Date("2026-07-15T00:00:00Z"), noInvalidDate: true })
  .map((date) => date.toISOString())

const wrongDates = fc.constantFrom(
  ...Edges.times.accepted,
  ...Edges.times.refused,
  "9999-12-31T00:00:00Z",
  "2026-06-30T12:00:00+02:00",
  "2026-02-29T00:00:00Z",
  "2026-06-30T23:59:60Z",
  "2026-06-30",
  "2026-06-30 12:00:00"
)

const wrongUuids = fc.oneof(
  fc.uuid({ version: 4 }),
  fc.constantFrom("00000000-0000-0000-0000-000000000000", "8C742819-D7C6-56DE-8296-355D9339D400", "8c742819")
)

const integers = (schema: Json, mayBeWrong: boolean): fc.Arbitrary<string> => {
  const [least, most]: ReadonlyArray<number> = [schema["minimum"], schema["maximum"]]
  const right = fc.oneof(fc.integer({ min: least ?? 0, max: most ?? 0 }), fc.constantFrom(least, most)).map(String)
  const wrong = [least, most].flatMap((limit = 0) => [limit - 1, limit + 1]).map(String)
  return mayBeWrong ? fc.oneof(right, fc.constantFrom(...wrong, "007", "1.5", "1e1", "9".repeat(30)), awkward) : right
}

/** The values of a parameter, as text; an array gives several. Wrong values come only when they may. */
export const parameterValues = (
  schema: Json,
  known: ReadonlyArray<string>,
  mayBeWrong: boolean
): fc.Arbitrary<ReadonlyArray<string>> => {
  if (schema["type"] === "array") return lists(schema, known, mayBeWrong)
  const one = single(schema, known, mayBeWrong)
  const given = one.map((value) => [value])
  if (!mayBeWrong) return given
  return fc.oneof({ arbitrary: given, weight: 30 }, { arbitrary: fc.tuple(one, one), weight: 1 })
}

const lists = (
  schema: Json,
  known: ReadonlyArray<string>,
  mayBeWrong: boolean
): fc.Arbitrary<ReadonlyArray<string>> => {
  const item = single(schema["items"], known, mayBeWrong)
  const few = fc.array(item, { minLength: 1, maxLength: 3 })
  const most: number = schema["maxItems"] ?? 3
  const length = fc.constantFrom(most, mayBeWrong ? most + 1 : most)
  const many = length.chain((count) => item.map((value) => Array.from({ length: count }, () => value)))
  return fc.oneof({ arbitrary: few, weight: 20 }, { arbitrary: many, weight: 1 })
}

const single = (schema: Json, known: ReadonlyArray<string>, mayBeWrong: boolean): fc.Arbitrary<string> => {
  const own = mayBeWrong ? fc.oneof(right(schema), around(schema)) : right(schema)
  return known.length === 0
    ? own
    : fc.oneof({ arbitrary: fc.constantFrom(...known), weight: 6 }, { arbitrary: own, weight: 1 })
}

const right = (schema: Json): fc.Arbitrary<string> => {
  if (schema["enum"] !== undefined) return fc.constantFrom<string>(...schema["enum"])
  if (schema["format"] === "date-time") return rightDates
  if (schema["format"] === "uuid") return fc.uuid({ version: 5 })
  return schema["type"] === "integer" ? integers(schema, false) : texts(schema, false)
}

const around = (schema: Json): fc.Arbitrary<string> => {
  if (schema["enum"] !== undefined) return fc.oneof(fc.constantFrom(schema["enum"][0].toUpperCase()), awkward)
  if (schema["format"] === "date-time") return fc.oneof(wrongDates, awkward)
  if (schema["format"] === "uuid") return fc.oneof(wrongUuids, awkward)
  return schema["type"] === "integer" ? integers(schema, true) : texts(schema, true)
}

/** Made once, because it is expensive. */
const anything = fc.jsonValue({ maxDepth: 2 })

/** Any JSON for a schema, wrong only when it may be. */
export const jsonValues = (schema: Json, mayBeWrong: boolean): fc.Arbitrary<unknown> =>
  mayBeWrong
    ? fc.oneof({ arbitrary: ofType(schema, true), weight: 6 }, { arbitrary: anything, weight: 1 })
    : ofType(schema, false)

const resolved = (schema: Json): Json =>
  schema["$ref"] === undefined ? schema : document["components"]["schemas"][schema["$ref"].split("/").at(-1)]

const ofType = (given: Json, mayBeWrong: boolean): fc.Arbitrary<unknown> => {
  const schema = resolved(given)
  if (schema["anyOf"] !== undefined) {
    return fc.oneof(...schema["anyOf"].map((each: Json) => jsonValues(each, mayBeWrong)))
  }
  switch (schema["type"]) {
    case "null":
      return fc.constant(null)
    case "array":
      return fc.array(jsonValues(schema["items"], mayBeWrong), {
        // Lists of patterns and mailboxes are never empty.
        minLength: mayBeWrong || schema["items"]["pattern"] === undefined ? 0 : (schema["minItems"] ?? 0),
        maxLength: 4
      })
    case "object":
      return objects(schema, mayBeWrong)
    case "boolean":
      return fc.boolean()
    case "integer":
    case "number":
      return numbers(schema, mayBeWrong)
    default:
      return single(schema, [], mayBeWrong)
  }
}

/** Numbers within the limits of a schema and at them; when they may be wrong also just outside, or as text. */
const numbers = (schema: Json, mayBeWrong: boolean): fc.Arbitrary<unknown> => {
  const [min, max]: readonly [number, number] = [schema["minimum"] ?? 0, schema["maximum"] ?? 1_000_000]
  const [least, most] = [Math.ceil(min), Math.floor(max)]
  const limits = fc.constantFrom(min, max)
  const whole = least > most ? limits : fc.oneof(fc.integer({ min: least, max: most }), limits)
  const fitting = schema["type"] === "integer" ? whole : fc.oneof(whole, fc.double({ min, max, noNaN: true }))
  return mayBeWrong ? fc.oneof(fitting, fc.constantFrom(min - 1, max + 1, 1.5, 1e300), fitting.map(String)) : fitting
}

const objects = (schema: Json, mayBeWrong: boolean): fc.Arbitrary<unknown> => {
  const fields = Object.fromEntries(
    Object.entries(schema["properties"] ?? {}).map(([name, type]) => [name, jsonValues(type, mayBeWrong)])
  )
  const whole = fc.record(fields, { requiredKeys: schema["required"] })
  if (!mayBeWrong) return whole
  const surplus = fc.record({ ...fields, surplus: anything })
  return fc.oneof(whole, surplus, fc.record(fields, { requiredKeys: [] }))
}
