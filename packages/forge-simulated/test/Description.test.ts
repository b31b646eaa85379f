import { readFileSync, statSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { Effect, Exit, Schema, Scope } from "effect"
import * as Description from "../src/Description.ts"
import { SimulatedGitHub } from "../src/index.ts"

const description = Description.operations("github.json")
const fixture = (name: string) => new URL(`../fixtures/${name}`, import.meta.url)
const known = JSON.parse(readFileSync(fixture("github.json"), "utf8"))["operations"] as Record<
  string,
  Description.Operation
>

const judged = (method: string, path: string, body?: unknown) => {
  const [pathname = "", query = ""] = path.split("?")
  const matched = description.match(method, pathname)
  const json = Schema.decodeUnknownSync(Schema.UndefinedOr(Schema.Json))(body)
  return matched === null ? null : description.faultsOfRequest(matched, new URLSearchParams(query), json)
}

describe("the description of GitHub", () => {
  it("each fixture is smaller than 300 kB", () => {
    for (const name of ["github.json", "github-deliveries.json"]) assert.isBelow(statSync(fixture(name)).size, 300_000)
  })

  it("the description of GitHub completes every answer that succeeds to one that the description allows", () => {
    for (const [id, { responses }] of Object.entries(known)) {
      for (const [status, schema] of Object.entries(responses)) {
        if (schema === null || !status.startsWith("2")) continue
        const answer = description.answer(id, Number(status), isList(schema) ? [{}] : {})
        assert.deepStrictEqual(description.faultsOfAnswer(id, Number(status), answer), [], id)
      }
    }
  })

  it("the description of GitHub completes every delivery to one that the description allows", () => {
    const deliveries = Description.deliveries("github-deliveries.json")
    const names = Object.keys(JSON.parse(readFileSync(fixture("github-deliveries.json"), "utf8"))["operations"])
    for (const name of names) assert.isObject(deliveries.payload(name, {}))
    assert.throws(() => deliveries.payload("pull-request-closed", { number: "one" }), /number must be integer/)
  })

  const cases: ReadonlyArray<readonly [title: string, method: string, path: string, body: unknown, RegExp | null]> = [
    ["a complete request", "POST", "/repos/a/b/check-runs", { name: "lazaret", head_sha: "c0ffee" }, null],
    ["a missing member", "POST", "/repos/a/b/check-runs", { name: "lazaret" }, /head_sha/],
    [
      "a word that is not allowed",
      "POST",
      "/repos/a/b/check-runs",
      { name: "l", head_sha: "c", status: "done" },
      /allowed/
    ],
    [
      "a misspelled member",
      "POST",
      "/repos/a/b/check-runs",
      { name: "l", head_sha: "c", sumary: "" },
      /sumary is unknown/
    ],
    ["a missing body", "POST", "/repos/a/b/check-runs", undefined, /needs a body/],
    ["an unknown query parameter", "GET", "/repos/a/b/pulls?stat=open", undefined, /query.stat is unknown/],
    ["a query parameter of another type", "GET", "/repos/a/b/pulls?page=two", undefined, /integer/],
    ["a path parameter of another type", "GET", "/repos/a/b/pulls/two", undefined, /integer/]
  ]
  for (const [title, method, path, body, expected] of cases) {
    it(`the description of GitHub judges ${title}`, () => {
      const faults = judged(method, path, body)
      if (expected === null) assert.deepStrictEqual(faults, [])
      else assert.match((faults ?? []).join(), expected)
    })
  }

  it("the description of GitHub knows no operation that was not extracted", () => {
    assert.isNull(judged("DELETE", "/repos/a/b"))
  })

  test("a server that got a request outside of the description is a defect at its end", function* () {
    const scope = yield* Scope.make()
    const { url } = yield* Scope.provide(SimulatedGitHub.start, scope)
    yield* Effect.promise(() => fetch(`${url}/repos/a/b`, { method: "DELETE" }))
    const exit = yield* Effect.exit(Scope.close(scope, Exit.void))
    assert.isTrue(Exit.isFailure(exit))
  })
})

const isList = (schema: unknown): boolean => JSON.stringify(schema).startsWith('{"type":"array"')
