/** Reports that announce more than they list, and are whole for their producer all the same. */
import { assert, describe, it } from "@effect/vitest"
import { parse } from "../junitText.ts"
import { parsed, textOf } from "../reportOf.ts"

/** Surefire 3.0 to 3.2 counts each attempt as a test. */
const surefire = (tests: number) =>
  `<testsuite xsi:noNamespaceSchemaLocation="https://maven.apache.org/surefire/maven-surefire-plugin/xsd/surefire-test-report.xsd" ` +
  `version="3.0.2" name="io.FlakyTest" time="0.046" tests="${tests}" errors="0" skipped="0" failures="2">` +
  `<testcase name="testApp" classname="io.FlakyTest" time="0.001"><flakyFailure message="a" type="E"><stackTrace>a</stackTrace>` +
  `</flakyFailure><flakyFailure message="b" type="E"><stackTrace>b</stackTrace></flakyFailure></testcase></testsuite>`

/** minitest-junit counts a skip as a failure, too. */
const minitest = (failures: number) =>
  `<testsuite name="minitest" timestamp="2026-11-20T10:00:00+00:00" hostname="ci" tests="2" skipped="1" failures="${failures}" errors="0" time="0.1">` +
  `<testcase classname="CartTest" name="test_adds" time="0.1" file="test/cart_test.rb" line="5" assertions="1"/>` +
  `<testcase classname="CartTest" name="test_later" time="0" file="test/cart_test.rb" line="9" assertions="0"><skipped message="later"/></testcase></testsuite>`

/** PHPUnit 9 writes its remark on a risky test as an error. */
const risky = (errors: number) =>
  `<testsuites><testsuite name="CartTest" tests="2" assertions="1" errors="${errors}" warnings="0" failures="0" skipped="0" time="0.01">` +
  `<testcase name="testAdds" class="CartTest" classname="CartTest" file="/app/tests/CartTest.php" line="7" assertions="1" time="0.005"/>` +
  `<testcase name="testNothing" class="CartTest" classname="CartTest" file="/app/tests/CartTest.php" line="12" assertions="0" time="0.005">` +
  `<error type="PHPUnit\\Framework\\RiskyTestError">CartTest::testNothing\nThis test did not perform any assertions</error></testcase></testsuite></testsuites>`

/** The node reporter of currents counts the suites around a failed test. */
const currents = (failures: number) =>
  `<testsuites name="root"><testsuite name="a.test.mjs" timestamp="2026-11-20T10:00:00Z" hostname="ci" failures="${failures}" skipped="0" time="0.01">` +
  `<testcase name="Math &gt; Division &gt; by two" time="0.01"/>` +
  `<testcase name="Math &gt; Division &gt; by zero" time="0.01"><failure type="testCodeFailure" message="no">no</failure></testcase></testsuite></testsuites>`

/** node:test counts tests with a failed subtest, and not the `describe` around them. */
const subtests = (fail: number, suites = 1) =>
  `<testsuites><testsuite name="cart" disabled="0" errors="0" tests="1" failures="1" skipped="0" hostname="ci" time="0.1">` +
  `<testsuite name="sorts" disabled="0" errors="0" tests="2" failures="1" skipped="0" hostname="ci" time="0.1">` +
  `<testcase name="empty" time="0.1" classname="test" failure="no"><failure type="testCodeFailure" message="no">no</failure></testcase>` +
  `<testcase name="later" time="0.1" classname="test" failure="no"><skipped type="todo" message="true"/><failure/></testcase></testsuite></testsuite>` +
  `<testsuite name="late" disabled="0" errors="0" tests="1" failures="0" skipped="0" hostname="ci" time="0.1"><testcase name="a" time="0.1" classname="test"/></testsuite>` +
  `<!-- tests 4 --><!-- suites ${suites} --><!-- fail ${fail} --><!-- cancelled 0 --></testsuites>`

/** Mocha before version 6 writes its failures as errors, too. */
const mocha5 = (failures: number) =>
  `<testsuite name="Mocha Tests" tests="2" failures="${failures}" errors="${failures}" skipped="0" timestamp="Fri, 20 Nov 2026 10:00:00 GMT" time="0.01">` +
  `<testcase classname="cart" name="adds" time="0.001"/><testcase classname="cart" name="sorts" time="0.001"><failure>no</failure></testcase></testsuite>`

describe("incomplete reports", () => {
  it("the suites around a failing todo of node:test are whole", () => {
    assert.deepStrictEqual(parsed("node-test/nested-todo.xml").incomplete, [])
  })

  it("a failure that node:test announces in addition to a failing todo makes the report incomplete", () => {
    const xml = textOf("node-test/nested-todo.xml").replace('failures="1"', 'failures="2"')
    assert.deepStrictEqual(parse(xml).incomplete, [
      { suite: "cart", tests: null, failures: { announced: 2, listed: 0 } }
    ])
  })

  it("a CTRF report of a test that fails as Playwright expects is whole", () => {
    assert.deepStrictEqual(parsed("ctrf/playwright-expected.json").incomplete, [])
    assert.strictEqual(parsed("ctrf/playwright-expected.json").cases[0]?.conclusion, "passed")
  })

  it.each([
    ["attempts of Surefire are tests that the suite announces", surefire, 3],
    ["skips of minitest are failures that the suite announces", minitest, 1],
    ["a test with a failed subtest is one that node:test announces", subtests, 2],
    ["the failures of an early Mocha are its errors, too", mocha5, 1],
    ["remarks on risky tests are errors that PHPUnit 9 announces", risky, 1],
    ["suites around a failed test are failures that currents announces", currents, 3]
  ] as const)("%s, and one more makes the report incomplete", (_, report, announced) => {
    assert.deepStrictEqual(parse(report(announced)).incomplete, [])
    assert.strictEqual(parse(report(announced + 1)).incomplete.length, 1)
  })

  it("a describe around a failed test of node:test explains no failure", () => {
    assert.strictEqual(parse(subtests(2, 2)).incomplete.length, 1)
  })

  it("a risky test of PHPUnit 9 passed", () => {
    assert.deepStrictEqual(
      parse(risky(1)).cases.map(({ conclusion }) => conclusion),
      ["passed", "passed"]
    )
    const failed = risky(1).replace("RiskyTestError", "ExpectationFailedException")
    assert.strictEqual(parse(failed).cases[1]?.conclusion, "failed")
  })

  it("a skipped case of another producer explains no failure", () => {
    const xml = `<testsuite name="s" tests="1" failures="1"><testcase classname="a.B" name="t"><skipped/></testcase></testsuite>`
    assert.strictEqual(parse(xml).incomplete.length, 1)
  })
})
