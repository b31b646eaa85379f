import { assert, describe, it } from "@effect/vitest"
import { JUnit } from "@lazaret/ingest"
import { Result } from "effect"
import { read } from "./format/summary.ts"

/** Long enough that a regular expression which looks back at every place does not come to its end. */
const many = 300_000

const junit = (attributes: string) =>
  Result.getOrThrow(JUnit.parse(Buffer.from(`<testsuite name="s"><testcase name="a" ${attributes}/></testsuite>`)))
    .cases

const playwright = (message: string) => {
  const result = {
    status: "failed",
    retry: 0,
    duration: 5,
    startTime: "2026-11-20T10:00:00.000Z",
    errors: [{ message }]
  }
  const test = { projectName: "p", expectedStatus: "passed", status: "unexpected", results: [result] }
  const specs = [{ title: "t", ok: false, tests: [test] }]
  const suites = [{ title: "a.spec.js", file: "a.spec.js", specs }]
  const report = read({ config: { version: "1.60.0", rootDir: "/src" }, suites, errors: [] })
  return Result.getOrThrow(report).cases[0]?.exception
}

describe("long texts", () => {
  it("a message of Playwright loses the source code behind it, and nothing else", () => {
    const code = "\n\n  1 | a\n> 2 | b\n    | ^"
    assert.strictEqual(playwright(`Error: x${code}`)?.message, "Error: x")
    assert.strictEqual(playwright(`Error: x\n3 | y${code}`)?.message, "Error: x\n3 | y")
    assert.strictEqual(playwright("Error: x\n3 | y")?.message, "Error: x\n3 | y")
  })

  it("runs of line breaks, blanks and letters are read in one pass", () => {
    assert.isDefined(playwright(`x${"\n".repeat(many)}y`))
    assert.strictEqual(junit(`time="1${" ".repeat(many)}!"`)[0]?.durationMs, 0)
    assert.lengthOf(junit(`file="${"a".repeat(many)}"`), 1)
    const test = { name: "a", status: "passed", duration: 1, browser: `x${" ".repeat(90_000)}!` }
    const summary = { tests: 1, passed: 1, failed: 0, pending: 0, skipped: 0, other: 0, start: 1, stop: 2 }
    const ctrf = { results: { tool: { name: "t" }, summary, tests: [test] } }
    assert.lengthOf(Result.getOrThrow(read(ctrf)).cases, 1)
  })
})
