import { JUnit } from "@lazaret/ingest"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { readFileSync } from "node:fs"

const parsed = (path: string) =>
  Result.getOrThrow(JUnit.parse(readFileSync(new URL(`./fixtures/${path}`, import.meta.url))))

/** Name, conclusion, `flaky` and reruns where there are any: what a reader of the fixture expects. */
const summary = (path: string) =>
  parsed(path).cases.map((each) =>
    [each.testName, each.conclusion, each.flaky ? "flaky" : "", each.reruns === 0 ? "" : `${each.reruns} reruns`]
      .filter(Boolean)
      .join(" | ")
  )

describe("Dialect, test names", () => {
  it("pytest without files: the class, a dot, the name", () => {
    assert.deepStrictEqual(summary("pytest/xunit2.xml"), [
      "tests.test_cart.TestCart.test_total | passed",
      "tests.test_cart.TestCart.test_discount[10-90.0] | failed",
      "tests.test_cart.test_needs_database | failed",
      "tests.test_cart.test_windows_only | skipped",
      "tests.test_cart.test_known_bug | skipped",
      "tests.test_cart.test_empty | passed"
    ])
  })

  it("pytest with files: the id that pytest itself shows, where the file holds the class", () => {
    assert.deepStrictEqual(summary("pytest/xunit1.xml"), [
      "tests/unit/test_cart.py::TestCart::TestTotals::test_total[a.b] | passed",
      "tests/unit/test_cart.py::test_empty | passed",
      "tests.unit.test_derived.TestDerived.test_inherited | passed"
    ])
  })

  it("vitest: the full title, the file apart", () => {
    assert.deepStrictEqual(summary("vitest/junit.xml"), [
      "cart > totals > adds prices | passed",
      "cart > totals > rounds | failed",
      "cart > later | skipped",
      "greets | passed"
    ])
    assert.deepStrictEqual(
      parsed("vitest/junit.xml").cases.map((each) => each.filepath),
      ["src/cart.test.ts", "src/cart.test.ts", "src/cart.test.ts", "src/user.test.ts"]
    )
  })

  it("jest and mocha: the name alone, which holds the suite already", () => {
    const expected = ["cart totals adds prices | passed", "cart totals rounds | failed"]
    assert.deepStrictEqual(summary("jest/junit.xml"), expected)
    assert.deepStrictEqual(summary("mocha/junit.xml"), expected)
    assert.strictEqual(parsed("jest/junit.xml").cases[0]?.filepath, "src/cart.spec.js")
    assert.strictEqual(parsed("mocha/junit.xml").cases[0]?.filepath, "/src/test/cart.js")
  })

  it("Playwright: the name alone, and the same test in two browsers is two executions, no rerun", () => {
    assert.deepStrictEqual(summary("playwright/junit.xml"), [
      "cart › adds an item | passed",
      "opens | passed",
      "cart › adds an item | failed",
      "opens | passed"
    ])
    assert.match(parsed("playwright/junit.xml").warnings.join(), /under its own job name/)
  })

  it("node:test: the titles of the suites and the name", () => {
    assert.deepStrictEqual(summary("node-test/junit.xml"), [
      "cart > adds | passed",
      "cart > rounding > half up | failed",
      "top level | skipped"
    ])
  })

  it("node:test of Node 24, whose class is the suites: the same names, without quotation marks escaped twice", () => {
    assert.deepStrictEqual(summary("node-test/node24.xml"), [
      "Cart > with items > adds up | passed",
      'Cart > with items > sorts "well" <b> & more | failed',
      "Cart > with items > todo | skipped",
      "Cart > throws | failed",
      "top level | passed"
    ])
    const { cases, warnings } = parsed("node-test/node24.xml")
    assert.deepStrictEqual(
      cases.map((each) => each.exception?.type),
      [undefined, "AssertionError", undefined, "TypeError", undefined]
    )
    assert.deepStrictEqual(warnings, [], "its suites count what is directly within them")
  })

  it("a class that is its suite stays in front where nothing tells node:test", () => {
    const one = (suite: string, file: string) =>
      Result.getOrThrow(
        JUnit.parse(`<testsuite name="Cart" ${suite}><testcase classname="Cart" name="adds" ${file}/></testsuite>`)
      ).cases[0]?.testName
    assert.strictEqual(one("", 'file="cart.test.js"'), "Cart.adds")
    assert.strictEqual(one('disabled="0"', 'file="cart.cpp"'), "Cart.adds")
    assert.strictEqual(one('disabled="0"', ""), "Cart.adds")
  })

  it("jest: a test outside of all suites has no space in front", () => {
    const xml = `<testsuites name="jest tests"><testsuite name="undefined"><testcase classname=" adds" name=" adds"/></testsuite></testsuites>`
    assert.strictEqual(Result.getOrThrow(JUnit.parse(xml)).cases[0]?.testName, "adds")
  })

  it("Surefire: flaky elements stand for tries before the pass, rerun elements for further failures", () => {
    assert.deepStrictEqual(summary("surefire/TEST-com.example.CartTest.xml"), [
      "com.example.CartTest.adds | passed",
      "com.example.CartTest.flaky | passed | flaky | 2 reruns",
      "com.example.CartTest.broken | failed | 2 reruns",
      "com.example.CartTest.later | skipped",
      "com.example.CartTest.price(int)[1] | passed"
    ])
  })

  it("Gradle retry and gotestsum: a case listed again is a rerun", () => {
    assert.deepStrictEqual(summary("gradle/TEST-com.example.RetryTest.xml"), [
      "com.example.RetryTest.recovers() | passed | flaky | 1 reruns",
      "com.example.RetryTest.stays broken() | failed | 1 reruns"
    ])
    assert.deepStrictEqual(summary("gotestsum/junit.xml"), [
      "example.com/shop/cart.TestTotal | passed",
      "example.com/shop/cart.TestRound/half_up | failed",
      "example.com/shop/cart.TestFlaky | passed | flaky | 1 reruns",
      "example.com/shop/cart.TestLater | skipped"
    ])
  })

  it("TestNG: the class, a dot, the name", () => {
    assert.deepStrictEqual(summary("testng/junit.xml"), [
      "com.example.CartTest.adds | passed",
      "com.example.CartTest.rounds | failed",
      "com.example.CartTest.later | skipped"
    ])
  })

  it("cargo-nextest: the binary, two colons, the name; the case's own time", () => {
    assert.deepStrictEqual(summary("nextest/junit.xml"), [
      "shop::cart::totals::adds | passed",
      "shop::cart::totals::flaky | passed | flaky | 1 reruns",
      "shop::cart::totals::rounds | failed | 2 reruns"
    ])
    assert.deepStrictEqual(
      parsed("nextest/junit.xml").cases.map((each) => each.at),
      [124, 200, 300].map((ms) => Date.UTC(2026, 2, 4, 10, 15, 30, ms))
    )
  })

  it("PHPUnit: the class, two colons, the name; a warning is no failure", () => {
    assert.deepStrictEqual(summary("phpunit/junit.xml"), [
      "Shop\\Tests\\CartTest::testTotal | passed",
      "Shop\\Tests\\CartTest::testDiscount with data set #0 | passed",
      "Shop\\Tests\\CartTest::testDiscount with data set #1 | failed",
      "Shop\\Tests\\CartTest::testWarned | passed"
    ])
  })

  it("ctest, Catch2, GoogleTest, Bazel: the name, with a class where it is another; what did not run is skipped", () => {
    assert.deepStrictEqual(summary("ctest/junit.xml"), [
      "cart.total | passed",
      "cart.round | failed",
      "cart.missing | skipped",
      "cart.off | skipped"
    ])
    assert.deepStrictEqual(summary("catch2/junit.xml"), [
      "cart_tests.global.totals | passed",
      "cart_tests.global.rounding/half up | failed"
    ])
    assert.deepStrictEqual(summary("googletest/output.xml"), [
      "CartTest.Total | passed",
      "CartTest.Round | failed",
      "CartTest.DISABLED_Later | skipped",
      "Sizes/BoxTest.Fits/0 | skipped"
    ])
    assert.deepStrictEqual(summary("bazel/test.xml"), ["shop/cart/cart_test | failed"])
  })
})

