import { assert, describe, it } from "@effect/vitest"
import { Access, Api } from "@lazaret/api"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Context, Option } from "effect"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"
import { document, entries, fields, type Json, operation, operations, parameters, typeOf } from "./description.ts"
import { repository, resources, routes } from "./interface.table.ts"

const media = "application/json"

const ajv = new Ajv2020({ strict: false, formats: { uuid: true, "date-time": true, binary: true, uri: true } })
ajv.addSchema({ ...document, $id: "api" })

/** Whether a schema of the description allows a value. */
const accepts = (schema: Json, value: unknown): boolean =>
  ajv.validate(JSON.parse(JSON.stringify(schema).replaceAll(`"#/`, `"api#/`)), value)

describe("the description of the API", () => {
  for (const route of routes) {
    describe(`interface ${route.section}`, () => {
      const op = operation(route.method, route.path)

      it(`the description of interface ${route.section} has exactly the parameters of the interface`, () => {
        assert.deepStrictEqual(parameters(op, "path"), { ...repository, ...route.params })
        assert.deepStrictEqual(parameters(op, "query"), route.query ?? {})
        assert.strictEqual(route.body ?? "nothing", typeOf(op["requestBody"]?.["content"]?.[media]?.["schema"]))
      })

      it(`the description of interface ${route.section} answers with the resource of the interface`, () => {
        const successes = entries(op["responses"]).filter(([status]) => status.startsWith("2"))
        const types = successes.map(([status, response]) => [
          status,
          "content" in response ? typeOf(response["content"]?.[media]?.["schema"]) : null
        ])
        assert.deepStrictEqual(Object.fromEntries(types), route.success)
      })

      it(`the description of interface ${route.section} names the credentials of the interface`, () => {
        const kinds = ["AdminApplicationKey", ...(route.ci ? ["CiApplicationKey"] : []), "HostingPlatformToken"]
        assert.deepStrictEqual(
          op["security"].flatMap((entry: object) => Object.keys(entry)),
          kinds
        )
      })

      it(`the description of interface ${route.section} documents every failure as a problem document`, () => {
        for (const [status, response] of entries(op["responses"])) {
          if (status.startsWith("2")) continue
          // A client that holds the answer already has not failed.
          const expected = status === "304" ? [] : ["application/problem+json"]
          assert.deepStrictEqual(Object.keys(response["content"] ?? {}), expected)
        }
        assert.includeMembers(Object.keys(op["responses"] ?? {}), ["403", "404", "409", "422", "500", "503"])
      })
    })
  }

  for (const [name, expected] of Object.entries(resources)) {
    it(`${name} has exactly the fields of the interface`, () => {
      assert.deepStrictEqual(fields(document["components"]?.["schemas"]?.[name]), expected)
    })
  }

  it("the description of the API marks the deprecated field of a queued pull request, and no other field", () => {
    const marked = entries(document["components"]?.["schemas"]).flatMap(([name, schema]) =>
      entries(schema["properties"])
        .filter(([, property]) => property["deprecated"] === true)
        .map(([field]) => `${name}.${field}`)
    )
    assert.deepStrictEqual(marked, ["PullRequestQueued.speculative_check_pull_request"])
  })

  it("the description of the API declares the defaults of lists in the schemas of their parameters", () => {
    const search = operation("get", "/v1/ci/{owner}/repositories/{repository}/search/tests")
    const defaults = Object.fromEntries(
      search["parameters"]
        .filter((each: Json) => "default" in each["schema"])
        .map((each: Json) => [each["name"], each["schema"]["default"]])
    )
    assert.deepStrictEqual(defaults, { sort: "executions_count", direction: "desc", per_page: 10 })
  })

  it("the description of the API describes every operation and every parameter", () => {
    for (const { op } of operations()) {
      assert.isNotEmpty(op["summary"], op["operationId"])
      for (const parameter of op["parameters"] ?? []) {
        assert.isNotEmpty(parameter["description"], `${op["operationId"]} ${parameter["name"]}`)
      }
    }
  })

  it("the description of the API says where it holds, and what each group of routes is for", () => {
    assert.deepStrictEqual(document["servers"], [{ url: "/" }])
    for (const tag of document["tags"]) assert.isNotEmpty(tag["description"], tag["name"])
  })

  it("an operation without input declares no refusal of input", () => {
    for (const { op } of operations()) {
      const hasInput = op["parameters"].length > 0 || "requestBody" in op
      assert.strictEqual("422" in op["responses"], hasInput, op["operationId"])
    }
  })

  it("the description of the API calls JSON what is JSON, also where a body is read piece by piece", () => {
    for (const { op } of operations()) {
      for (const [type, content] of entries(op["requestBody"]?.["content"] ?? {})) {
        assert.notProperty(content, "x-effect-stream")
        assert.strictEqual(
          content["schema"]["format"] === "binary",
          !/json|yaml|text\/plain|urlencoded/u.test(type),
          type
        )
      }
    }
  })

  it("the description of the API has three security schemes under the names of the interface", () => {
    assert.deepStrictEqual(
      entries(document["components"]?.["securitySchemes"]).map(([key, scheme]) => [
        key,
        scheme["description"]?.split(":")[0]
      ]),
      Object.values(Access.schemes).map(({ key, name }) => [key, name])
    )
  })

  it("the description of the API has an example for every JSON body of a response, which is valid", () => {
    for (const { method, op, path } of operations()) {
      for (const [status, { content }] of entries(op["responses"])) {
        if (content?.[media] === undefined) continue
        const at = ["paths", path, method, "responses", status, "content", media, "schema"]
        const pointer = at.map((part) => encodeURIComponent(part.replaceAll("/", "~1")))
        assert.isTrue(ajv.validate({ $ref: `api#/${pointer.join("/")}` }, content[media]["example"]), ajv.errorsText())
      }
    }
  })

  it("the description of the API has an example for every JSON body of a request, which is valid", () => {
    for (const { op } of operations()) {
      const content = op["requestBody"]?.["content"]?.[media]
      if (content === undefined) continue
      assert.isTrue(accepts(content["schema"], content["example"]), op["operationId"])
    }
  })

  it("the description of the API forbids unknown fields exactly where the server refuses them", () => {
    const endpoints: ReadonlyArray<HttpApiEndpoint.Top> = Object.values(Api.groups).flatMap((group) =>
      Object.values(group.endpoints)
    )
    const strict = new Set(
      endpoints
        .filter(({ annotations }) => Option.isSome(Context.getOption(annotations, HttpApi.PayloadParseOptions)))
        .map(({ identifier }) => identifier)
    )
    assert.isAbove(strict.size, 5)
    for (const { op } of operations()) {
      const content = op["requestBody"]?.["content"]?.[media]
      if (content === undefined) continue
      const body = { ...content["example"], no_such_field: 1 }
      assert.strictEqual(accepts(content["schema"], body), !strict.has(op["operationId"]), op["operationId"])
    }
    const nested = { health: { no_such_field: 1 } }
    const settings = operation("patch", "/v1/ci/{owner}/repositories/{repository}/settings")
    assert.isFalse(accepts(settings["requestBody"]["content"][media]["schema"], nested))
  })

  it("the description of the API says which events of a merge queue and which addresses are refused", () => {
    const events = operation("post", "/v1/repos/{owner}/{repository}/queue/events")["requestBody"]["content"][media]
    const event = { id: "e1", at: "2026-01-31T12:00:00Z", branch: "main", pull_request: 1 }
    const takes = (kind: object): boolean => accepts(events["schema"], { events: [{ ...event, ...kind }] })
    assert.isTrue(takes({ kind: "dequeued", reason: "late" }))
    assert.isTrue(takes({ kind: "frozen" }))
    assert.isFalse(takes({ kind: "dequeued", reason: "x".repeat(1001) }))
    assert.isFalse(takes({ kind: "priority_changed" }))
    const webhook = operation("post", "/v1/ci/{owner}/repositories/{repository}/webhooks")["requestBody"]["content"]
    const { example, schema } = webhook[media]
    assert.isTrue(accepts(schema, { ...example, url: "HTTPS://example.org/x" }))
    assert.isFalse(accepts(schema, { ...example, url: "mailto:ada@example.org" }))
  })
})
