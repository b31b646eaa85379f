import { JUnit } from "@lazaret/ingest"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { parsed } from "../reportOf.ts"

describe("Dialect, failures", () => {
  const exceptions = (path: string) => parsed(path).cases.flatMap((each) => each.exception ?? [])
  const exceptionOf = (xml: string) => Result.getOrThrow(JUnit.parse(xml)).cases[0]?.exception

  it("type and message are those of the element, the stack is its body", () => {
    assert.deepStrictEqual(exceptions("surefire/TEST-com.example.CartTest.xml").slice(1), [
      {
        type: "org.opentest4j.AssertionFailedError",
        message: "expected: <true> but was: <false>",
        stacktrace:
          "org.opentest4j.AssertionFailedError: expected: <true> but was: <false>\n" +
          "\tat com.example.CartTest.broken(CartTest.java:20)"
      }
    ])
  })

  it("without a type, the error that the message or the body begins with is the type", () => {
    assert.deepStrictEqual(
      exceptions("pytest/xunit2.xml").map((each) => each.type),
      ["AssertionError", "ConnectionRefusedError"]
    )
    assert.deepStrictEqual(
      exceptions("jest/junit.xml").map((each) => [each.type, each.message]),
      [["Error", "Error: expect(received).toBe(expected) // Object.is equality"]]
    )
    assert.deepStrictEqual(
      exceptions("gotestsum/junit.xml").map((each) => [each.type, each.message]),
      [
        [null, "got 89.9, want 90"],
        [null, "Failed"]
      ],
      "that of the failure, and that of the flaky pass, which says nothing"
    )
  })

  it("PHPUnit repeats the test above its message, Catch2 writes FAILED: above it", () => {
    const body =
      "Shop\\CartTest::testD with data set #0 (5)\nFailed asserting that 5 is less than 3.\n\nCartTest.php:11"
    const phpunit = exceptionOf(
      `<testsuite><testcase name="testD with data set #0" class="Shop\\CartTest" assertions="1"><failure type="E">${body}</failure></testcase></testsuite>`
    )
    assert.deepStrictEqual([phpunit?.message, phpunit?.stacktrace], ["Failed asserting that 5 is less than 3.", body])
    const catch2 = exceptionOf(
      `<testsuite hostname="tbd"><testcase name="t"><error type="TEST_CASE">\nFAILED:\nboom\nat ca.cpp:5\n</error></testcase></testsuite>`
    )
    assert.strictEqual(catch2?.message, "boom")
  })

  it("colours of a terminal are left out, also where XML forbids their first character", () => {
    const coloured = exceptionOf(
      `<testsuite><testcase name="t"><failure message="\u001b[31mTypeError\u001b[39m: x">at \u001b[2my\u001b[22m, a \uFFFD[x]</failure></testcase></testsuite>`
    )
    assert.deepStrictEqual(coloured, { type: "TypeError", message: "TypeError: x", stacktrace: "at y, a \uFFFD[x]" })
  })

  it("a bare assert of pytest has the class that its trace ends with", () => {
    const types = parsed("pytest/inherited.xml").cases.map((each) => each.exception?.type)
    assert.deepStrictEqual(types, ["AssertionError", "AssertionError", "AssertionError", undefined])
  })

  it("several failures of a case: type and message of the first, the bodies of all", () => {
    assert.deepStrictEqual(exceptions("catch2/junit.xml"), [
      {
        type: "CHECK",
        message: "round( 89.5 ) == 90",
        stacktrace:
          "FAILED:\n  CHECK( round( 89.5 ) == 90 )\nwith expansion:\n  89 == 90\nat cart.cpp:14\n\n" +
          "FAILED:\n  REQUIRE( round( 90.5 ) == 91 )\nat cart.cpp:15"
      }
    ])
  })
})
