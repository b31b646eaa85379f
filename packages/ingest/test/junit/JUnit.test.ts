import { Limits } from "@lazaret/ingest"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { names, one, parse, suite, utf8 } from "../junitText.ts"

describe("JUnit, outcomes", () => {
  it("the worst outcome of a case counts: failed, then skipped, then passed", () => {
    assert.strictEqual(one("").conclusion, "passed")
    assert.strictEqual(one("", "<skipped/>").conclusion, "skipped")
    assert.strictEqual(one("", "<skipped/><failure/>").conclusion, "failed")
    assert.strictEqual(one("", "<error/><skipped/>").conclusion, "failed")
    assert.strictEqual(one("", "<flakyFailure/><failure/>").conclusion, "failed")
    assert.strictEqual(one("", "<flakyFailure/>").conclusion, "passed")
  })

  it("a status counts where no element says more", () => {
    assert.strictEqual(one(`status="failed"`).conclusion, "failed")
    assert.strictEqual(one(`status="notrun"`).conclusion, "skipped")
    assert.strictEqual(one(`status="Skipped"`).conclusion, "skipped")
    assert.strictEqual(one(`status="run" result="suppressed"`).conclusion, "skipped")
    assert.strictEqual(one(`status="notrun"`, "<failure/>").conclusion, "failed")
    assert.strictEqual(one(`status="passed"`).conclusion, "passed")
  })

  it("rerun elements without a failure element failed in the end, and the first of them was the first try", () => {
    const { conclusion, exception, reruns } = one("", `<rerunFailure message="m"/><rerunError/>`)
    assert.deepStrictEqual([conclusion, reruns, exception?.message], ["failed", 1, "m"])
  })

  it("a failure without any word is still a failure with an exception", () => {
    assert.deepStrictEqual(one("", "<failure/>").exception, { type: null, message: null, stacktrace: null })
    assert.isNull(one("", "<skipped>why</skipped>").exception)
  })

  it("only elements directly below a case are its outcomes", () => {
    assert.strictEqual(one("", "<system-out><failure/></system-out>").conclusion, "passed")
    assert.strictEqual(parse(suite(`<failure>x</failure><testcase name="t"/>`)).cases[0]?.conclusion, "passed")
  })

  it("a failure that the producer expects is skipped: a todo of node:test, and what Catch2 lets fail", () => {
    assert.strictEqual(one("", `<skipped type="todo" message="true"/><failure message="m"/>`).conclusion, "skipped")
    const catch2 = `<skipped message="TEST_CASE tagged with !mayfail"/><error type="TEST_CASE"/>`
    assert.strictEqual(one("", catch2).conclusion, "skipped")
    assert.strictEqual(one("", `<skipped message="why"/><failure/>`).conclusion, "failed")
  })

  it("a flaky pass keeps the text of its first failed attempt", () => {
    const flaky = `<flakyFailure message="refused" type="E"><stackTrace>at a</stackTrace></flakyFailure><flakyError message="2"/>`
    const { conclusion, exception } = one("", flaky)
    assert.strictEqual(conclusion, "passed")
    assert.deepStrictEqual(exception, { type: "E", message: "refused", stacktrace: "at a" })
  })

  it("output inside a failure does not belong to its stack, a stackTrace element does", () => {
    const failure = `<failure>at a <system-out>noise</system-out><stackTrace>at b</stackTrace></failure>`
    assert.strictEqual(one("", failure).exception?.stacktrace, "at a at b")
  })
})

const outcomeElements = { passed: "", failed: "<failure/>", skipped: "<skipped/>" } as const
const outcome = Schema.Literals(["passed", "failed", "skipped"])

const repeated = (attributes: string, given: ReadonlyArray<keyof typeof outcomeElements | { readonly raw: string }>) =>
  parse(
    `<testsuite name="s"${attributes}>${given
      .map((each) => (typeof each === "string" ? outcomeElements[each] : each.raw))
      .map((each, i) => `<testcase classname="c" name="t" time="${i + 1}">${each}</testcase>`)
      .join("")}</testsuite>`
  ).cases

/** The attributes of the suites that Gradle writes. */
const gradle = ` tests="1" skipped="0" failures="1" errors="0" timestamp="2026-03-04T10:15:30" hostname="h" time="0.1"`

