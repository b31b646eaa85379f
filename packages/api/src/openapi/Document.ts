/** The parts of the OpenAPI document that concern the document as a whole. */
import { Record } from "effect"
import * as Access from "../Access.ts"
import { type JsonObject, object } from "./Json.ts"
import { problems, simplify } from "./Schema.ts"

/**
 * Completes a generated OpenAPI document.
 *
 * **Details**
 *
 * - Its schemas are simplified (`simplify`).
 * - Problem documents have the names of their classes and list the members that they always have.
 * - The security schemes have the names of interface 5.2.
 * - The server is the one that the document was read from, unless it has a public address.
 */
export const complete = (spec: JsonObject): JsonObject => {
  const plain = object(simplify(spec))
  const components = object(plain["components"])
  return {
    servers: [{ url: "/" }],
    ...plain,
    components: {
      ...components,
      schemas: Record.mapEntries(object(components["schemas"]), (schema, name) => {
        const known = problems.get(name)
        return known === undefined ? [name, schema] : [known, problem(object(schema))]
      }),
      securitySchemes: Object.fromEntries(Object.values(Access.schemes).map(securityScheme))
    }
  }
}

const problem = (schema: JsonObject): JsonObject => ({
  ...schema,
  required: Object.keys(object(schema["properties"])).filter((name) => name !== "instance")
})

const securityScheme = ({ description, key, name }: Access.Scheme) => [
  key,
  { type: "http", scheme: "bearer", description: `${name}: ${description}` }
]
