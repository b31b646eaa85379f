/** The parts of the OpenAPI document that concern the document as a whole. */
import { Record } from "effect"
import * as Access from "../Access.ts"
import { type Json, type JsonObject, object } from "./Json.ts"
import { closed, isStrict, problems, simplify } from "./Schema.ts"

/**
 * Completes a generated OpenAPI document.
 *
 * **Details**
 *
 * - Its schemas are simplified (`simplify`).
 * - Bodies whose unknown fields are refused allow no others.
 * - Problem documents have the names of their classes and list the members that they always have.
 * - The security schemes have the names of interface 5.2.
 * - The server is the one that the document was read from, unless it has a public address.
 */
export const complete = (spec: JsonObject): JsonObject => {
  const plain = object(simplify(spec))
  const components = object(plain["components"])
  const strict = strictSchemas(plain)
  return {
    servers: [{ url: "/" }],
    ...plain,
    paths: Record.map(object(plain["paths"]), (item) => Record.map(object(item), unmarked)),
    components: {
      ...components,
      schemas: Record.mapEntries(object(components["schemas"]), (schema, name) => {
        const known = problems.get(name)
        if (known !== undefined) return [known, problem(object(schema))]
        return [name, strict.has(name) ? closed(schema) : schema]
      }),
      securitySchemes: Object.fromEntries(Object.values(Access.schemes).map(securityScheme))
    }
  }
}

/** The names of the schemas of the bodies that `Operation.complete` has marked. */
const strictSchemas = (document: JsonObject): ReadonlySet<string> =>
  new Set(
    Object.values(object(document["paths"]))
      .flatMap((item) => Object.values(object(item)))
      .map((operation) => object(object(operation)["requestBody"]))
      .filter((body) => body[isStrict] === true)
      .flatMap(({ content }) => Object.values(object(content)))
      .map(
        (media) =>
          String(object(object(media)["schema"])["$ref"])
            .split("/")
            .at(-1) ?? ""
      )
  )

const unmarked = (operation: Json): Json => {
  const { requestBody, ...given } = object(operation)
  return requestBody === undefined ? given : { ...given, requestBody: Record.remove(object(requestBody), isStrict) }
}

const problem = (schema: JsonObject): JsonObject => ({
  ...schema,
  required: Object.keys(object(schema["properties"])).filter((name) => name !== "instance")
})

const securityScheme = ({ description, key, name }: Access.Scheme) => [
  key,
  { type: "http", scheme: "bearer", description: `${name}: ${description}` }
]
