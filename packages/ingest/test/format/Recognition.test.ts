import { Detection, KnownFormat } from "@lazaret/ingest"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { linesOf, parsed, read, sample } from "./summary.ts"

const refusalOf = (report: unknown): string => Result.getOrThrow(Result.flip(read(report))).message

const samples = [
  "playwright/report.json",
  "playwright/report.xml",
  "jest/report.json",
  "jest/report.xml",
  "vitest/report.json",
  "go/report.ndjson",
  "go/mixed.ndjson",
  "trx/results.trx",
  "pytest/xunit2.xml"
]

describe("recognition of formats", () => {
  it.each(samples)("%s is recognised by its content, however it is cut into pieces", (path) => {
    const kind = Detection.ofHead(sample(path), true)
    assert.strictEqual(Result.getOrThrow(kind), path.endsWith(".json") ? "json" : path.startsWith("go") ? "go" : "xml")
    assert.isAbove(parsed(path).cases.length, 0)
  })

  it.each(KnownFormat.all.filter(({ roots }) => roots !== undefined))(
    "$name is named by its root element",
    ({ advice, roots }) => {
      for (const root of roots ?? []) {
        assert.include(refusalOf(`<?xml version="1.0"?>\n<${root} a="1"><x/></${root}>`), advice)
        assert.include(refusalOf(`<p:${root} xmlns:p="urn:x"></p:${root}>`), advice)
      }
    }
  )

  it.each(KnownFormat.all.filter(({ keys }) => keys !== undefined))(
    "$name is named by the keys of its JSON",
    ({ advice, keys }) => {
      for (const some of keys ?? []) {
        const object = Object.fromEntries(some.map((key) => [key, []]))
        assert.include(refusalOf(object), advice)
        assert.include(refusalOf([object]), advice)
        assert.include(refusalOf(`${JSON.stringify(object)}\n${JSON.stringify(object)}\n`), advice)
      }
    }
  )

  it.each([
    ["TAP version 13\n1..1\nok 1 - adds\n", /--test-reporter=junit/],
    ["1..2\nok 1 - adds\nnot ok 2 - rounds\n", /--test-reporter=junit/],
    ["=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \tacme/shop\t0.1s\n", /go test -json/],
    ["##teamcity[testSuiteStarted name='a']\n", /--log-junit/],
    ["TN:\nSF:a.c\n", /no test results/],
    ["hello\n", /neither XML nor JSON.*JUnit XML, TRX/],
    ["", /empty/],
    ['{"a": 1}', /not a known test report.*CTRF/]
  ])("%j is answered with what to do", (text, answer) => {
    assert.match(refusalOf(text), answer)
  })

  it("Eclipse's test run holds JUnit XML", () => {
    const report = read(
      `<testrun name="ATest" tests="4" failures="1"><testsuite name="x.ATest">` +
        `<testcase name="a" classname="x.ATest" time="0.1"/>` +
        `<testcase name="b" classname="x.ATest" time="0.1"><failure>java.lang.AssertionError: no\n\tat x.ATest.b</failure></testcase>` +
        `<testcase name="c" classname="x.ATest" ignored="true"/>` +
        `<testcase name="d" classname="x.ATest" incomplete="true"/>` +
        `</testsuite></testrun>`
    )
    assert.deepStrictEqual(linesOf(Result.getOrThrow(report)), [
      "x.ATest.a | passed",
      "x.ATest.b | failed",
      "x.ATest.c | skipped",
      "x.ATest.d | failed"
    ])
  })

  it("a prefix of the elements changes nothing", () => {
    const plain = sample("pytest/xunit2.xml").toString()
    const prefixed = plain
      .replaceAll(/<(\/?)([a-z-]+)/g, "<$1j:$2")
      .replace(/<j:testsuites/, '<j:testsuites xmlns:j="urn:j"')
    assert.deepStrictEqual(linesOf(Result.getOrThrow(read(prefixed))), linesOf(parsed("pytest/xunit2.xml")))
  })
})
