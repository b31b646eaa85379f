import { assert, describe, it } from "@effect/vitest"
import { Otlp, type Parsed, type ParseError, ReportReader } from "@lazaret/ingest"
import { Result } from "effect"
import * as fc from "fast-check"
import * as ExitCode from "../../src/terminal/ExitCode.ts"
import * as Gate from "../../src/failure/Gate.ts"
import * as Planting from "../support/planting.ts"

type Read = Result.Result<ReadonlyArray<Parsed.Parsed>, ParseError.ParseError>

const parse = (text: string): Read => Result.map(ReportReader.parse(text), (parsed) => [parsed])

const parseSpans = (text: string): Read => Otlp.parseJson(new TextEncoder().encode(text))

/** The facts of a job with one report. */
const factsOf = (read: Read, more: Pick<Gate.Facts, "quarantined" | "testsEnded">): Gate.Facts =>
  Result.match(read, {
    onFailure: () => ({ reports: [], unreadable: ["report"], ...more }),
    onSuccess: (reports) => ({
      reports: reports.map((parsed) => ({ file: "report", parsed })),
      unreadable: [],
      ...more
    })
  })

const sampleOf = (samples: ReadonlyArray<Planting.Sample>) => fc.constantFrom(...samples).map(({ text }) => text)

const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)

/** Suites of no known producer, with names of any characters, also equal ones, and with true numbers. */
const generated = fc
  .array(
    fc.record({
      suite: fc.string(),
      cases: fc.array(
        fc.record({
          name: fc.oneof(fc.constantFrom("adds", "pays"), fc.string({ minLength: 1, unit: "grapheme" })),
          classname: fc.option(fc.constantFrom("cart", "a.b.Cart")),
          child: fc.constantFrom("", "", "<skipped/>", "<failure message='no'>at x</failure>")
        }),
        { maxLength: 6 }
      )
    }),
    { minLength: 1, maxLength: 4 }
  )
  .map((suites) => {
    const elements = suites.map(({ cases, suite }) => {
      const failures = cases.filter(({ child }) => child.startsWith("<failure")).length
      const listed = cases.map(({ child, classname, name }) => {
        const named = `name="${escaped(name)}"${classname === null ? "" : ` classname="${classname}"`}`
        return child === "" ? `<testcase ${named}/>` : `<testcase ${named}>${child}</testcase>`
      })
      const head = `<testsuite name="${escaped(suite)}" tests="${cases.length}" failures="${failures}">`
      return `${head}${listed.join("\n")}</testsuite>`
    })
    return `<testsuites>${elements.join("\n")}</testsuites>`
  })

interface Dialect {
  readonly text: fc.Arbitrary<string>
  readonly plantings: Readonly<Record<string, Planting.Planting>>
  readonly read: typeof parse
}

const json = Planting.samples(".json").filter(({ path }) => !path.startsWith("opentelemetry"))

const dialects: Readonly<Record<string, Dialect>> = {
  "JUnit XML of producers": { text: sampleOf(Planting.samples(".xml")), plantings: Planting.xml, read: parse },
  "generated JUnit XML": { text: generated, plantings: Planting.xml, read: parse },
  TRX: { text: sampleOf(Planting.samples(".trx")), plantings: Planting.trx, read: parse },
  "go test -json": { text: sampleOf(Planting.samples(".ndjson")), plantings: Planting.go, read: parse },
  "JSON of producers": { text: sampleOf(json), plantings: Planting.json, read: parse },
  "OTLP JSON": { text: sampleOf(Planting.samples("request.json")), plantings: Planting.spans, read: parseSpans }
}

/** Whether a report with a planted failure passes, when the failures that it had before are quarantined. */
const passes = (read: typeof parse, before: string, after: string, testsEnded: number): boolean => {
  const known = Gate.failures(factsOf(read(before), { quarantined: new Set(), testsEnded }).reports)
  const facts = factsOf(read(after), { quarantined: new Set(known), testsEnded })
  const found = Gate.failures(facts.reports)
  // The planted failure may have the name of a quarantined test: then one more failure is listed.
  const isQuarantined = found.length > known.length && found.every((each) => facts.quarantined.has(each))
  return Gate.judge(facts).exitCode === ExitCode.done && !isQuarantined
}