describe("JUnit, cases of equal names", () => {
  it.prop(
    "cases of equal names are separate tests with an ordinal, whatever their outcomes, where the producer does not repeat attempts",
    [Schema.NonEmptyArray(outcome)],
    ([given]) => {
      const cases = repeated("", given)
      assert.deepStrictEqual(
        cases.map(({ conclusion, testName }) => [testName, conclusion]),
        given.map((each, i) => [i === 0 ? "c.t" : `c.t #${i + 1}`, each])
      )
      assert.isTrue(cases.every(({ flaky, reruns }) => !flaky && reruns === 0))
    }
  )

  it.prop(
    "cases of equal names are attempts of one execution where the producer repeats them, failures come first, and at most the last passed",
    [Schema.NonEmptyArray(outcome)],
    ([given]) => {
      const cases = repeated(gradle, given)
      const isRetry =
        given.length > 1 && given.slice(0, -1).every((each) => each === "failed") && given.at(-1) !== "skipped"
      assert.strictEqual(cases.length, isRetry ? 1 : given.length)
      if (!isRetry) return
      const [only] = cases
      assert.deepStrictEqual([only?.conclusion, only?.reruns], [given.at(-1), given.length - 1])
      assert.strictEqual(only?.flaky, given.at(-1) === "passed")
      assert.isNotNull(only?.exception)
    }
  )

  it("a pass before a failure is never an attempt, not even of a producer that repeats them", () => {
    assert.deepStrictEqual(
      repeated(gradle, ["passed", "failed"]).map(({ conclusion, testName }) => [testName, conclusion]),
      [
        ["c.t", "passed"],
        ["c.t #2", "failed"]
      ]
    )
  })

  it("the exception of attempts is that of the first one, the duration that of the last one", () => {
    const cases = repeated(gradle, [{ raw: `<failure message="1"/>` }, { raw: `<failure message="2"/>` }, "passed"])
    assert.deepStrictEqual(
      cases.map(({ durationMs, exception }) => [exception?.message, durationMs]),
      [["1", 3000]]
    )
  })

  it("pytest's second element for a failing teardown is not an attempt", () => {
    const teardown = { raw: `<error message="failed on teardown with &quot;E: x&quot;"/>` }
    const xml = (cases: string) =>
      `<testsuites name="pytest tests"><testsuite name="pytest">${cases}</testsuite></testsuites>`
    const { cases } = parse(
      xml(
        `<testcase classname="c" name="t"><failure message="1"/></testcase><testcase classname="c" name="t">${teardown.raw}</testcase>`
      )
    )
    assert.deepStrictEqual(
      cases.map(({ conclusion, exception, reruns }) => [conclusion, reruns, exception?.message]),
      [["failed", 0, "1"]]
    )
  })

  it("cases of equal names in another suite or file are never attempts", () => {
    const of = (name: string, file: string, content = "") =>
      `<testsuite name="${name}"${gradle}><testcase classname="c" name="t" file="${file}">${content}</testcase></testsuite>`
    const { cases } = parse(`<testsuites>${of("a", "x", "<failure/>")}${of("b", "x")}${of("a", "y")}</testsuites>`)
    assert.deepStrictEqual(
      cases.map(({ conclusion, filepath, testName }) => [testName, filepath, conclusion]),
      [
        ["c.t", "x", "failed"],
        ["c.t #2", "x", "passed"],
        ["c.t #3", "y", "passed"]
      ]
    )
  })

  it("cases of equal names never take the name of another case", () => {
    const { cases } = parse(
      suite(["t", "t", "t #2"].map((name) => `<testcase classname="c" name="${name}"/>`).join(""))
    )
    assert.deepStrictEqual(
      cases.map(({ testName }) => testName),
      ["c.t", "c.t #3", "c.t #2"]
    )
  })
})

describe("JUnit, times", () => {
  it("seconds come with points, commas, thousands separators, exponents, or not at all", () => {
    const milliseconds = (time: string) => one(`time="${time}"`).durationMs
    assert.deepStrictEqual(
      ["0.5", "0,5", "1,234.5", "1.234,5", "1,234,567", "1e-3", " 2 ", "3s", "0.", "-1", ""].map(milliseconds),
      [500, 500, 1_234_500, 1_234_500, 1_234_567_000, 1, 2000, 3000, 0, 0, 0]
    )
    assert.strictEqual(one("").durationMs, 0)
    assert.strictEqual(one(`time="5"`, "<skipped/>").durationMs, 0)
  })

  it("a time that is not a number counts as 0 with a warning", () => {
    const { cases, warnings } = parse(suite(`<testcase name="t" time="soon"/><testcase name="u" time="1e300"/>`))
    assert.deepStrictEqual(
      cases.map((each) => each.durationMs),
      [0, 0]
    )
    assert.deepStrictEqual(warnings, ["The time of 2 test cases is not a number of seconds: taken as 0."])
  })

  it("the case's own timestamp is its time, with a zone or in UTC, never that of the suite", () => {
    const at = (timestamp: string) => one(`timestamp="${timestamp}"`).at
    const expected = Date.UTC(2026, 2, 4, 10, 15, 30)
    assert.strictEqual(at("2026-03-04T10:15:30"), expected)
    assert.strictEqual(at("2026-03-04T10:15:30Z"), expected)
    assert.strictEqual(at("2026-03-04 12:15:30+0200"), expected)
    assert.strictEqual(at("2026-03-04T05:15:30-05:00"), expected)
    assert.strictEqual(at("2026-03-04T10:15:30.123456789"), expected + 123)
    assert.isNull(at("4 March"))
    assert.isNull(at("2026-13-04T10:15:30"))
    const inSuite = parse(suite(`<testcase name="t"/>`, ` timestamp="2026-03-04T10:15:30"`))
    assert.isNull(inSuite.cases[0]?.at)
  })
})

