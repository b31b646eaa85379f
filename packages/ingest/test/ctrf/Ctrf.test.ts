import { Ctrf, type ParseError, type Parsed } from "@lazaret/ingest"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

const report = (tests: ReadonlyArray<object>, more: object = {}) => JSON.stringify({ results: { tests, ...more } })

const parse = (json: string | Uint8Array): Parsed.Parsed => Result.getOrThrow(Ctrf.parse(json))

const refusal = (json: string | Uint8Array): ParseError.ParseError =>
  Result.getOrThrow(Result.flip(Ctrf.parse(json, { limits: { jsonLength: 10_000, cases: 3 } })))

const saying = (json: string | Uint8Array) => `${refusal(json).reason}: ${refusal(json).message}`

const one = (test: object) => {
  const [first] = parse(report([{ name: "t", status: "passed", ...test }])).cases
  assert.isDefined(first)
  return first
}

describe("Ctrf, cases", () => {
  it("passed and failed are themselves, the other words of the format are skipped, an unknown one failed", () => {
    const conclusions = ["passed", "failed", "skipped", "pending", "other"].map((status) => one({ status }).conclusion)
    assert.deepStrictEqual(conclusions, ["passed", "failed", "skipped", "skipped", "skipped"])
    const { cases, warnings } = parse(report([{ name: "t", status: "melted" }, { name: "u" }]))
    assert.deepStrictEqual(
      cases.map(({ conclusion }) => conclusion),
      ["failed", "failed"]
    )
    assert.deepStrictEqual(warnings, [
      'The status "melted" is not known: taken as failed.',
      "A test has no status: taken as failed."
    ])
  })

  it("the status other is a failure when its raw status or the text of a failure says so", () => {
    const conclusion = (test: object) => one({ status: "other", ...test }).conclusion
    assert.strictEqual(conclusion({ rawStatus: "timedOut" }), "failed")
    assert.strictEqual(conclusion({ message: "the worker died" }), "failed")
    assert.strictEqual(conclusion({ rawStatus: "todo", message: "later" }), "skipped")
    assert.strictEqual(conclusion({ rawStatus: "interrupted", message: "stopped by maxFailures" }), "skipped")
  })

  it("the name is made of project or browser, file, suite and name, the parts that exist", () => {
    assert.strictEqual(one({}).testName, "t")
    assert.strictEqual(one({ suite: "" }).testName, "t")
    assert.strictEqual(one({ suite: "cart" }).testName, "cart › t")
    assert.strictEqual(one({ suite: ["cart", "totals"] }).testName, "cart > totals › t")
    assert.strictEqual(one({ filePath: "./src/cart.test.ts", suite: "cart" }).testName, "src/cart.test.ts › cart › t")
    assert.strictEqual(one({ browser: "chromium 124.0.1", filePath: "a.js" }).testName, "chromium › a.js › t")
    assert.strictEqual(one({ device: "Pixel 7" }).testName, "Pixel 7 › t")
  })

  it("a part that another part or the name holds stands in the name once", () => {
    assert.strictEqual(one({ suite: "cart", name: "cart > adds" }).testName, "cart > adds")
    assert.strictEqual(one({ suite: "cart > totals", name: "cart totals adds" }).testName, "cart totals adds")
    assert.strictEqual(one({ suite: "a", name: "adds" }).testName, "a › adds")
    assert.strictEqual(one({ suite: "src/cart.test.ts" }).testName, "src/cart.test.ts › t")
    assert.strictEqual(one({ suite: "tests/cart", filePath: "tests/cart" }).testName, "tests/cart › t")
    const nodeId = { name: "tests/test_a.py::test_x", filePath: "tests/test_a.py" }
    assert.strictEqual(one(nodeId).testName, "tests/test_a.py::test_x")
  })

  it("jest puts the end of the path before the titles, Playwright the project and its path", () => {
    const jest = { filePath: "/__w/shop/shop/src/cart.test.js", suite: "cart.test.js > cart > totals" }
    assert.strictEqual(one({ ...jest, name: "cart totals adds" }).testName, "src/cart.test.js › cart totals adds")
    const playwright = { filePath: "/anywhere/tests/cart.spec.ts", suite: "webkit > cart.spec.ts > outer" }
    const { filepath, testName } = one(playwright)
    assert.deepStrictEqual([testName, filepath], ["webkit › cart.spec.ts › outer › t", "cart.spec.ts"])
    assert.strictEqual(one({ suite: ["chromium", "cart.spec.ts"] }).testName, "chromium › cart.spec.ts › t")
    const { cases } = parse(
      report([{ ...playwright, suite: "cart.spec.ts", name: "t" }], { tool: { name: "playwright" } })
    )
    assert.strictEqual(cases[0]?.testName, "cart.spec.ts › t", "without a project")
  })

  it("a case finished when it stopped, else its duration after its start, in milliseconds or seconds", () => {
    const stop = Date.UTC(2026, 2, 4)
    assert.strictEqual(one({ start: 1, stop }).at, stop)
    assert.strictEqual(one({ start: stop - 5, duration: 5 }).at, stop)
    assert.strictEqual(one({ stop: stop / 1000 }).at, stop)
    assert.strictEqual(one({ stop: "2026-03-04T00:00:00Z" }).at, stop)
    assert.isNull(one({}).at)
    assert.deepStrictEqual(
      [one({ duration: 1.5 }).durationMs, one({ duration: -1 }).durationMs, one({}).durationMs],
      [1.5, 0, 0]
    )
    assert.strictEqual(one({ duration: 5, status: "skipped" }).durationMs, 0)
  })

  it("a pass after a retry is flaky, a failure never is", () => {
    const flakiness = (test: object) => {
      const { flaky, reruns } = one(test)
      return [flaky, reruns]
    }
    assert.deepStrictEqual(flakiness({ retries: 2 }), [true, 2])
    assert.deepStrictEqual(flakiness({ flaky: true }), [true, 1])
    assert.deepStrictEqual(flakiness({ retryAttempts: [{ status: "failed" }, {}] }), [true, 2])
    assert.deepStrictEqual(flakiness({ retries: 0, flaky: false, retryAttempts: [] }), [false, 0])
    assert.deepStrictEqual(flakiness({ retries: 2, flaky: true, status: "failed" }), [false, 2])
  })

  it("a pass after listed attempts that never failed is not flaky, and skipped attempts are no reruns", () => {
    const flakiness = (...statuses: ReadonlyArray<string>) => {
      const { flaky, reruns } = one({ flaky: true, retries: 2, retryAttempts: statuses.map((status) => ({ status })) })
      return [flaky, reruns]
    }
    assert.deepStrictEqual(flakiness("skipped", "skipped"), [false, 0], "the test before it failed")
    assert.deepStrictEqual(flakiness("passed", "passed"), [false, 2], "expected to fail")
    assert.deepStrictEqual(flakiness("failed", "skipped"), [true, 1])
    assert.deepStrictEqual(flakiness("failed"), [true, 2], "one attempt is not listed")
    assert.deepStrictEqual(flakiness("passed"), [true, 2], "the attempt that is not listed may have failed")
  })

  it("texts of failures are free of colours", () => {
    const exception = one({
      status: "failed",
      message: "\u001b[31mTypeError\u001b[39m: x",
      trace: "\u001b[2mat y\u001b[22m"
    }).exception
    assert.deepStrictEqual(exception, { type: "TypeError", message: "TypeError: x", stacktrace: "at y" })
  })

  it("a failure has its own message, or that of an attempt", () => {
    assert.deepStrictEqual(one({ status: "failed", message: "TypeError: x", trace: "TypeError: x\n at y" }).exception, {
      type: "TypeError",
      message: "TypeError: x",
      stacktrace: "TypeError: x\n at y"
    })
    const attempts = [{ status: "failed", message: null }, { message: "late" }]
    assert.strictEqual(one({ status: "failed", retryAttempts: attempts }).exception?.message, "late")
    assert.isNull(one({ message: "printed" }).exception)
  })

  it("a flaky pass keeps the text of its first failed attempt", () => {
    const attempts = [
      { status: "failed", message: "TypeError: first" },
      { status: "failed", message: "second" }
    ]
    const { conclusion, exception } = one({ message: "printed", retries: 2, retryAttempts: attempts })
    assert.deepStrictEqual(
      [conclusion, exception?.type, exception?.message],
      ["passed", "TypeError", "TypeError: first"]
    )
  })

  it("two entries with one name are two tests, because CTRF counts retries in one entry", () => {
    const { cases } = parse(report(["failed", "passed", "failed"].map((status) => ({ name: "t", status }))))
    assert.deepStrictEqual(
      cases.map(({ conclusion, flaky, testName }) => [testName, conclusion, flaky]),
      [
        ["t", "failed", false],
        ["t #2", "passed", false],
        ["t #3", "failed", false]
      ]
    )
  })

  it("a failed test without a name is kept, any other is counted", () => {
    const { cases, skippedCount } = parse(report([{ status: "failed" }, { status: "passed", name: " " }]))
    assert.deepStrictEqual([cases.map(({ testName }) => testName), skippedCount], [["(test without a name)"], 1])
  })

  it("unknown keys and null are let be", () => {
    const { cases } = parse(report([{ name: "t", status: "passed", suite: null, trace: null, steps: [{}], extra: 1 }]))
    assert.strictEqual(cases[0]?.testName, "t")
  })

  it("a character that no store can keep is replaced, in a message and in a name, with a warning", () => {
    const { cases, warnings } = parse(report([{ name: "a\0b", status: "failed", message: "a\0b\ud800" }]))
    assert.deepStrictEqual([cases[0]?.testName, cases[0]?.exception?.message], ["a\ufffdb", "a\ufffdb\ufffd"])
    assert.deepStrictEqual(warnings, ["Characters in 1 test name cannot be stored: each is replaced by U+FFFD."])
  })
})