describe("a planted failure never passes the gate", () => {
  for (const [name, { plantings, read, text }] of Object.entries(dialects)) {
    for (const [kind, plant] of Object.entries(plantings)) {
      it(`a planted failure never passes the gate in ${name}: ${kind}`, () => {
        let count = 0
        const law = fc.property(text, fc.nat(), fc.constantFrom(0, 1), (before, place, testsEnded) => {
          const after = plant(before, place)
          if (after === null) return
          count += 1
          assert.isFalse(passes(read, before, after, testsEnded), after)
        })
        fc.assert(law, { numRuns: 150 })
        assert.isAbove(count, 0, "no report has a place for it")
      })
    }
  }

  it("a parser that loses failed cases breaks the law of planted failures", () => {
    const [sample] = Planting.samples("surefire/TEST-com.example.CartTest.xml")
    const forgetful = (text: string) =>
      Result.map(parse(text), (reports) =>
        reports.map((each) => ({ ...each, cases: each.cases.filter(({ conclusion }) => conclusion !== "failed") }))
      )
    const before = sample?.text ?? ""
    const after = Planting.xml["a failure in a passed case"]?.(before, 0) ?? ""
    assert.isTrue(passes(forgetful, before, after, 0))
    assert.isFalse(passes(parse, before, after, 0))
  })
})

const parsedOf = (xml: string): Parsed.Parsed => Result.getOrThrow(ReportReader.parse(xml))

const passed = parsedOf(`<testsuite><testcase name="a"/></testsuite>`)

const failed = parsedOf(`<testsuite><testcase name="a"><failure/></testcase><testcase name="b"/></testsuite>`)

const half = parsedOf(`<testsuite name="s" tests="3" failures="2"><testcase name="a"><failure/></testcase></testsuite>`)

const judge = (parsed: ReadonlyArray<Parsed.Parsed>, more: Partial<Gate.Facts> = {}) =>
  Gate.judge({
    reports: parsed.map((each) => ({ file: "r.xml", parsed: each })),
    unreadable: [],
    quarantined: new Set(),
    testsEnded: 0,
    ...more
  })

const quarantined = new Set(Gate.failures([failed, half].map((parsed) => ({ file: "r.xml", parsed }))))

describe("the exit code of the gate", () => {
  it("the exit code of the gate is 0 when nothing failed, or when every failure is quarantined, also after tests that failed", () => {
    assert.deepStrictEqual(judge([passed]), { exitCode: 0, reason: "", missing: [] })
    assert.strictEqual(judge([failed], { quarantined }).exitCode, 0)
    assert.strictEqual(judge([failed, passed], { quarantined, testsEnded: 1 }).exitCode, 0)
  })

  it("the exit code of the gate is 10 for a failure that is not quarantined, whatever else is missing", () => {
    assert.deepStrictEqual(judge([failed]), {
      exitCode: 10,
      reason: "1 of 1 failed test is not quarantined.",
      missing: []
    })
    for (const testsEnded of [0, 1, 7]) {
      assert.strictEqual(judge([failed, half], { unreadable: ["cut.xml"], testsEnded }).exitCode, 10)
    }
  })

  it("the exit code of the gate is 2 for half a report after tests that ended with 0, and the reason names what is missing", () => {
    const shortfall = 'r.xml: the suite "s" announces 3 tests and lists 1, 2 failures and lists 1.'
    assert.deepStrictEqual(judge([half], { quarantined }), {
      exitCode: 2,
      reason: `Incomplete report: ${shortfall} A failure may be missing in it.`,
      missing: [shortfall]
    })
    assert.strictEqual(judge([passed], { unreadable: ["cut.xml"] }).exitCode, 2)
    assert.include(judge([passed], { unreadable: ["cut.xml"] }).reason, "cut.xml cannot be read.")
  })

  it("the exit code of the gate is that of the tests when no report has a failure, or a report is incomplete", () => {
    assert.strictEqual(judge([passed], { testsEnded: 7 }).exitCode, 7)
    assert.strictEqual(judge([], { testsEnded: 7 }).exitCode, 7)
    assert.strictEqual(judge([half], { quarantined, testsEnded: 7 }).exitCode, 7)
    assert.strictEqual(judge([failed], { quarantined, unreadable: ["cut.xml"], testsEnded: 7 }).exitCode, 7)
  })

  it("no quarantine lets a crashed test host pass", () => {
    const crash = `<RunInfos><RunInfo outcome="Error"><Text>Test host process crashed</Text></RunInfo></RunInfos>`
    const run = parsedOf(
      `<TestRun><Results><UnitTestResult testName="A" outcome="Failed"/></Results><ResultSummary outcome="Failed">${crash}</ResultSummary></TestRun>`
    )
    assert.strictEqual(judge([run], { quarantined: new Set(["A", "test run"]), testsEnded: 1 }).exitCode, 10)
  })

  it("the exit code of the gate never becomes 0 because a process keeps 8 bits only", () => {
    assert.deepStrictEqual([256, -256, 512, -1, 257, 0].map(Gate.exitCodeOf), [1, 1, 1, 255, 1, 0])
  })
})
