import { JUnit } from "@lazaret/ingest"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { parsed, summary } from "../reportOf.ts"

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
      "tests/unit/test_derived.py::TestDerived::test_inherited | passed"
    ])
  })

  it("pytest with files: a test that is inherited from another file stands in the file of its class", () => {
    assert.deepStrictEqual(summary("pytest/inherited.xml"), [
      "pkg/test_base.py::TestBase::test_inherited | failed",
      "pkg/test_derived.py::TestBase::test_inherited | failed",
      "pkg/test_derived.py::TestDerived::test_inherited | failed",
      "pkg/test_derived.py::TestDerived::test_own | passed"
    ])
  })

  it("pytest: a file that cannot be collected is a failed case with the path of the file as its name", () => {
    assert.deepStrictEqual(summary("pytest/uncollected.xml"), [
      "tests/test_a.py | failed",
      "tests/test_b.py::test_ok | passed"
    ])
    const [file] = parsed("pytest/uncollected.xml").cases
    assert.strictEqual(file?.filepath, "tests/test_a.py")
    assert.strictEqual(file?.exception?.message, "ModuleNotFoundError: No module named 'missing_module'")
  })

  it("pytest 9: subtests are not separate tests, and a failing teardown is not an attempt", () => {
    assert.deepStrictEqual(summary("pytest/subtests.xml"), [
      "test_broken | failed",
      "test_a.T.test_sub | failed",
      "test_a.test_bare | failed",
      "test_a.test_td | failed",
      "test_a.test_td2 | failed",
      "test_a.test_su | failed",
      "test_a.test_x | failed"
    ])
    assert.deepStrictEqual(parsed("pytest/subtests.xml").incomplete, [], "it announces 14 tests and lists 8 cases")
  })

  /** The names of the cases of a file, written out here because no fixture shows them. */
  const names = (xml: string) => Result.getOrThrow(JUnit.parse(xml)).cases.map((each) => each.testName)
  const inSuite = (suite: string, ...cases: ReadonlyArray<string>) =>
    names(`<testsuite ${suite}>${cases.map((each) => `<testcase ${each}/>`).join("")}</testsuite>`)

  it("Surefire: dynamic and parameterised tests of equal names are tests of their own", () => {
    const surefire = 'xsi:noNamespaceSchemaLocation="surefire-test-report.xsd" name="x.ATest" tests="3"'
    const dynamic = 'name="dynamic" classname="x.ATest" time="0.001"'
    assert.deepStrictEqual(inSuite(surefire, dynamic, dynamic, dynamic), [
      "x.ATest.dynamic",
      "x.ATest.dynamic #2",
      "x.ATest.dynamic #3"
    ])
  })

  it("a case without a class has its suite in front, unless the suite is the runner's or the name holds it", () => {
    assert.deepStrictEqual(inSuite('name="com.shape.CircleTest"', 'name="testX"'), ["com.shape.CircleTest.testX"])
    assert.deepStrictEqual(inSuite('name="Admin::UserTest"', 'name="test_saves" classname=""'), [
      "Admin::UserTest.test_saves"
    ])
    for (const runner of ["pytest", "rspec", "rspec2", "cargo test #12", "Mocha Tests", "Root Suite", ""]) {
      assert.deepStrictEqual(inSuite(`name="${runner}"`, 'name="adds"'), ["adds"])
    }
    assert.deepStrictEqual(inSuite('name="shop/cart"', 'name="shop/cart"', 'name="shop/cart:adds"'), [
      "shop/cart",
      "shop/cart:adds"
    ])
    assert.deepStrictEqual(inSuite('name="CartTest::testSum"', 'name="testSum with data set #0"'), [
      "CartTest::testSum with data set #0"
    ])
  })

  it("a class with the place of its file on the machine, or the version of a browser, gives the name that every run has", () => {
    const file = String.raw`D:\a\shop\shop\tests\Cart.Tests.ps1`
    const pester = `name="Cart.adds" status="Passed" classname="${file}" assertions="0"`
    assert.deepStrictEqual(inSuite(`name="${file}"`, pester), ["tests/Cart.Tests.ps1.Cart.adds"])
    const busted = ["spec/cart_spec.lua:3", "spec/cart_spec.lua:9"].map((at) => `name="Cart adds" classname="${at}"`)
    assert.deepStrictEqual(inSuite('name="Run 1"', ...busted), [
      "spec/cart_spec.lua.Cart adds",
      "spec/cart_spec.lua.Cart adds #2"
    ])
    for (const version of ["120.0.6099.71", "121.0"]) {
      const browser = `Chrome Headless ${version} (Linux x86_64)`
      const karma = `name="Cart adds" classname="${browser.replaceAll(/[ .]/g, "_")}.Cart"`
      assert.deepStrictEqual(inSuite(`name="${browser}"`, karma), ["Chrome Headless › Cart adds"])
    }
    assert.deepStrictEqual(inSuite('name="App"', String.raw`name="adds" classname="App\CartTest"`), [
      String.raw`App\CartTest.adds`
    ])
  })

  it("unittest-xml-reporting: a failed hook of a class has no time of the run in its name", () => {
    const xml = `<testsuite name="unittest.suite._ErrorHolder-20261123013913"><testcase name="setUpClass (shop.CartTest)"><error/></testcase></testsuite>`
    const { cases } = Result.getOrThrow(JUnit.parse(xml))
    assert.strictEqual(cases[0]?.testName, "unittest.suite._ErrorHolder.setUpClass (shop.CartTest)")
  })

  it("Pest: the class, two colons, the name; the file without the name behind it", () => {
    const { cases } = Result.getOrThrow(
      JUnit.parse(
        '<testsuite name="Tests\\Unit\\CartTest"><testcase name="it adds" file="tests/Unit/CartTest.php::it adds" ' +
          'class="Tests\\Unit\\CartTest" classname="Tests.Unit.CartTest" assertions="1"/></testsuite>'
      )
    )
    assert.deepStrictEqual(
      cases.map(({ filepath, testName }) => [testName, filepath]),
      [["Tests\\Unit\\CartTest::it adds", "tests/Unit/CartTest.php"]]
    )
  })

  it("a status that only some producers write decides a case without elements", () => {
    const conclusions = (...words: ReadonlyArray<string>) =>
      Result.getOrThrow(
        JUnit.parse(
          `<testsuite>${words.map((word) => `<testcase name="${word}" status="${word}"/>`).join("")}</testsuite>`
        )
      ).cases.map(({ conclusion }) => conclusion)
    const failed = ["hook_error", "cleanup_error", "aborted", "panicked", "Failed"]
    assert.deepStrictEqual(
      conclusions(...failed),
      failed.map(() => "failed")
    )
    const skipped = ["untested", "Inconclusive", "NotRun", "NotExecuted"]
    assert.deepStrictEqual(
      conclusions(...skipped),
      skipped.map(() => "skipped")
    )
    assert.deepStrictEqual(conclusions("run", "Passed", "0"), ["passed", "passed", "passed"])
  })

  it("Go: the package and the name, although a build that failed has no class and a short class lacks the path", () => {
    const go = (name: string, classname: string) =>
      names(
        `<testsuite name="example.com/shop/test"><properties><property name="go.version" value="go1.24"/></properties>` +
          `<testcase classname="${classname}" name="${name}"/></testsuite>`
      )
    assert.deepStrictEqual(go("TestMain", ""), ["example.com/shop/test.TestMain"])
    assert.deepStrictEqual(go("TestSum", "test"), ["example.com/shop/test.TestSum"])
    assert.deepStrictEqual(go("TestSum", "example.com/shop/test"), ["example.com/shop/test.TestSum"])
    const old = inSuite('name="example.com/shop/test"', 'classname="test" name="TestSum" time="0.1"')
    assert.deepStrictEqual(old, ["example.com/shop/test.TestSum"], "go-junit-report 1 names no version")
  })

  it("PHPUnit: attempts of one test are one execution, repetitions are tests of their own", () => {
    const php = (name: string, outcome = "") =>
      `<testcase name="${name}" class="CartTest" classname="CartTest" assertions="1">${outcome}</testcase>`
    const executions = (cases: string) =>
      Result.getOrThrow(JUnit.parse(`<testsuite name="CartTest">${cases}</testsuite>`)).cases.map(
        ({ conclusion, flaky, reruns, testName }) => [testName, conclusion, flaky, reruns]
      )
    const attempts = ["<failure/>", "<failure/>", ""].map((each, i) => php(`testOne (attempt ${i + 1} of 3)`, each))
    assert.deepStrictEqual(executions(attempts.join("")), [["CartTest::testOne", "passed", true, 2]])
    const repetitions = ["", "<failure/>", ""].map((each, i) => php(`testOne (repetition ${i + 1} of 3)`, each))
    assert.deepStrictEqual(executions(repetitions.join("")), [
      ["CartTest::testOne", "passed", false, 0],
      ["CartTest::testOne #2", "failed", false, 0],
      ["CartTest::testOne #3", "passed", false, 0]
    ])
  })

  it("doctest: a subcase or a generator's value is a test of its own, and assertions are no announced tests", () => {
    const subcase = '<testcase classname="subcases.cpp" name="lots of nested subcases" status="run"/>'
    const failed = subcase.replace("/>", "><failure/></testcase>")
    const xml = `<testsuites><testsuite name="all" errors="0" failures="1" tests="25">${subcase}${subcase}${failed}</testsuite></testsuites>`
    const { cases, incomplete } = Result.getOrThrow(JUnit.parse(xml))
    assert.deepStrictEqual(
      cases.map(({ conclusion, testName }) => [testName, conclusion]),
      [
        ["subcases.cpp.lots of nested subcases", "passed"],
        ["subcases.cpp.lots of nested subcases #2", "passed"],
        ["subcases.cpp.lots of nested subcases #3", "failed"]
      ]
    )
    assert.deepStrictEqual(incomplete, [])
  })

  it("a title that ends like a script, and a class or package called test, are not what they look like", () => {
    const of = (suite: string, attributes: string) =>
      Result.getOrThrow(JUnit.parse(`<testsuite name="${suite}"><testcase ${attributes}/></testsuite>`)).cases.map(
        ({ filepath, testName }) => [testName, filepath]
      )
    const adds = 'classname="c" name="adds"'
    for (const title of [
      "Untitled suite in agent.js",
      "Firefox - test_suite_1.cy.js",
      "filename:b.test.ts - x:/y.ts"
    ]) {
      assert.deepStrictEqual(of(title, adds), [["c.adds", null]], title)
    }
    assert.deepStrictEqual(of("suite", 'classname="test" name="test.jsx"'), [["test.jsx", null]])
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

  it("PHPUnit: the class, two colons, the name; a warning is not a failure", () => {
    assert.deepStrictEqual(summary("phpunit/junit.xml"), [
      "Shop\\Tests\\CartTest::testTotal | passed",
      "Shop\\Tests\\CartTest::testDiscount with data set #0 | passed",
      "Shop\\Tests\\CartTest::testDiscount with data set #1 | failed",
      "Shop\\Tests\\CartTest::testWarned | passed"
    ])
  })

  it("ctest, Catch2, GoogleTest, Bazel: the name, with a class where it is another; what is disabled is skipped", () => {
    assert.deepStrictEqual(summary("ctest/junit.xml"), [
      "cart.total | passed",
      "cart.round | failed",
      "cart.missing | failed",
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

describe("Dialect, CTRF of the same runs", () => {
  it("CTest: a test that could not run failed, one that asks to be skipped or is disabled is skipped", () => {
    assert.deepStrictEqual(summary("ctest/not-run.xml"), [
      "adds | passed",
      "fails | failed",
      "missing | failed",
      "setup | failed",
      "uses_db | failed",
      "skips_by_code | skipped",
      "skips_by_text | skipped",
      "disabled | skipped",
      "needs_file | failed",
      "times_out | failed",
      "depends | passed",
      "will_fail | passed"
    ])
    const messages = parsed("ctest/not-run.xml").cases.flatMap(({ exception }) => exception?.message ?? [])
    assert.deepStrictEqual(messages, [
      "Unable to find executable",
      "Fixture dependency failed",
      "Required Files Missing"
    ])
  })

  it("tests have the names that JUnit XML gives them, where both formats know as much", () => {
    const names = (path: string) => parsed(path).cases.map(({ testName }) => testName)
    assert.deepStrictEqual(names("ctrf/playwright.json"), names("playwright/projects.xml"))
    assert.deepStrictEqual(names("ctrf/mocha.json"), names("mocha/xunit.xml"))
    assert.deepStrictEqual(names("ctrf/jest.json"), names("jest/options.xml").slice(0, 6))
  })
})

describe("Dialect, producers", () => {
  it("the file identifies its producer, which gives framework and language", () => {
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

  it("a file that any producer could have written has no framework or language", () => {
    assert.deepStrictEqual(parsed("bazel/test.xml").context, {})
  })
})
