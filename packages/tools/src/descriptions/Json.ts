/** Plain JSON values, and walks over them. */

/** A JSON value. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: Json
}

/** Whether a value is an object, neither an array nor null. */
export const isObject = (json: Json | undefined): json is JsonObject =>
  typeof json === "object" && json !== null && !Array.isArray(json)

/** A member of an object; an empty object when it is missing or not an object. */
export const child = (json: Json | undefined, key: string): JsonObject => {
  const found = isObject(json) ? json[key] : undefined
  return isObject(found) ? found : {}
}

/** The items of an array; empty for every other value. */
export const items = (json: Json | undefined): ReadonlyArray<Json> => (Array.isArray(json) ? json : [])