describe("Ctrf, run", () => {
  it("tool, environment and summary describe the run", () => {
    const { context, finishedAt } = parse(
      report([], {
        tool: { name: "jest", version: "30.1" },
        summary: { tests: 0, stop: Date.UTC(2026, 2, 4) },
        environment: {
          commit: "abc",
          branchName: "refs/heads/main",
          buildName: "CI",
          buildNumber: 17,
          buildUrl: "https://ci.example/17"
        }
      })
    )
    assert.deepStrictEqual(context, {
      framework: "jest",
      frameworkVersion: "30.1",
      commit: "abc",
      branch: "main",
      pipelineName: "CI",
      runId: "17",
      jobUrl: "https://ci.example/17"
    })
    assert.strictEqual(finishedAt, Date.UTC(2026, 2, 4))
  })

  it("a link that leads to no web page is left out", () => {
    assert.deepStrictEqual(parse(report([], { environment: { buildUrl: "javascript:alert(1)" } })).context, {})
  })

  it("a summary that announces more tests or failures than the report lists makes it incomplete", () => {
    const { incomplete, warnings } = parse(
      report([{ name: "t", status: "passed" }], { summary: { tests: 2, failed: 1 } })
    )
    assert.deepStrictEqual(incomplete, [
      { suite: "", tests: { announced: 2, listed: 1 }, failures: { announced: 1, listed: 0 } }
    ])
    assert.deepStrictEqual(warnings, [
      "The report announces 1 failure and lists 0, 2 tests and lists 1: only listed tests are recorded. " +
        "Check that the file is complete."
    ])
    const whole = { summary: { tests: 1, failed: 1 } }
    assert.deepStrictEqual(parse(report([{ name: "t", status: "failed" }], whole)).incomplete, [])
  })
})

