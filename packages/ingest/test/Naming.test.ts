/** The law of names: a test has the same name however its report is cut into uploads. */
import { Ctrf, JUnit } from "@lazaret/ingest"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { readFileSync } from "node:fs"
import * as dialects from "./writers/dialects.ts"

const named = (xml: string) => Result.getOrThrow(JUnit.parse(xml)).cases.map(({ testName }) => testName)

const digit = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 }))

describe("names", () => {
  it.prop(
    "names of JUnit XML do not depend on how a report is cut into uploads, in the dialect of no producer",
    [dialects.names, dialects.reports, Schema.Array(digit)],
    ([name, suites, draws]) => {
      const dialect = dialects.dialects[name]
      if (dialect === undefined) return assert.fail(name)
      const whole = dialects.casesOf(dialect, suites)
      const nameOf = new Map(
        whole.flat().map((element, index) => [element, named(dialects.write(dialect, suites, whole))[index]])
      )
      let draw = 0
      const pieces = whole.map((own) =>
        own.map((element) => ({ element, piece: draws[draw++ % (draws.length || 1)] ?? 0 }))
      )
      for (const piece of [0, 1, 2]) {
        const content = pieces.map((own) => own.filter((each) => each.piece === piece).map(({ element }) => element))
        assert.deepStrictEqual(
          named(dialects.write(dialect, suites, content)),
          content.flat().map((element) => nameOf.get(element)),
          name
        )
      }
    }
  )

  it.prop(
    "names of JUnit XML do not depend on the producers of other suites in the report",
    [Schema.NonEmptyArray(Schema.Literals(Object.keys(dialects.dialects))), dialects.reports],
    ([producers, suites]) => {
      const reports = suites.map((suite, index) => {
        const dialect = dialects.dialects[producers[index % producers.length] ?? ""]
        if (dialect === undefined) return assert.fail("an unknown dialect")
        return dialects.write({ ...dialect, root: "" }, [suite], dialects.casesOf(dialect, [suite], index * 1000))
      })
      assert.deepStrictEqual(named(dialects.merged(reports)), reports.flatMap(named))
    }
  )

  it.prop("names of one report are unique", [dialects.names, dialects.reports], ([name, suites]) => {
    const dialect = dialects.dialects[name]
    if (dialect === undefined) return assert.fail(name)
    const content = suites.map(({ file, outcomes }) =>
      outcomes.map((outcome) => `<testcase ${dialect.case("same", file)}>${outcome}</testcase>`)
    )
    const all = named(dialects.write(dialect, suites, content))
    assert.strictEqual(new Set(all).size, all.length)
  })

  it("names of tests of one title in two files, or in two projects of Playwright, differ", () => {
    for (const name of [
      "vitest",
      "jest with files",
      "mocha",
      "playwright",
      "node:test",
      "pytest xunit1",
      "gotestsum"
    ]) {
      const dialect = dialects.dialects[name]
      if (dialect === undefined) return assert.fail(name)
      const suites = ["a", "b"].map((file) => ({ file, outcomes: [] }))
      const content = suites.map(({ file }) => [`<testcase ${dialect.case("same", file)}/>`])
      const [first, second] = named(dialects.write(dialect, suites, content))
      assert.notStrictEqual(first, second, name)
      assert.notInclude(second, "#", name)
    }
  })

  const fixture = Schema.Literals(["jest", "mocha", "playwright"])

  it.prop(
    "names of CTRF do not depend on how a report is cut into uploads",
    [fixture, Schema.Array(digit)],
    ([name, draws]) => {
      const report = JSON.parse(readFileSync(new URL(`./fixtures/ctrf/${name}.json`, import.meta.url), "utf8"))
      const seen = new Set<string>()
      const tests: ReadonlyArray<object> = report.results.tests.filter((test: object) => {
        const { name: own, suite } = test as { readonly name: string; readonly suite?: string }
        const key = `${suite} ${own} ${"filePath" in test ? String(test.filePath) : ""}`
        return !seen.has(key) && seen.add(key)
      })
      const of = (some: ReadonlyArray<object>) =>
        Result.getOrThrow(Ctrf.parse(JSON.stringify({ results: { tests: some } }))).cases.map(
          ({ testName }) => testName
        )
      const whole = of(tests)
      const pieceOf = (index: number) => draws[index % (draws.length || 1)] ?? 0
      for (const piece of [0, 1, 2]) {
        assert.deepStrictEqual(
          of(tests.filter((_, index) => pieceOf(index) === piece)),
          whole.filter((_, index) => pieceOf(index) === piece)
        )
      }
    }
  )
})
