import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import { failedOf, linesOf, parsed, read, sample } from "../format/summary.ts"

const run = (status: string, retry = 0) => ({
  status,
  retry,
  duration: 5,
  startTime: "2026-11-20T10:00:00.000Z",
  errors: []
})

const reportOf = (tests: ReadonlyArray<object>, more: object = {}) => ({
  config: { version: "1.60.0", rootDir: "/src/tests" },
  suites: [
    {
      title: "a.spec.js",
      file: "a.spec.js",
      specs: tests.map((test, index) => ({ title: `t${index}`, ok: true, tests: [test] }))
    }
  ],
  errors: [],
  ...more
})

const outcome = Arbitrary.schema(Schema.Literals(["passed", "failed", "timedOut", "skipped", "interrupted"]))

describe("Playwright JSON", () => {
  it("Playwright JSON names tests by project, file and titles, and counts attempts as one execution", () => {
    const lines = linesOf(parsed("playwright/report.json"))
    assert.deepStrictEqual(
      lines.filter((line) => line.startsWith("webkit")),
      [
        "webkit › cart.spec.js › cart › adds an item | failed | 1 reruns",
        "webkit › cart.spec.js › cart › settles on the second try | passed | flaky | 1 reruns",
        "webkit › cart.spec.js › cart › is too slow | failed | 1 reruns",
        "webkit › cart.spec.js › cart › known bug | passed",
        "webkit › cart.spec.js › cart › was mended | failed | 1 reruns",
        "webkit › cart.spec.js › cart › later | skipped",
        "webkit › cart.spec.js › cart › to mend | skipped",
        "webkit › cart.spec.js › cart › deep inside › passes | passed",
        "webkit › cart.spec.js › one after the other › first | failed | 1 reruns",
        "webkit › cart.spec.js › one after the other › second | skipped",
        "webkit › deep/user.spec.js › greets | passed"
      ]
    )
    assert.strictEqual(lines.length, 22)
  })

  it("Playwright JSON keeps the text of failures without colours and source lines, of a flaky pass, too", () => {
    const { cases, context, finishedAt } = parsed("playwright/report.json")
    const exceptionOf = (name: string) => cases.find(({ testName }) => testName === name)?.exception
    assert.strictEqual(
      exceptionOf("webkit › cart.spec.js › cart › adds an item")?.message,
      "Error: expect(received).toBe(expected) // Object.is equality\n\nExpected: 2\nReceived: 1"
    )
    assert.strictEqual(exceptionOf("webkit › cart.spec.js › cart › settles on the second try")?.type, "TypeError")
    assert.strictEqual(
      exceptionOf("webkit › cart.spec.js › cart › is too slow")?.message,
      "Test timeout of 1500ms exceeded."
    )
    assert.strictEqual(context.framework, "playwright")
    assert.isNotNull(finishedAt)
  })

  it("a file that does not load is a failed case of the file", () => {
    assert.deepStrictEqual(linesOf(parsed("playwright/broken.json")), ["broken.spec.js | failed"])
  })

  it("tests interrupted by maxFailures are skipped, and the stop itself is a warning", () => {
    const report = parsed("playwright/interrupted.json")
    assert.deepStrictEqual(failedOf(report), ["a.spec.js › fails late"])
    assert.match(report.warnings.join(), /Testing stopped early/)
  })

  it("an error outside of every file is a failed case of the test run", () => {
    const report = Result.getOrThrow(
      read(reportOf([], { errors: [{ message: "Timed out waiting 3s for the test suite to run" }] }))
    )
    assert.deepStrictEqual(linesOf(report), ["test run | failed"])
  })

  it.prop(
    "a test whose last attempt ends in another way than expected fails, unless Playwright calls another attempt good",
    [outcome, outcome],
    ([first, last]) => {
      const results = [run(first), run(last, 1)]
      const [case_] = Result.getOrThrow(read(reportOf([{ expectedStatus: "passed", projectName: "p", results }]))).cases
      const ran = [first, last].filter((each) => each !== "skipped" && each !== "interrupted")
      const expected = ran.includes("passed") ? "passed" : ran.length === 0 ? "skipped" : "failed"
      assert.strictEqual(case_?.conclusion, expected)
      assert.strictEqual(case_?.flaky, expected === "passed" && ran.some((each) => each !== "passed"))
    }
  )

  it("a test that Playwright counts as unexpected fails, whatever its attempts say", () => {
    const report = Result.getOrThrow(read(reportOf([{ status: "unexpected", projectName: "", results: [] }])))
    assert.deepStrictEqual(linesOf(report), ["a.spec.js › t0 | failed"])
  })

  it("a report that announces more failures than it lists is incomplete", () => {
    const report = Result.getOrThrow(read(reportOf([], { stats: { unexpected: 2 } })))
    assert.deepStrictEqual(report.incomplete, [{ suite: "", tests: null, failures: { announced: 2, listed: 0 } }])
  })

  it("suites nested without end are refused", () => {
    const text = `{"config":{},"suites":${'[{"title":"x","suites":'.repeat(200)}[]${"}]".repeat(200)}}`
    const refusal = Result.getOrThrow(Result.flip(read(text)))
    assert.match(refusal.message, /nested more than 100 deep/)
  })

  it("a wrong shape is refused with its place", () => {
    const report: unknown = {
      ...JSON.parse(sample("playwright/report.json").toString()),
      suites: [{ specs: [{ title: 5, tests: [] }] }]
    }
    assert.match(Result.getOrThrow(Result.flip(read(report))).message, /suites\.0\.specs\.0\.title: Expected string/)
  })
})
