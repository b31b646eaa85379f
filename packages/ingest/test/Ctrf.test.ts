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
  it("passed and failed are themselves, every other status is skipped, an unknown one with a warning", () => {
    const conclusions = ["passed", "failed", "skipped", "pending", "other"].map((status) => one({ status }).conclusion)
    assert.deepStrictEqual(conclusions, ["passed", "failed", "skipped", "skipped", "skipped"])
    const { cases, warnings } = parse(report([{ name: "t", status: "melted" }]))
    assert.strictEqual(cases[0]?.conclusion, "skipped")
    assert.deepStrictEqual(warnings, ["1 test cases have a status that is not known: taken as skipped."])
  })

  it("the name is suite and name, unless the name holds the suite or the suite is a file", () => {
    assert.strictEqual(one({ suite: "cart" }).testName, "cart > t")
    assert.strictEqual(one({ suite: ["chromium", "cart.spec.ts"] }).testName, "chromium > cart.spec.ts > t")
    assert.strictEqual(one({ suite: "cart > totals", name: "cart totals adds" }).testName, "cart totals adds")
    const jest = { suite: "cart.test.js > cart > totals", name: "cart totals adds" }
    assert.strictEqual(one(jest).testName, "cart totals adds", "jest puts the file before the titles")
    assert.strictEqual(one({ suite: "cart", name: "cart > adds" }).testName, "cart > adds")
    assert.strictEqual(one({ suite: "a", name: "adds" }).testName, "a > adds")
    assert.strictEqual(one({ suite: "src/cart.test.ts" }).testName, "t")
    assert.strictEqual(one({ suite: "tests/cart", filePath: "tests/cart" }).testName, "t")
    assert.strictEqual(one({ suite: "" }).testName, "t")
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

  it("a failure says why, in its own words or those of an attempt", () => {
    assert.deepStrictEqual(one({ status: "failed", message: "TypeError: x", trace: "TypeError: x\n at y" }).exception, {
      type: "TypeError",
      message: "TypeError: x",
      stacktrace: "TypeError: x\n at y"
    })
    const attempts = [{ status: "failed", message: null }, { message: "late" }]
    assert.strictEqual(one({ status: "failed", retryAttempts: attempts }).exception?.message, "late")
    assert.isNull(one({ message: "printed" }).exception)
  })

  it("the same test twice is a rerun, in another browser it is another execution", () => {
    const test = (status: string, browser: string | null) => ({ name: "t", status, browser })
    assert.strictEqual(parse(report([test("failed", null), test("passed", null)])).cases[0]?.flaky, true)
    assert.strictEqual(parse(report([test("failed", "a"), test("passed", "b")])).cases.length, 2)
  })

  it("unknown keys and null are let be", () => {
    const { cases } = parse(report([{ name: "t", status: "passed", suite: null, trace: null, steps: [{}], extra: 1 }]))
    assert.strictEqual(cases[0]?.testName, "t")
  })

  it("a text that no store can keep is mended in a message and refused in a name", () => {
    const { exception } = one({ status: "failed", message: "a\0b\ud800" })
    assert.strictEqual(exception?.message, "a\ufffdb\ufffd")
    assert.match(
      saying(report([{ name: "a\0b", status: "passed" }])),
      /^malformed: results.tests\[0\]: the name "a\ufffdb"/
    )
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
      "The report announces 1 failures and lists 0, 2 tests and lists 1: only listed tests are recorded. " +
        "Check that the file is complete."
    ])
    const whole = { summary: { tests: 1, failed: 1 } }
    assert.deepStrictEqual(parse(report([{ name: "t", status: "failed" }], whole)).incomplete, [])
  })
})

describe("Ctrf, refusals", () => {
  it("what is no CTRF is told apart", () => {
    assert.match(saying(""), /^malformed: .*is empty/)
    assert.match(saying("<testsuite/>"), /^unsupported: .*like XML/)
    assert.match(saying("{}"), /^unsupported: The JSON is no CTRF report: results: Missing key/)
    assert.match(saying("[]"), /^unsupported: The JSON is no CTRF report/)
    assert.match(saying(`{"results": {"tests": 3}}`), /^unsupported: .*results\.tests: Expected array/)
    assert.match(saying(report([{ name: "t" }])), /^malformed: .*results\.tests\.0\.status: Missing key/)
    assert.match(
      saying(report([{ name: 3, status: "passed" }])),
      /^malformed: .*results\.tests\.0\.name: Expected string/
    )
    assert.match(saying(Uint8Array.of(0x22, 0xff, 0x22)), /^malformed: .*not valid UTF-8/)
  })

  it("broken JSON says where", () => {
    assert.match(saying(`{"results": {"tests": [`), /^malformed: The JSON is cut off/)
    assert.match(saying(`{\n  "results": !}`), /^malformed: The body is no valid JSON: Unexpected token '!'/)
    const error = refusal(`{\n  "results" 3}`)
    assert.deepStrictEqual([error.reason, error.line, error.column], ["malformed", 2, 13])
  })

  it("the limits hold", () => {
    assert.match(saying(`"${"x".repeat(10_000)}"`), /^too_large: The JSON is larger/)
    assert.match(
      saying(report(Array.from({ length: 4 }, () => ({ name: "t", status: "passed" })))),
      /^too_large: .*more than 3 test cases/
    )
  })

  it("a byte order mark is dropped", () => {
    assert.strictEqual(parse(new TextEncoder().encode(`\ufeff${report([])}`)).listed, 0)
    assert.strictEqual(parse(`\ufeff${report([])}`).listed, 0)
  })
})