describe("JUnit, texts", () => {
  const bytes = (text: string | null | undefined) => utf8(text ?? "").length

  it("messages and stacks are cut to their bytes, with a mark", () => {
    const { exception } = one("", `<failure message="${"ä".repeat(5000)}">${"😀".repeat(40_000)}</failure>`)
    assert.isTrue(exception?.message?.endsWith("ä… (cut at 8 KiB)"))
    assert.isTrue(exception?.stacktrace?.endsWith("😀… (cut at 64 KiB)"))
    assert.isAtMost(bytes(exception?.message), 8192)
    assert.isAtLeast(bytes(exception?.message), 8192 - 3)
    assert.isAtMost(bytes(exception?.stacktrace), 65_536)
    assert.isAtLeast(bytes(exception?.stacktrace), 65_536 - 3)
    assert.isTrue(exception?.stacktrace?.isWellFormed())
  })

  it("texts at their limit stay as they are", () => {
    const { exception } = one("", `<failure message="${"m".repeat(8192)}">${"s".repeat(65_536)}</failure>`)
    assert.deepStrictEqual([exception?.message?.length, exception?.stacktrace?.length], [8192, 65_536])
    assert.isFalse(exception?.message?.includes("cut"))
  })
})

describe("JUnit, warnings", () => {
  it("a suite that announces more tests than it lists is an incomplete report", () => {
    const xml = `<testsuites tests="9">${suite(`<testcase name="t"/>`, ` tests="5"`)}</testsuites>`
    const { incomplete, warnings } = parse(xml)
    assert.deepStrictEqual(incomplete, [{ suite: "s", tests: { announced: 5, listed: 1 }, failures: null }])
    assert.deepStrictEqual(warnings, [
      `The suite "s" announces 5 tests and lists 1: only listed tests are recorded. Check that the file is complete.`
    ])
  })

  it("a suite that announces more failures and errors than it lists is an incomplete report", () => {
    const incomplete = (attributes: string, ...outcomes: ReadonlyArray<string>) =>
      parse(suite(outcomes.map((each, i) => `<testcase name="t${i}">${each}</testcase>`).join(""), attributes))
        .incomplete
    const wanting = (announced: number, listed: number) => [
      { suite: "s", tests: null, failures: { announced, listed } }
    ]
    assert.deepStrictEqual(incomplete(` failures="1"`, ""), wanting(1, 0))
    assert.deepStrictEqual(incomplete(` errors="1"`, ""), wanting(1, 0))
    assert.deepStrictEqual(incomplete(` failures="2" errors="1"`, "<failure/>", "<error/>"), wanting(3, 2))
    assert.deepStrictEqual(incomplete(` failures="1" errors="1"`, "<failure/>", "<error/>"), [])
    assert.deepStrictEqual(incomplete(` failures="2"`, "<failure/><failure/>"), [], "a case can list several")
    assert.deepStrictEqual(incomplete(` failures="0"`, "<failure/>"), [])
    assert.deepStrictEqual(incomplete(` failures="x" errors="-1"`, ""), [])
    assert.deepStrictEqual(parse(suite(`<testcase name="t" status="failed"/>`, ` failures="1"`)).incomplete, [])
  })

  it("a report that announces failures outside of its suites is incomplete as a whole", () => {
    const xml = `<testsuites failures="2">${suite(`<testcase name="t"><failure/></testcase>`, ` failures="1"`)}</testsuites>`
    assert.deepStrictEqual(parse(xml).incomplete, [{ suite: "", tests: null, failures: { announced: 2, listed: 1 } }])
  })

  it("a suite may announce fewer tests than it lists", () => {
    const cases = `<testcase name="t"><failure/></testcase><testcase name="u"/>`
    for (const tests of ["0", "1", "2"]) assert.deepStrictEqual(parse(suite(cases, ` tests="${tests}"`)).incomplete, [])
  })

  it("a failure of a suite and a failed case without a name in it are two tests, whichever of them fails", () => {
    const [own, nameless] = ["<failure/>", "<testcase><failure/></testcase>"]
    assert.deepStrictEqual(names(suite(own)), ["s"])
    assert.deepStrictEqual(names(suite(nameless)), ["s.(test without a name)"])
    assert.deepStrictEqual(names(suite(own + nameless)), ["s.(test without a name)", "s"])
  })

  it("cases without a name that did not fail are left out and counted", () => {
    const { cases, listed, skippedCount, warnings } = parse(
      suite(`<testcase/><testcase name=" "/><testcase name="t"/>`)
    )
    assert.deepStrictEqual([cases.length, listed, skippedCount], [1, 3, 2])
    assert.deepStrictEqual(warnings, ["2 test cases without a name left out: none failed."])
  })

  it("a report without cases is taken, with a warning", () => {
    assert.deepStrictEqual(parse("<testsuites/>").warnings, ["The report lists no test cases."])
  })

  it("warnings beyond the limit are only counted", () => {
    const many = `<testsuites>${suite("", ` tests="1"`).repeat(60)}</testsuites>`
    const { warnings } = parse(many)
    assert.strictEqual(warnings.length, Limits.standard.warnings + 1)
    assert.match(warnings.at(-1) ?? "", /^11 more warnings/)
  })
})
