import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { failedOf, linesOf, parsed, read, sample } from "../format/summary.ts"

const text = sample("trx/results.trx").toString()

const reading = (xml: string) => Result.getOrThrow(read(xml))

const outcomes = ["Error", "Failed", "Timeout", "Aborted", "NotRunnable", "Disconnected", "InProgress", "Exploded"]

const runOf = (results: string, summary = `<ResultSummary outcome="Completed"/>`) =>
  `<TestRun xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010"><Results>${results}</Results>${summary}</TestRun>`

describe("TRX", () => {
  it("TRX names tests by class and name, and counts the rows of a data-driven test", () => {
    assert.deepStrictEqual(linesOf(parsed("trx/results.trx")), [
      "Shop.Tests.CartTest.Adds | passed",
      "Shop.Tests.CartTest.Rounds | failed",
      "Shop.Tests.CartTest.Totals (1,2,3) | passed",
      "Shop.Tests.CartTest.Totals (2,2,5) | failed",
      "Shop.Tests.CartTest.Later | skipped",
      'Shop.Tests.UserTest.Greets(name: "Ann") | passed',
      "Shop.Tests.UserTest.Fails | failed",
      "Shop.Tests.SlowTest.Hangs | failed"
    ])
  })

  it("TRX keeps time, duration, and class and message of what was thrown", () => {
    const { cases, finishedAt, incomplete, warnings } = parsed("trx/results.trx")
    assert.strictEqual(finishedAt, Date.parse("2026-11-20T10:00:05.500Z"))
    assert.deepStrictEqual([cases[1]?.at, cases[1]?.durationMs], [Date.parse("2026-11-20T10:00:02.500Z"), 1500])
    assert.deepStrictEqual(
      [cases[1]?.exception?.type, cases[1]?.exception?.message],
      ["System.DivideByZeroException", "Attempted to divide by zero."]
    )
    assert.strictEqual(cases[6]?.exception?.type, "System.InvalidOperationException")
    assert.match(cases[1]?.exception?.stacktrace ?? "", /Cart\.cs:line 12/)
    assert.deepStrictEqual([incomplete, warnings], [[], []])
  })

  it.each(outcomes)("the outcome %s is a failure, with or without counters", (outcome) => {
    assert.deepStrictEqual(failedOf(reading(runOf(`<UnitTestResult testName="A" outcome="${outcome}"/>`))), ["A"])
  })

  it("a result without an outcome is a failure, because some writers leave the first value out", () => {
    assert.deepStrictEqual(failedOf(reading(runOf(`<UnitTestResult testName="A"/>`))), ["A"])
  })

  it("a data-driven test that failed although its rows passed is a failure itself", () => {
    const rows = `<InnerResults><UnitTestResult testName="A (1)" outcome="Passed"/></InnerResults>`
    const xml = runOf(`<UnitTestResult testName="A" outcome="Failed">${rows}</UnitTestResult>`)
    assert.deepStrictEqual(failedOf(reading(xml)), ["A"])
  })

  it("a test host that crashed is a failed case of the test run", () => {
    const crash = "The active test run was aborted. Reason: Test host process crashed"
    const info = `<RunInfos><RunInfo outcome="Error"><Text>${crash}</Text></RunInfo></RunInfos>`
    const report = reading(
      runOf(
        `<UnitTestResult testName="A" outcome="Passed"/>`,
        `<ResultSummary outcome="Failed">${info}</ResultSummary>`
      )
    )
    assert.deepStrictEqual(linesOf(report), ["A | passed", "test run | failed"])
    assert.strictEqual(report.cases[1]?.exception?.message, crash)
  })

  const platform = (runText: string, results: string) =>
    failedOf(
      reading(
        runOf(
          results,
          `<ResultSummary outcome="Failed"><RunInfos><RunInfo computerName="ci" outcome="Error"><Text>${runText}</Text></RunInfo></RunInfos></ResultSummary>`
        )
      )
    )
  const exitCode = (code: number) =>
    `Exit code indicates failure: '${code}'. Please refer to https://aka.ms/testingplatform/exitcodes for more information.`
  const failedTest = `<UnitTestResult testName="A" outcome="Failed"/>`

  it("exit code 2 of Microsoft.Testing.Platform adds nothing to a failed test", () => {
    assert.deepStrictEqual(platform(exitCode(2), failedTest), ["A"])
  })

  it("exit code 2 of Microsoft.Testing.Platform is a failure of the run when no test failed", () => {
    assert.deepStrictEqual(platform(exitCode(2), `<UnitTestResult testName="A" outcome="Passed"/>`), ["test run"])
  })

  it.each([3, 7, 8, 10, 20])("exit code %s of Microsoft.Testing.Platform is a failure of the run", (code) => {
    assert.deepStrictEqual(platform(exitCode(code), failedTest), ["A", "test run"])
  })

  it("a crashed host of Microsoft.Testing.Platform is a failure of the run next to a failed test", () => {
    const crash = "Test host process exited with non-zero exit code: '134'"
    assert.deepStrictEqual(platform(crash, failedTest), ["A", "test run"])
  })

  it("a run that failed and lists no failed test is a failed case of the test run", () => {
    assert.deepStrictEqual(failedOf(reading(runOf("", `<ResultSummary outcome="Failed"/>`))), ["test run"])
  })

  it("counters that announce more failures than are listed make the report incomplete", () => {
    const { incomplete } = reading(text.replace('failed="4"', 'failed="14"'))
    assert.deepStrictEqual(incomplete, [{ suite: "", tests: null, failures: { announced: 15, listed: 4 } }])
  })
})
