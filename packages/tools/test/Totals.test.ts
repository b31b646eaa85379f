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
    assert.deepStrictEqual(Totals.ofTests(report({ tests: 12 }), 0), { passed: 12, failed: 0 })
    assert.deepStrictEqual(Totals.ofTests(report({ tests: 12, failures: 2, skipped: 3 }), 1), { passed: 7, failed: 2 })
  })

  it("a run that broke off before its report failed", () => {
    assert.deepStrictEqual(Totals.ofTests(null, 0), { passed: 0, failed: 1 })
  })

  it("a run that exits as a failure without a failed test has one failure", () => {
    assert.deepStrictEqual(Totals.ofTests(report({ tests: 3 }), 1), { passed: 3, failed: 1 })
    assert.deepStrictEqual(Totals.ofTests(report({ tests: 3 }), null), { passed: 3, failed: 1 })
  })

  it("a run without tests failed", () => {
    assert.deepStrictEqual(Totals.ofTests(report({ tests: 0 }), 0), { passed: 0, failed: 1 })
    assert.deepStrictEqual(Totals.ofTests("", 0), { passed: 0, failed: 1 })
  })
})

describe("the last line", () => {
  it("the last line of the check says how many passed and failed, and nothing else", () => {
    const totals = [Totals.one(true), Totals.one(false), { passed: 40, failed: 0 }].reduce(Totals.combine, Totals.none)
    assert.strictEqual(Totals.toLine(totals), "41 passed, 1 failed")
  })
})
