/** The law of failures: whatever a report holds that a person would call a failure is failed, or makes half a report. */
import { Ctrf, JUnit, Otlp, type Parsed, ReportReader } from "@lazaret/ingest"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import * as dialects from "./writers/dialects.ts"
import * as otlp from "./writers/otlp.ts"

const fixtures = new URL("./fixtures/", import.meta.url)
const textOf = (path: string) => readFileSync(new URL(path, fixtures), "utf8")
const paths = readdirSync(fixtures, { recursive: true, encoding: "utf8" })

const parse = (xml: string): Parsed.Parsed => Result.getOrThrow(JUnit.parse(xml))

const failed = ({ cases }: Parsed.Parsed) => cases.filter(({ conclusion }) => conclusion === "failed")

/** Whether a report shows the failure with this message, or says that something is missing. */
const shows = (parsed: Parsed.Parsed, message: string): boolean =>
  parsed.incomplete.length > 0 || failed(parsed).some(({ exception }) => exception?.message?.includes(message))

/** The kinds of failures in a suite. */
const planted = {
  "a failed case": `<testcase classname="planted" name="planted"><failure message="PLANTED"/></testcase>`,
  "an error": `<testcase classname="planted" name="planted"><error message="PLANTED"/></testcase>`,
  "a case without a name": `<testcase><failure message="PLANTED"/></testcase>`,
  "a case with a blank name": `<testcase classname="" name=" "><failure message="PLANTED"/></testcase>`,
  "a case that failed in every attempt": `<testcase name="planted"><rerunFailure message="PLANTED"/></testcase>`,
  "a case that failed after flaky attempts": `<testcase name="planted"><flakyFailure/><failure message="PLANTED"/></testcase>`,
  "a case that was skipped and failed": `<testcase name="planted"><skipped/><failure message="PLANTED"/></testcase>`,
  "a failure with a control character": `<testcase name="planted\u001b"><failure message="PLANTED &#8;"/></testcase>`,
  "a failure of the suite": `<failure message="PLANTED"/>`,
  "an error of the suite": `<error message="PLANTED">text</error>`
}

const plant = Schema.Literals(Object.keys(planted) as ReadonlyArray<keyof typeof planted>)
const index = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))

/** Every place between the elements of a suite. */
const places = (xml: string): ReadonlyArray<number> =>
  [...xml.matchAll(/<\/testsuite>|<testcase[ >]/g)].map((match) => match.index)

/** A report of each JSON format whose only test has this status and the text of a failure. */
const statused = (status: string): Readonly<Record<string, Parsed.Parsed>> => {
  const json = (report: object) => Result.getOrThrow(ReportReader.parse(JSON.stringify(report)))
  const jest = { assertionResults: [{ title: "t", status, failureMessages: ["Error: PLANTED"] }] }
  const run = { status, errors: [{ message: "PLANTED" }] }
  const spec = { title: "t", tests: [{ expectedStatus: "passed", results: [run] }] }
  const span = { name: "t", "test.scope": "case", "test.case.result.status": status, "exception.message": "PLANTED" }
  const [spans] = Result.getOrThrow(Otlp.parseJson(JSON.stringify(otlp.bare({}, [span]))))
  const none = Result.getOrThrow(JUnit.parse("<testsuites/>"))
  return {
    ctrf: json({ results: { tests: [{ name: "t", status, message: "PLANTED" }] } }),
    jest: json({ testResults: [jest] }),
    playwright: json({ config: {}, suites: [{ title: "a.spec.ts", specs: [spec] }] }),
    // Without a word a span has the status of its own.
    ...(status.trim() === "" ? {} : { otlp: spans ?? none })
  }
}

