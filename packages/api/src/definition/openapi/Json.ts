/** Plain JSON of OpenAPI documents. */

/** Any JSON value. */
export type Json = unknown

/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json }

/** Whether a JSON value is an object. */
export const isObject = (json: Json): json is JsonObject =>
  typeof json === "object" && json !== null && !Array.isArray(json)

/** The JSON value when it is an object, else an empty one. */
export const object = (json: Json): JsonObject => (isObject(json) ? json : {})

/** The JSON value when it is an array, else an empty one. */
export const array = (json: Json): ReadonlyArray<Json> => (Array.isArray(json) ? json : [])
