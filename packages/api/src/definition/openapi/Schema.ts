/** The JSON Schemas of the OpenAPI document as people write them. */
import { Record } from "effect"
import * as Problem from "../Problem.ts"
import { documentedAs } from "../Parameter.ts"
import { array, isObject, type Json, type JsonObject, object } from "./Json.ts"

/**
 * Simplifies every schema in a piece of a generated OpenAPI document.
 *
 * **Details**
 *
 * - A schema with `documentedAs` is replaced by the schema that this keyword holds.
 * - Objects are open: clients must accept members that they do not know. (`closed` closes request bodies.)
 * - References to problem documents have the names of their classes.
 */
export const simplify = (json: Json): Json => {
  if (Array.isArray(json)) return json.map(simplify)
  if (!isObject(json)) return json
  const shown = array(json["allOf"]).map((part) => object(part)[documentedAs])[0] ?? json[documentedAs]
  if (shown !== undefined) return shown
  const entries = Object.entries(
    isDeprecated(json) ? { ...Record.remove(json, "allOf"), deprecated: true } : json
  ).filter(([key, value]) => key !== "additionalProperties" || value !== false)
  return Object.fromEntries(
    entries.map(([key, value]) => [key, key === "$ref" ? reference(String(value)) : simplify(value)])
  )
}

/** The mark of a request body whose unknown fields are refused; it is not in the finished document. */
export const isStrict = "x-strict"

/** A schema whose objects, at every depth, allow no other members than those that it names. */
export const closed = (json: Json): Json => {
  if (Array.isArray(json)) return json.map(closed)
  if (!isObject(json)) return json
  const inner = Record.map(json, closed)
  return "properties" in inner ? { ...inner, additionalProperties: false } : inner
}

/** The framework puts the keywords of a check into `allOf`. */
const isDeprecated = ({ allOf }: JsonObject): boolean =>
  Array.isArray(allOf) && allOf.length === 1 && Object.keys(object(allOf[0])).join() === "deprecated"

const prefix = "#/components/schemas/"

const reference = (target: string): string =>
  target.startsWith(prefix)
    ? `${prefix}${problems.get(target.slice(prefix.length)) ?? target.slice(prefix.length)}`
    : target

/** The names of the problem documents by those that the framework gives to their encoded sides. */
export const problems: ReadonlyMap<string, string> = new Map(
  Problem.all.map(({ identifier }) => [`${identifier}Encoded`, identifier])
)
