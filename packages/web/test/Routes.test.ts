import { assert, describe, it } from "@effect/vitest"
import * as Routes from "../app/data/Routes.ts"

const repository = { owner: "acme", repository: "a/b" }

describe("Routes", () => {
  it("a path has its parameters escaped, and its query without absent values", () => {
    assert.strictEqual(
      Routes.quarantines(repository, { branch: "release/1", test_id: null, per_page: 100 }),
      "/v1/ci/acme/repositories/a%2Fb/quarantines?branch=release%2F1&per_page=100"
    )
    assert.strictEqual(
      Routes.searchTests(repository, { test_name: ["a", "b"] }),
      "/v1/ci/acme/repositories/a%2Fb/search/tests?test_name=a&test_name=b"
    )
  })

  it("a path of another operation does not compile", () => {
    // @ts-expect-error The path belongs to another operation.
    const path = Routes.route<"listQuarantines">("/v1/ci/:owner/repositories/:repository/events", repository)
    assert.strictEqual(path, "/v1/ci/acme/repositories/a%2Fb/events")
  })

  it("an unknown query parameter and a missing path parameter do not compile", () => {
    // @ts-expect-error The operation has no such parameter.
    assert.include(Routes.quarantines(repository, { brunch: "main" }), "brunch")
    // @ts-expect-error The path needs a repository.
    assert.include(Routes.route<"listEvents">("/v1/ci/:owner/repositories/:repository/events", { owner: "a" }), "/a/")
  })
})
