/** The generated description of the API, read the way the table of the interface is written. */
import { Api } from "@lazaret/api"
import { OpenApi } from "effect/http-api"

/** Plain JSON, whatever it is. */
export type Json = ReturnType<typeof JSON.parse>

/** The document, as it is served. */
export const document: Json = JSON.parse(JSON.stringify(OpenApi.fromApi(Api)))

/** The members of an object, none of nothing. */
export const entries = (json: Json): ReadonlyArray<readonly [string, Json]> => Object.entries(json ?? {})

/** Every operation of the document. */
export const operations = () =>
  entries(document["paths"]).flatMap(([path, methods]) =>
    entries(methods).map(([method, op]) => ({ path, method, op }))
  )

/** One operation of the document. */
export const operation = (method: string, path: string): Json => document["paths"]?.[path]?.[method] ?? fail(path)

/** The parameters of an operation in one place, as a line of the table. */
export const parameters = (op: Json, place: string): Record<string, string> =>
  Object.fromEntries(
    Array.from<Json>(op["parameters"] ?? [])
      .filter((each) => each["in"] === place)
      .map((each) => [each["required"] ? each["name"] : `${each["name"]}?`, typeOf(each["schema"])])
  )

/** The fields of a resource, as a line of the table. */
export const fields = (schema: Json): Record<string, string> =>
  Object.fromEntries(
    entries(schema?.["properties"]).map(([name, type]) => [
      (schema["required"] ?? []).includes(name) ? name : `${name}?`,
      typeOf(type)
    ])
  )

/** A type, in the words of the table. */
export const typeOf = (schema: Json): string => {
  if (schema === undefined) return "nothing"
  if (schema["$ref"] !== undefined) return schema["$ref"].split("/").at(-1) ?? ""
  if (schema["anyOf"] !== undefined) return schema["anyOf"].map(typeOf).join(" | ")
  if (schema["enum"] !== undefined) return schema["enum"].join(", ")
  switch (schema["type"]) {
    case "array":
      return `${typeOf(schema["items"])}[]${schema["maxItems"] === undefined ? "" : ` (${schema["maxItems"]})`}`
    case "string":
      return textOf(schema)
    case "integer":
    case "number":
      return `${schema["type"]}${rangeOf(schema["minimum"], schema["maximum"])}`
    case "object":
      return `{${Object.entries(fields(schema))
        .map((field) => field.join(": "))
        .join(", ")}}`
    default:
      return String(schema["type"])
  }
}

const textOf = (schema: Json): string => {
  if (schema["format"] === "uuid") return schema["pattern"]?.includes("-5[0-9a-fA-F]{3}") ? "uuid5" : "uuid"
  if (schema["format"] !== undefined) return schema["format"]
  const pattern = schema["pattern"] === undefined ? "" : ` ${schema["pattern"]}`
  return `string${rangeOf(schema["minLength"], schema["maxLength"])}${pattern}`
}

/** The limits of JavaScript's own integers are no limits of the interface. */
const rangeOf = (minimum: number | undefined, maximum: number | undefined): string => {
  const least = minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? "" : `${minimum}`
  const most = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? "" : `${maximum}`
  return least === "" && most === "" ? "" : ` ${least}..${most}`
}

const fail = (path: string): never => {
  throw new Error(`no operation at ${path}`)
}
