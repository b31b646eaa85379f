import { assert, describe, it } from "@effect/vitest"
import * as Totals from "../src/check/Totals.ts"

const report = (counts: { readonly tests: number; readonly failures?: number; readonly skipped?: number }) =>
  [
    `<?xml version="1.0" encoding="UTF-8" ?>`,
    `<testsuites name="vitest tests" tests="${counts.tests}" failures="${counts.failures ?? 0}" errors="0" time="0.1">`,
    `<testsuite name="a" tests="${counts.tests}" failures="${counts.failures ?? 0}" errors="0" skipped="${counts.skipped ?? 0}">`,
    `<testcase name="says tests=&quot;9&quot;" /></testsuite></testsuites>`
  ].join("\n")

describe("the counts of a test run", () => {
  it("every test of the report counts once, a skipped one not at all", () => {
    assert.deepStrictEqual(Totals.ofTests(report({ tests: 12 }), 0), { passed: 12, failed: 0, failedTests: [] })
    assert.deepStrictEqual(Totals.ofTests(report({ tests: 12, failures: 2, skipped: 3 }), 1), {
      passed: 7,
      failed: 2,
      failedTests: []
    })
  })

  it("a run that broke off before its report failed", () => {
    assert.deepStrictEqual(Totals.ofTests(null, 0), { passed: 0, failed: 1, failedTests: [] })
  })

  it("a run that exits as a failure without a failed test has one failure", () => {
    assert.deepStrictEqual(Totals.ofTests(report({ tests: 3 }), 1), { passed: 3, failed: 1, failedTests: [] })
    assert.deepStrictEqual(Totals.ofTests(report({ tests: 3 }), null), { passed: 3, failed: 1, failedTests: [] })
  })

  it("a run without tests failed", () => {
    assert.deepStrictEqual(Totals.ofTests(report({ tests: 0 }), 0), { passed: 0, failed: 1, failedTests: [] })
    assert.deepStrictEqual(Totals.ofTests("", 0), { passed: 0, failed: 1, failedTests: [] })
  })
})

describe("the failed tests", () => {
  const failure = (text: string) => `<failure message="${text}" type="Error">\n${text}\n</failure></testcase>`
  const broken = [
    `<testsuites name="vitest tests" tests="5" failures="2" errors="1" time="0.1">`,
    `<testsuite name="a" tests="1" failures="1" errors="0" skipped="0">`,
    `<testcase classname="a/A.test.ts" name="a/A.test.ts" time="0">${failure("no module")}</testsuite>`,
    `<testsuite name="b" tests="4" failures="1" errors="1" skipped="1">`,
    `<testcase classname="b/B.test.ts" name="b &gt; is &quot;kept&quot;" time="0">${failure("&lt;testcase name=&apos;x&apos;&gt;")}`,
    `<testcase classname="b/B.test.ts" name="b &gt; says &lt;failure&gt;" time="0">\n</testcase>`,
    `<testcase classname="b/B.test.ts" name="b &gt; is left out" time="0">\n<skipped/>\n</testcase>`,
    `<testcase classname="b/B.test.ts" name="b &gt; ends" time="0"><error message="timeout"/></testcase></testsuite></testsuites>`
  ].join("\n")

  it("the lines of a run name each failed test with its file, and no other test", () => {
    const totals = Totals.combine(Totals.ofTests(broken, 1), Totals.one(false))
    assert.deepStrictEqual(Totals.toLines(totals), [
      "  a/A.test.ts",
      `  b/B.test.ts: b > is "kept"`,
      "  b/B.test.ts: b > ends"
    ])
    assert.strictEqual(Totals.toLine(totals), "1 passed, 4 failed")
  })

  it("a run in which hundreds of tests fail names the first hundred, and counts the others", () => {
    const lines = Totals.toLines({
      passed: 0,
      failed: 250,
      failedTests: Array.from({ length: 250 }, (_, at) => `t${at}`)
    })
    assert.strictEqual(lines.length, 101)
    assert.strictEqual(lines.at(-1), "  and 150 more")
  })
})

describe("the last line", () => {
  it("the last line of the check says how many passed and failed, and nothing else", () => {
    const totals = [Totals.one(true), Totals.one(false), { passed: 40, failed: 0, failedTests: [] }].reduce(
      Totals.combine,
      Totals.none
    )
    assert.strictEqual(Totals.toLine(totals), "41 passed, 1 failed")
  })
})
