import { assert, describe, it } from "@effect/vitest"
import type { JsonObject } from "../src/descriptions/Json.ts"
import type { Exchange } from "../src/traffic/Exchange.ts"
import * as OpenApi from "../src/traffic/OpenApi.ts"
import * as Published from "../src/traffic/Published.ts"
import * as Report from "../src/traffic/Report.ts"

const text = { type: "string" }

const document: JsonObject = {
  paths: {
    "/repos/{owner}/latest": { get: { responses: { 200: { description: "nothing" } }, deprecated: true } },
    "/repos/{owner}/{repo}": {
      parameters: [
        { $ref: "#/components/parameters/owner" },
        { in: "path", name: "repo", required: true, schema: text }
      ],
      post: {
        parameters: [
          { in: "query", name: "page", schema: { type: "integer" } },
          { in: "query", name: "old", schema: text, deprecated: true }
        ],
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/Change" } } }
        },
        responses: {
          201: { content: { "application/json": { schema: { $ref: "#/components/schemas/Changed" } } } },
          404: { description: "missing" }
        }
      }
    }
  },
  components: {
    parameters: { owner: { in: "path", name: "owner", required: true, schema: { type: "string", maxLength: 5 } } },
    schemas: {
      Change: {
        type: "object",
        required: ["name"],
        properties: {
          name: text,
          note: { ...text, nullable: true },
          old: { ...text, deprecated: true, nullable: true }
        }
      },
      Changed: {
        type: "object",
        required: ["at", "by"],
        properties: {
          at: { ...text, format: "date-time" },
          by: { nullable: true, allOf: [{ type: "object", required: ["login"], properties: { login: text } }] }
        }
      }
    }
  }
}

const exchange = (parts: Partial<Exchange> = {}): Exchange => ({
  method: "POST",
  url: "/repos/acme/widgets?page=2",
  headers: { "content-type": "application/json; charset=utf-8" },
  body: JSON.stringify({ name: "a", note: null }),
  status: 201,
  answered: { "content-type": "application/json" },
  answer: JSON.stringify({ at: "2026-01-01T00:00:00Z", by: null }),
  ...parts
})

const body = (members: JsonObject) => exchange({ body: JSON.stringify(members) })
const answer = (members: JsonObject) => exchange({ answer: JSON.stringify(members) })

const faultsOf = (given: Exchange): ReadonlyArray<string> => Report.of("d", OpenApi.of(document), [given]).faults

describe("traffic judged by a whole OpenAPI document", () => {
  const cases: ReadonlyArray<readonly [title: string, given: Exchange, fault: RegExp | null]> = [
    ["a right exchange has no fault", exchange(), null],
    ["a nullable reference takes an object", answer({ at: "2026-01-01T00:00:00Z", by: { login: "ada" } }), null],
    ["an unknown path is a fault", exchange({ url: "/repos/acme" }), /is not in the document/],
    ["an unknown method is a fault", exchange({ method: "PUT" }), /is not in the document/],
    ["a deprecated operation is a fault", exchange({ method: "GET", url: "/repos/a/latest", body: "" }), /deprecated/],
    ["a part of the path that is too long is a fault", exchange({ url: "/repos/acmecorp/widgets" }), /path owner/],
    ["an unknown query is a fault", exchange({ url: "/repos/acme/widgets?per=1" }), /unknown query per/],
    [
      "a query of another type is a fault",
      exchange({ url: "/repos/acme/widgets?page=x" }),
      /query page must be integer/
    ],
    ["a deprecated query is a fault", exchange({ url: "/repos/acme/widgets?old=1" }), /deprecated query old/],
    ["a missing body is a fault", exchange({ body: "" }), /has no body/],
    [
      "another media type is a fault",
      exchange({ headers: { "content-type": "text/plain" } }),
      /media type text\/plain/
    ],
    ["a missing member is a fault", body({ note: "a" }), /required property 'name'/],
    ["an unknown member is a fault", body({ name: "a", nam: "b" }), /unknown member nam/],
    ["a deprecated member is a fault", body({ name: "a", old: "b" }), /deprecated member old/],
    ["a success that is not listed is a fault", exchange({ status: 200 }), /status 200, which is not listed/],
    ["an answer without a required member is a fault", answer({ by: null }), /required property 'at'/],
    ["an answer with a wrong part is a fault", answer({ at: "2026-01-01T00:00:00Z", by: {} }), /'login'/],
    ["an answer of another format is a fault", answer({ at: "today", by: null }), /format "date-time"/],
    ["an answer without a body is a fault", exchange({ answer: "" }), /the answer has no body/]
  ]

  for (const [title, given, fault] of cases) {
    it(`${title}`, () => {
      const found = faultsOf(given)
      if (fault === null) assert.deepStrictEqual(found, [])
      else assert.match(found.join("\n"), fault)
    })
  }

  it("a refusal that is not listed is counted apart from faults", () => {
    const report = Report.of("d", OpenApi.of(document), [
      exchange({ status: 403, answer: "{}" }),
      exchange({ status: 404, answer: "{}" }),
      exchange({ status: 304, answer: "" })
    ])
    assert.deepStrictEqual(report.faults, [])
    assert.deepStrictEqual(report.unlisted, ["POST /repos/{owner}/{repo} 403"])
  })

  it("the table of a platform judges like a document", () => {
    const operations = {
      rename: {
        method: "PUT",
        path: "/projects/{id}",
        parameters: [{ in: "path", name: "id", required: true, schema: { type: "integer" } }],
        body: { $ref: "#/definitions/Name" },
        isBodyRequired: true,
        responses: { 204: null }
      }
    }
    const definitions = { Name: { type: "object", properties: { name: text }, required: ["name"] } }
    const judge = OpenApi.of(Published.fromTable({ operations, definitions }))
    const put = { method: "PUT", status: 204, answer: "" }
    const good = exchange({ ...put, url: "/projects/1", body: JSON.stringify({ name: "a" }) })
    assert.deepStrictEqual(Report.of("t", judge, [good]).faults, [])
    const bad = exchange({ ...put, url: "/projects/x", body: "{}" })
    assert.lengthOf(Report.of("t", judge, [bad]).faults, 2)
  })
})
