import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { failedOf, linesOf, parsed, read } from "../format/summary.ts"

const fileOf = (more: object) => ({
  name: "/builds/acme/shop/src/a.test.js",
  status: "passed",
  assertionResults: [],
  ...more
})

const test = (more: object) => ({
  ancestorTitles: ["cart"],
  title: "adds",
  fullName: "cart adds",
  status: "passed",
  ...more
})

describe("Jest JSON", () => {
  it("Jest JSON names Jest's tests by file and full name, relative to the checkout of the CI service", () => {
    assert.deepStrictEqual(linesOf(parsed("jest/report.json")), [
      "src/cart.test.js › cart totals adds prices | passed",
      "src/cart.test.js › cart totals rounds | failed | 2 reruns",
      "src/cart.test.js › cart settles on the second try | passed | flaky | 1 reruns",
      "src/cart.test.js › cart later | skipped",
      "src/cart.test.js › cart one day | skipped",
      "src/cart.test.js › cart known bug | passed",
      "src/cart.test.js › cart same title | passed",
      "src/cart.test.js › cart same title #2 | passed",
      "src/cart.test.js › cart same title #3 | failed | 2 reruns",
      "src/cart.test.js › stands alone | passed",
      "src/broken.test.js | failed"
    ])
  })

  it("Jest JSON names Vitest's tests by file and titles; a failure that a pass keeps is a flaky pass", () => {
    assert.deepStrictEqual(linesOf(parsed("vitest/report.json")), [
      "src/broken.test.js | failed",
      "src/cart.test.js › cart > totals > adds prices | passed",
      "src/cart.test.js › cart > totals > rounds | failed",
      "src/cart.test.js › cart > settles on the second try | passed | flaky | 1 reruns",
      "src/cart.test.js › cart > never settles | failed",
      "src/cart.test.js › cart > later | skipped",
      "src/cart.test.js › cart > one day | skipped",
      "src/cart.test.js › cart > known bug | passed",
      "src/cart.test.js › cart > same title | passed",
      "src/cart.test.js › cart > same title #2 | passed",
      "src/cart.test.js › cart > same title #3 | failed",
      "src/cart.test.js › stands alone | passed",
      "src/hooks.test.js › hooked > is never reached | skipped",
      "src/hooks.test.js | failed"
    ])
  })

  it("Jest JSON says what failed as the JUnit reporters do", () => {
    const exceptionOf = (path: string, name: string) =>
      parsed(path).cases.find(({ testName }) => testName === `src/cart.test.js › ${name}`)?.exception
    const { message, type } = exceptionOf("vitest/report.json", "cart > totals > rounds") ?? {}
    assert.deepStrictEqual(
      [type, message],
      ["AssertionError", "expected 0.30000000000000004 to be 0.3 // Object.is equality"]
    )
    assert.strictEqual(
      exceptionOf("jest/report.json", "cart totals rounds")?.message,
      "Error: expect(received).toBe(expected) // Object.is equality"
    )
  })

  it("a file that is listed once for each project has a warning, because the report names no project", () => {
    const warningsOf = (...testResults: ReadonlyArray<object>) => Result.getOrThrow(read({ testResults })).warnings
    const file = fileOf({ assertionResults: [test({})] })
    assert.deepStrictEqual(warningsOf(file), [])
    assert.include(warningsOf(file, file).join(), 'lists 1 file more than once ("src/a.test.js") and names no project')
  })

  it("a time-out of Vitest says so, although its stack has a placeholder", () => {
    const failed = test({ status: "failed", failureMessages: ["Error: STACK_TRACE_ERROR\n    at src/a.test.js:13:1"] })
    const [case_] = Result.getOrThrow(read({ testResults: [fileOf({ assertionResults: [failed] })] })).cases
    assert.deepStrictEqual(case_?.exception, {
      type: "Error",
      message: "Timed out.",
      stacktrace: "Error: Timed out.\n    at src/a.test.js:13:1"
    })
  })

  it("a number of invocations counts as at most a million, and no sum loses a digit", () => {
    for (const invocations of [2 ** 53, 1e20, 1e308]) {
      const report = { testResults: [fileOf({ assertionResults: [test({ invocations }), test({ title: "b" })] })] }
      const { cases, listed } = Result.getOrThrow(read(report))
      assert.deepStrictEqual([listed, [...cases][0]?.reruns], [1_000_001, 999_999], String(invocations))
    }
    const half = { testResults: [fileOf({ assertionResults: [test({ invocations: 1.5 })] })] }
    assert.strictEqual(Result.getOrThrow(read(half)).listed, 1)
  })

  it("Jest JSON tells Jest and Vitest apart", () => {
    assert.strictEqual(parsed("jest/report.json").context.framework, "jest")
    assert.strictEqual(parsed("vitest/report.json").context.framework, "vitest")
  })

  it("a status that nobody knows is a failure, no pass", () => {
    const report = { testResults: [fileOf({ assertionResults: [test({ status: "exploded" })] })] }
    assert.deepStrictEqual(failedOf(Result.getOrThrow(read(report))), ["src/a.test.js › cart > adds"])
  })

  it("a file that failed although its tests passed is a failed case of the file", () => {
    const report = {
      testResults: [fileOf({ status: "failed", message: "worker crashed", assertionResults: [test({})] })]
    }
    const { cases } = Result.getOrThrow(read(report))
    assert.deepStrictEqual(
      cases.map(({ conclusion, exception, testName }) => [testName, conclusion, exception?.message]),
      [
        ["src/a.test.js › cart > adds", "passed", undefined],
        ["src/a.test.js", "failed", "worker crashed"]
      ]
    )
  })

  it("a file with a failed test that failed as a whole, too, is both", () => {
    const message =
      "  ● cart adds\n\n    one\n\n  ● Test suite failed to run\n\n    after hook\n\n      at b\n\n  ● cart pays\n\n    two\n"
    const failed = test({ status: "failed", failureMessages: ["one"] })
    const { cases } = Result.getOrThrow(
      read({ testResults: [fileOf({ status: "failed", message, assertionResults: [failed] })] })
    )
    assert.deepStrictEqual(
      cases.map(({ exception, testName }) => [testName, exception?.message, exception?.stacktrace]),
      [
        ["src/a.test.js › cart > adds", "one", "one"],
        ["src/a.test.js", "after hook", "after hook\n\n      at b"]
      ]
    )
  })

  it("a result without a title, as jest-junit adds it to a file that does not load, is not a test", () => {
    const untitled = { status: "error", failureMessages: ["  ● Test suite failed to run\n\n    missing"] }
    const message = "  ● Test suite failed to run\n\n    Cannot find module\n"
    const { cases } = Result.getOrThrow(
      read({ testResults: [fileOf({ status: "failed", message, assertionResults: [untitled] })] })
    )
    assert.deepStrictEqual(
      cases.map(({ conclusion, exception, testName }) => [testName, conclusion, exception?.message]),
      [["src/a.test.js", "failed", "Cannot find module"]]
    )
  })

  it("a hook of Vitest that failed in a file with failed tests makes the report incomplete", () => {
    const failed = test({ ancestorTitles: ["cart", "totals"], status: "failed", failureMessages: ["Error: x"] })
    const skipped = test({ ancestorTitles: ["hooked"], status: "skipped" })
    const incompleteOf = (numFailedTestSuites: number, ...assertionResults: ReadonlyArray<object>) => {
      const testResults = [fileOf({ status: "failed", assertionResults })]
      const numFailedTests = assertionResults.filter((each) => each === failed).length
      return Result.getOrThrow(read({ numFailedTests, numFailedTestSuites, success: false, testResults })).incomplete
    }
    assert.deepStrictEqual(incompleteOf(3, failed, skipped), [], "the file and two suites have a failed test")
    assert.deepStrictEqual(incompleteOf(4, failed, skipped), [
      { suite: "", tests: null, failures: { announced: 2, listed: 1 } }
    ])
    assert.deepStrictEqual(incompleteOf(2, skipped), [], "the failed case of the file stands for the hook")
    assert.deepStrictEqual(incompleteOf(5, failed, failed), [], "suites of equal titles")
  })

  it("a run without success and without a failed test is a failed case of the test run", () => {
    const report = { success: false, testResults: [fileOf({ assertionResults: [test({})] })] }
    assert.deepStrictEqual(failedOf(Result.getOrThrow(read(report))), ["test run"])
  })

  it("a report that announces more failures than it lists is incomplete", () => {
    const report = { numFailedTests: 3, testResults: [fileOf({ assertionResults: [test({ status: "failed" })] })] }
    const { incomplete } = Result.getOrThrow(read(report))
    assert.deepStrictEqual(incomplete, [{ suite: "", tests: null, failures: { announced: 3, listed: 1 } }])
  })
})