describe("Dialect, producers", () => {
  it("a producer is told by its file and names framework and language", () => {
    const context = (path: string) => parsed(path).context
    assert.deepStrictEqual(context("pytest/xunit2.xml"), { framework: "pytest", language: "python" })
    assert.deepStrictEqual(context("vitest/junit.xml"), { framework: "vitest", language: "javascript" })
    assert.deepStrictEqual(context("jest/junit.xml"), { framework: "jest", language: "javascript" })
    assert.deepStrictEqual(context("mocha/junit.xml"), { framework: "mocha", language: "javascript" })
    assert.deepStrictEqual(context("playwright/junit.xml"), { framework: "playwright", language: "javascript" })
    assert.deepStrictEqual(context("nextest/junit.xml"), { framework: "cargo-nextest", language: "rust" })
    assert.deepStrictEqual(context("phpunit/junit.xml"), { framework: "phpunit", language: "php" })
    assert.deepStrictEqual(context("googletest/output.xml"), { framework: "googletest", language: "cpp" })
    assert.deepStrictEqual(context("gotestsum/junit.xml"), { framework: "go", language: "go" })
    assert.deepStrictEqual(context("surefire/TEST-com.example.CartTest.xml"), { language: "java" })
  })

  it("a file that any producer could have written says nothing of itself", () => {
    assert.deepStrictEqual(parsed("bazel/test.xml").context, {})
  })
})

describe("Dialect, failures", () => {
  const exceptions = (path: string) => parsed(path).cases.flatMap((each) => each.exception ?? [])

  it("type and message are those of the element, the stack is its body", () => {
    assert.deepStrictEqual(exceptions("surefire/TEST-com.example.CartTest.xml"), [
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
      [[null, "Failed"]]
    )
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
