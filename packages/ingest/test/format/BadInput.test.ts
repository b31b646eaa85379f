import { ReportReader } from "@lazaret/ingest"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { linesOf, parsed, read, sample } from "./summary.ts"

const samples = [
  "playwright/broken.json",
  "jest/report.json",
  "vitest/report.json",
  "go/count.ndjson",
  "trx/results.trx"
]

const times = (value: object): ReadonlyArray<object> => Array.from({ length: 4 }, () => value)

/** Whether a result has the form of one: a refusal has a sentence. */
const isAnswered = (result: ReturnType<typeof read>): boolean =>
  Result.isSuccess(result) || result.failure.message.endsWith(".") || result.failure.line !== null

/** At most 400 lengths, the last 100 among them. */
const lengths = (total: number): ReadonlyArray<number> => {
  const step = Math.max(1, Math.floor(total / 300))
  const spread = Array.from({ length: Math.ceil(total / step) }, (_, index) => index * step)
  return [...new Set([...spread, ...Array.from({ length: 100 }, (_, index) => Math.max(0, total - 1 - index))])]
}

describe("bad input", () => {
  it.each(samples)("%s cut off anywhere is refused with a sentence, and nothing is thrown", (path) => {
    const whole = sample(path)
    for (const length of lengths(whole.length)) {
      const result = ReportReader.parse(whole.subarray(0, length))
      // A report without its last line feed is complete.
      if (whole.subarray(length).toString().trim() === "") continue
      assert.isTrue(Result.isFailure(result), `${length} of ${whole.length} bytes`)
      assert.match(Result.getOrThrow(Result.flip(result)).message, /^[A-Z][^]*\.(?: \(line \d+, column \d+\))?$/)
    }
  })

  it.each(samples)("%s in pieces of any size is read like the whole", (path) => {
    for (const size of [1, 7, 1000]) {
      const reader = ReportReader.make()
      const bytes = sample(path)
      for (let start = 0; start < bytes.length; start += size) reader.write(bytes.subarray(start, start + size))
      assert.deepStrictEqual(linesOf(Result.getOrThrow(reader.end())), linesOf(parsed(path)))
    }
  })

  const values: ReadonlyArray<unknown> = [null, 5, "x", [], {}, [null], true, 1e308, -1]

  it.each(["suites", "errors", "stats", "config", "testResults", "success", "numFailedTests"])(
    "any JSON value in place of %s is read or refused, never thrown",
    (key) => {
      for (const path of ["playwright/broken.json", "jest/report.json"]) {
        for (const value of values) {
          assert.isTrue(isAnswered(read({ ...JSON.parse(sample(path).toString()), [key]: value })))
        }
      }
    }
  )

  it("any JSON value in a go event is read or refused, never thrown", () => {
    for (const key of ["Time", "Action", "Package", "Test", "Output", "Elapsed"]) {
      for (const value of values) {
        const event = { Time: "x", Action: "fail", Package: "p", Test: "T", Output: "o", Elapsed: 1, [key]: value }
        assert.isTrue(isAnswered(read(`{"Action":"run","Package":"p","Test":"T"}\n${JSON.stringify(event)}\n`)))
      }
    }
  })

  it.each([
    ["{".repeat(500_000), "braces"],
    ["[".repeat(500_000), "brackets"],
    [`<TestRun>${"<a>".repeat(500_000)}`, "elements"],
    [`{"testResults":${"[".repeat(500_000)}`, "lists"]
  ])("nesting without end is refused (%#: $1)", (text) => {
    assert.isTrue(Result.isFailure(read(text)))
  })

  it("the limit on test cases holds in every format", () => {
    const limits = { cases: 3 }
    const reports = [
      JSON.stringify({
        testResults: [{ name: "a", assertionResults: times({ title: "t", status: "passed" }) }]
      }),
      JSON.stringify({ config: {}, suites: [{ specs: [{ title: "t", tests: times({ results: [] }) }] }] }),
      `<TestRun><Results>${'<UnitTestResult testName="a" outcome="Passed"/>'.repeat(4)}</Results></TestRun>`,
      `{"Action":"pass","Package":"p","Test":"T"}\n`.repeat(4)
    ]
    for (const report of reports) {
      const refusal = Result.getOrThrow(Result.flip(ReportReader.parse(report, { limits })))
      assert.strictEqual(refusal.reason, "too_large")
    }
  })

  it("tests that begin without end are bounded", () => {
    const begun = Array.from({ length: 5 }, (_, index) => `{"Action":"run","Package":"p","Test":"T${index}"}\n`)
    const refusal = Result.getOrThrow(Result.flip(ReportReader.parse(begun.join(""), { limits: { cases: 3 } })))
    assert.strictEqual(refusal.reason, "too_large")
  })

  it("the end of endless output is kept, because it names the failure", () => {
    const line = `{"Action":"output","Package":"p","Test":"T","Output":"${"x".repeat(1000)}\\n"}\n`
    const end = `{"Action":"output","Package":"p","Test":"T","Output":"    a_test.go:9: wrong\\n"}\n`
    const text = `{"Action":"run","Package":"p","Test":"T"}\n${line.repeat(1000)}${end}{"Action":"fail","Package":"p","Test":"T"}\n{"Action":"fail","Package":"p"}\n`
    const [case_] = Result.getOrThrow(read(text)).cases
    assert.strictEqual(case_?.exception?.message, "wrong")
    assert.isAtMost(case_?.exception?.stacktrace?.length ?? 0, 65_536)
    assert.match(case_?.exception?.stacktrace ?? "", /^… \(the beginning is cut\)/)
  })
})
