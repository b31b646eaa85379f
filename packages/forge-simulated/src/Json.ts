/** Plain JSON values. */

/** A JSON value. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: Json
}

/** Whether a value is an object, neither an array nor null. */
export const isObject = (json: unknown): json is JsonObject =>
  typeof json === "object" && json !== null && !Array.isArray(json)