describe("Ctrf, refusals", () => {
  it("JSON that is not CTRF is refused with the reason", () => {
    assert.match(saying(""), /^malformed: .*is empty/)
    assert.match(saying("<testsuite/>"), /^unsupported: .*like XML/)
    assert.match(saying("{}"), /^unsupported: The JSON is not a CTRF report: results: Missing key/)
    assert.match(saying("[]"), /^unsupported: The JSON is not a CTRF report/)
    assert.match(saying(`{"results": {"tests": 3}}`), /^unsupported: .*results\.tests: Expected array/)
    assert.match(
      saying(report([{ name: 3, status: "passed" }])),
      /^malformed: .*results\.tests\.0\.name: Expected string/
    )
  })

  it("the error of broken JSON names the place", () => {
    assert.match(saying(`{"results": {"tests": [`), /^malformed: The JSON is cut off/)
    assert.match(saying(`{\n  "results": !}`), /^malformed: The body is not valid JSON: Unexpected token '!'/)
    const error = refusal(`{\n  "results" 3}`)
    assert.deepStrictEqual([error.reason, error.line, error.column], ["malformed", 2, 13])
  })

  it("a second JSON value after the first is reported once, with its place", () => {
    const { column, line, message } = refusal('{"results":{"tests":[]}}\n{"a":1}')
    assert.deepStrictEqual([line, column], [2, 1])
    assert.strictEqual(message, "The body is not valid JSON: Unexpected non-whitespace character. (line 2, column 1)")
  })

  it("a CTRF report over a limit is refused", () => {
    assert.match(saying(`"${"x".repeat(10_000)}"`), /^too_large: The JSON is larger/)
    assert.match(
      saying(report(Array.from({ length: 4 }, () => ({ name: "t", status: "passed" })))),
      /^too_large: .*more than 3 test cases/
    )
  })

  it("invalid bytes are replaced, with a warning, and nothing else is lost", () => {
    const latin = Buffer.from(
      `{"results":\n{"tests":[{"name":"z\xe4hl","status":"failed"},{"name":"b","status":"passed"}]}}`,
      "latin1"
    )
    const { cases, warnings } = parse(latin)
    assert.deepStrictEqual(
      cases.map(({ conclusion, testName }) => [testName, conclusion]),
      [
        ["z\ufffdhl", "failed"],
        ["b", "passed"]
      ]
    )
    assert.deepStrictEqual(warnings, [
      "The report holds bytes that are not valid utf-8: each is replaced by U+FFFD, the first in line 2."
    ])
    assert.deepStrictEqual(parse(new TextEncoder().encode(report([{ name: "\ufffd", status: "passed" }]))).warnings, [])
  })

  it("UTF-16 with a byte order mark is read, as PowerShell writes it", () => {
    const bytes = Buffer.from(`\ufeff${report([{ name: "zähl", status: "failed" }])}`, "utf16le")
    assert.deepStrictEqual(
      parse(bytes).cases.map(({ testName }) => testName),
      ["zähl"]
    )
  })

  it("a byte order mark is dropped", () => {
    assert.strictEqual(parse(new TextEncoder().encode(`\ufeff${report([])}`)).listed, 0)
    assert.strictEqual(parse(`\ufeff${report([])}`).listed, 0)
  })
})
