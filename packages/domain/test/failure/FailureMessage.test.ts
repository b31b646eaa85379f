import { FailureMessage } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"

describe("FailureMessage.kindOf", () => {
  it("the code of an error counts as a whole word", () => {
    assert.strictEqual(FailureMessage.kindOf("ModuleNotFoundError", "No module named 'session'"), "load")
    assert.strictEqual(FailureMessage.kindOf("FileNotFoundError", "[Errno 2] /srv/config.toml"), "other")
    assert.strictEqual(FailureMessage.kindOf("Error", "getaddrinfo ENOTFOUND db.internal"), "network")
    assert.strictEqual(FailureMessage.kindOf(null, "connect ECONNREFUSED 10.0.0.5:5432"), "network")
  })

  it.each([
    ["Error", "listen EADDRINUSE: address already in use :::3000"],
    ["OSError", "[Errno 98] Address already in use"],
    ["java.util.ConcurrentModificationException", null],
    ["RuntimeError", "dictionary changed size during iteration"],
    ["sqlite3.OperationalError", "database is locked"],
    ["OperationalError", "(1205, 'Lock wait timeout exceeded; try restarting transaction')"],
    ["PSQLException", "ERROR: deadlock detected"],
    ["PSQLException", 'ERROR: could not obtain lock on row in relation "orders"'],
    ["StaleElementReferenceException", "stale element reference: element is not attached to the page document"],
    [null, "WARNING: DATA RACE"]
  ])("a message of contention is known by its words: %s %s", (exceptionType, message) => {
    assert.strictEqual(FailureMessage.kindOf(exceptionType, message), "contention")
  })

  it.each([
    ["TimeoutError", "Navigation timeout of 30000 ms exceeded"],
    [null, "condition was not met within 10 seconds"],
    [null, "Exceeded timeout of 5000 ms for a hook."],
    ["AssertionError", "query took 17.5 s, expected less than 10 s"],
    [null, "no answer after 1833 ms"],
    [null, "context deadline exceeded"]
  ])("a message with a time that was waited for is one of a timeout: %s %s", (exceptionType, message) => {
    assert.strictEqual(FailureMessage.kindOf(exceptionType, message), "timeout")
  })

  it.each([
    ["AssertionError", "expected the port to be 80"],
    ["KeyError", "'stale'"],
    ["AssertionError", "expected 'locked' to equal 'open'"],
    ["AssertionError", "expected 3 rows after 5 inserts"],
    [null, "Traceback (most recent call last)"]
  ])("a word of contention or time alone is neither: %s %s", (exceptionType, message) => {
    assert.notInclude(["contention", "timeout"], FailureMessage.kindOf(exceptionType, message))
  })
})

describe("FailureMessage.headline", () => {
  it("the headline is the first line of a message, shortened after 200 characters", () => {
    const { headline } = FailureMessage
    assert.deepStrictEqual([headline(null), headline(" \n "), headline("\n boom \r\nmore")], [null, null, "boom"])
    assert.strictEqual(headline("a".repeat(200)), "a".repeat(200))
    assert.strictEqual(headline(`b${"a".repeat(200)}`), `b${"a".repeat(199)}…`)
  })
})

describe("FailureMessage.isOwn", () => {
  it("an assertion is an error of the code itself, and a message of the network is not", () => {
    assert.isTrue(FailureMessage.isOwn("AssertionError", "expected 1 to equal 2"))
    assert.isFalse(FailureMessage.isOwn(null, "connect ECONNREFUSED 10.0.0.5:5432"))
    assert.isFalse(FailureMessage.isOwn(null, null))
  })
})