describe("a failure is not lost", () => {
  const samples = Schema.Literals(paths.filter((path) => path.endsWith(".xml")))

  it.prop(
    "a failure is not lost wherever it is planted into a sample report",
    [samples, plant, index],
    ([path, kind, at]) => {
      const xml = textOf(path)
      const all = places(xml)
      const place = all[at % all.length] ?? 0
      assert.isTrue(shows(parse(xml.slice(0, place) + planted[kind] + xml.slice(place)), "PLANTED"), `${path}, ${kind}`)
    }
  )

  it.prop(
    "a failure is not lost wherever it is planted into a report of any dialect",
    [dialects.names, dialects.reports, plant, index],
    ([name, suites, kind, at]) => {
      const dialect = dialects.dialects[name]
      if (dialect === undefined) return assert.fail(name)
      const xml = dialects.write(dialect, suites, dialects.casesOf(dialect, suites))
      const all = places(xml)
      const place = all[at % all.length] ?? 0
      assert.isTrue(shows(parse(xml.slice(0, place) + planted[kind] + xml.slice(place)), "PLANTED"), name)
    }
  )

  it.prop(
    "when it is the last case of a name that other cases have",
    [dialects.names, dialects.reports, index],
    ([name, suites, at]) => {
      const dialect = dialects.dialects[name]
      if (dialect === undefined) return assert.fail(name)
      const content = dialects.casesOf(dialect, suites)
      const suite = at % suites.length
      const again = (content[suite]?.[0] ?? "").replace(/>.*$/s, `><failure message="PLANTED"/></testcase>`)
      const before = failed(parse(dialects.write(dialect, suites, content))).length
      const parsed = parse(
        dialects.write(
          dialect,
          suites,
          content.map((own, i) => (i === suite ? [...own, again] : own))
        )
      )
      const first = suites[suite]?.outcomes[0]
      // A failure that is repeated as an attempt stays one failure.
      assert.isAtLeast(failed(parsed).length, first === "<failure/>" ? before : before + 1, name)
      if (first !== "<failure/>") assert.isTrue(shows(parsed, "PLANTED"), name)
    }
  )

  it.prop("when a suite of a sample announces it and does not list it", [samples, index], ([path, at]) => {
    const xml = textOf(path)
    const all = [...xml.matchAll(/(<testsuites?\b[^>]* (?:failures|errors)=")(\d+)"/g)]
    const match = all[at % all.length]
    if (match === undefined) return
    const [found, start] = match
    const more = xml.slice(0, match.index) + `${start}99"` + xml.slice(match.index + found.length)
    const isUncounted = start?.endsWith('errors="') === true && path.startsWith("gotestsum")
    assert.strictEqual(parse(more).incomplete.length > 0, !isUncounted, path)
  })

  it.prop(
    "when it is planted into a CTRF report",
    [Schema.Literals(["jest", "mocha", "playwright"]), index],
    ([name, at]) => {
      const report = JSON.parse(textOf(`ctrf/${name}.json`))
      const { tests } = report.results
      const copy = { ...tests[at % tests.length], retries: 0, flaky: false, retryAttempts: [] }
      const kinds = [copy, { ...copy, name: "" }, { name: "planted" }, {}]
      for (const kind of kinds) {
        const test = { ...kind, status: "failed", message: "PLANTED" }
        const results = { ...report.results, tests: tests.toSpliced(at % (tests.length + 1), 0, test) }
        assert.isTrue(shows(Result.getOrThrow(Ctrf.parse(JSON.stringify({ results }))), "PLANTED"), name)
      }
      const summary = { ...report.results.summary, failed: 99 }
      const announced = JSON.stringify({ results: { ...report.results, summary } })
      assert.isAbove(Result.getOrThrow(Ctrf.parse(announced)).incomplete.length, 0)
    }
  )

  it.prop("a failed test is found whatever word is in the place of its status", [Schema.String], ([word]) => {
    const isSkipped = (each: string) => /^(?:skip|skipped|notrun|disabled|suppressed|ignored|pending|todo)$/i.test(each)
    const isPassed = (each: string) => /^(?:pass|passed|success|successful|ok)$/i.test(each)
    if (isSkipped(word) || isPassed(word) || /^(?:interrupted|focused)$/i.test(word)) return
    for (const [format, report] of Object.entries(statused(word))) assert.isTrue(shows(report, "PLANTED"), format)
  })

  it.prop(
    "when it is a span among others, also of its name",
    [Schema.Array(Schema.Boolean), index],
    ([outcomes, at]) => {
      const spans = outcomes.map((isFailed) => (isFailed ? { "test.case.result.status": "failed" } : {}))
      for (const name of ["t", "planted", " "]) {
        const span = { name, "test.case.result.status": "failed", "exception.message": "PLANTED" }
        const all = spans.toSpliced(at % (spans.length + 1), 0, span)
        const [report] = Result.getOrThrow(Otlp.parseJson(JSON.stringify(otlp.bare({}, all))))
        assert.isTrue(report !== undefined && shows(report, "PLANTED"))
      }
    }
  )
})
