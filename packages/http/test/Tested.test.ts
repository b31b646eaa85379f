import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { operations } from "./description.ts"
import { untested } from "./tested.ts"

const packages = join(import.meta.dirname, "../..")

/** Tests that take every operation from the OpenAPI document, and this one. */
const derived = ["Description", "Fuzz", "Tested"].map((name) => `http/test/${name}.test.ts`)

const routes = operations().map(({ method, op, path }) => ({
  id: String(op["operationId"]),
  method: method.toUpperCase(),
  path
}))

describe("the tests of routes", () => {
  it("every operation of the OpenAPI document is called by a test that was written for it", () => {
    const files = globSync("*/test/**/*.test.ts", { cwd: packages }).filter((path) => !derived.includes(path))
    const sources = files.map((path) => readFileSync(join(packages, path), "utf8"))
    assert.isAbove(routes.length, 100)
    assert.deepStrictEqual(untested(routes, sources), [])
  })

  it("an operation is called by its path and method, or by its name, and by no other path", () => {
    const route = { id: "scoreRepository", method: "GET", path: "/v1/ci/{owner}/repositories/{repository}/score" }
    const write = { ...route, id: "setScore", method: "PUT" }
    const calledBy = (text: string) => {
      const missing = untested([route, write], [text])
      return [route, write].filter(({ id }) => !missing.some((line) => line.startsWith(`${id}:`))).map(({ id }) => id)
    }
    assert.deepStrictEqual(calledBy('server.send("/v1/ci/acme/repositories/widgets/score?a=/b")'), ["scoreRepository"])
    assert.deepStrictEqual(calledBy("send(`${base}/score`)"), ["scoreRepository"])
    assert.deepStrictEqual(calledBy('send(`${base("x")}/score`, { method: "PUT" })'), ["scoreRepository", "setScore"])
    assert.deepStrictEqual(calledBy("client.setScore({})"), ["setScore"])
    for (const text of [
      "`${base}/scores`",
      "`${base}/score/x`",
      '"/v1/ci/acme/score"',
      '"score"',
      '"x/score"',
      "/score"
    ]) {
      assert.deepStrictEqual(calledBy(text), [], text)
    }
  })
})
