import { assert, describe, it } from "@effect/vitest"
import * as Extract from "../src/descriptions/Extract.ts"

const description = {
  paths: {
    "/things/{id}": {
      parameters: [{ $ref: "#/components/parameters/id" }],
      get: {
        operationId: "things/get",
        description: "prose",
        responses: { 200: { content: { "application/json": { schema: { $ref: "#/components/schemas/thing" } } } } }
      },
      delete: { operationId: "things/delete", responses: { 204: {} } }
    }
  },
  components: {
    parameters: { id: { in: "path", name: "id", required: true, schema: { type: "integer", example: 7 } } },
    schemas: {
      thing: {
        type: "object",
        description: "prose",
        properties: { title: { type: "string", nullable: true }, part: { $ref: "#/components/schemas/part" } }
      },
      part: { type: "string", enum: ["a"], nullable: true },
      unused: { type: "string" }
    }
  }
}

describe("the extract of a published description", () => {
  const { definitions, operations } = Extract.operations(description, ["things/get"])

  it("the extract of a published description has the operations in use without prose, with the parameters of their path", () => {
    assert.deepStrictEqual(operations, {
      "things/get": {
        method: "GET",
        path: "/things/{id}",
        parameters: [{ in: "path", name: "id", required: true, schema: { type: "integer" } }],
        responses: { 200: { $ref: "#/definitions/thing" } }
      }
    })
  })

  it("the extract of a published description has every definition that they refer to, and no other; null is a type", () => {
    assert.deepStrictEqual(definitions, {
      part: { type: ["string", "null"], enum: ["a", null] },
      thing: {
        type: "object",
        properties: { title: { type: ["string", "null"] }, part: { $ref: "#/definitions/part" } }
      }
    })
  })

  it("the extract of a published description is a defect for an operation that the description does not have", () => {
    assert.throws(() => Extract.operations(description, ["things/list"]), /no operation things\/list/)
  })
})
