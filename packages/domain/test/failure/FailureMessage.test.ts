import { FailureMessage } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"

describe("FailureMessage.kindOf", () => {
  it("the code of an error counts as a whole word", () => {
    assert.strictEqual(FailureMessage.kindOf("ModuleNotFoundError", "No module named 'session'"), "load")
    assert.strictEqual(FailureMessage.kindOf("FileNotFoundError", "[Errno 2] /srv/config.toml"), "other")
    assert.strictEqual(FailureMessage.kindOf("Error", "getaddrinfo ENOTFOUND db.internal"), "network")
    assert.strictEqual(FailureMessage.kindOf(null, "connect ECONNREFUSED 10.0.0.5:5432"), "network")
  })
})
