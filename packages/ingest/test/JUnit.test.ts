import { JUnit, Limits, type ParseError, type Parsed } from "@lazaret/ingest"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { readdirSync, readFileSync } from "node:fs"

const parse = (input: string | Uint8Array, limits: Partial<Limits.Limits> = {}): Parsed.Parsed =>
  Result.getOrThrow(JUnit.parse(input, { limits }))

const refusal = (input: string | Uint8Array, limits: Partial<Limits.Limits> = {}): ParseError.ParseError =>
  Result.getOrThrow(Result.flip(JUnit.parse(input, { limits })))

const suite = (cases: string, attributes = "") => `<testsuite name="s"${attributes}>${cases}</testsuite>`

const one = (attributes: string, content = "") => {
  const [first] = parse(suite(`<testcase name="t" ${attributes}>${content}</testcase>`)).cases
  assert.isDefined(first)
  return first
}

const names = (input: string | Uint8Array) => parse(input).cases.map((each) => each.testName)

const utf8 = (text: string) => new TextEncoder().encode(text)

const utf16 = (text: string, isLittle: boolean) =>
  Uint8Array.from(
    [...text]
      .flatMap((_, i) => [text.charCodeAt(i) & 0xff, text.charCodeAt(i) >> 8])
      .map((_, i, all) => (isLittle ? (all[i] ?? 0) : (all[i ^ 1] ?? 0)))
  )

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

  it("only elements directly below the case are outcomes", () => {
    assert.strictEqual(one("", "<system-out><failure/></system-out>").conclusion, "passed")
    assert.strictEqual(parse(suite(`<failure>x</failure><testcase name="t"/>`)).cases[0]?.conclusion, "passed")
  })

  it("output inside of a failure is no part of its stack, a stackTrace element is", () => {
    const failure = `<failure>at a <system-out>noise</system-out><stackTrace>at b</stackTrace></failure>`
    assert.strictEqual(one("", failure).exception?.stacktrace, "at a at b")
  })
})

describe("JUnit, reruns of one case", () => {
  const attempts = (...outcomes: ReadonlyArray<string>) =>
    parse(
      suite(outcomes.map((each, i) => `<testcase classname="c" name="t" time="${i + 1}">${each}</testcase>`).join(""))
    ).cases

  it("failed and passed in one job is one flaky pass, in either order", () => {
    for (const outcomes of [
      ["<failure/>", ""],
      ["", "<error/>"]
    ]) {
      const [first, ...rest] = attempts(...outcomes)
      assert.deepStrictEqual(rest, [])
      assert.deepStrictEqual([first?.conclusion, first?.flaky, first?.reruns], ["passed", true, 1])
      assert.isNull(first?.exception)
    }
  })

  it("only failures are a failure, told by the first of them, as long as the last", () => {
    const [first] = attempts(`<failure message="1"/>`, `<failure message="2"/>`, `<failure message="3"/>`)
    assert.deepStrictEqual([first?.conclusion, first?.flaky, first?.reruns], ["failed", false, 2])
    assert.deepStrictEqual([first?.exception?.message, first?.durationMs], ["1", 3000])
  })

  it("a skipped attempt is none", () => {
    const [first] = attempts("<skipped/>", "", "<skipped/>")
    assert.deepStrictEqual([first?.conclusion, first?.flaky, first?.reruns], ["passed", false, 0])
  })

  it.prop(
    "how often each outcome came is all that matters",
    [Schema.NonEmptyArray(Schema.Literals(["", "<failure/>", "<skipped/>"]))],
    ([outcomes]) => {
      const [first, ...rest] = attempts(...outcomes)
      const ran = outcomes.filter((each) => each !== "<skipped/>")
      const hasPassed = ran.includes("")
      assert.strictEqual(rest.length, 0)
      assert.strictEqual(first?.conclusion, ran.length === 0 ? "skipped" : hasPassed ? "passed" : "failed")
      assert.strictEqual(first?.flaky, hasPassed && ran.includes("<failure/>"))
      assert.strictEqual(first?.reruns, Math.max(0, ran.length - 1))
    }
  )

  it("pytest's second element for a failing teardown is no attempt", () => {
    const [first] = attempts(`<failure message="1"/>`, `<error message="failed on teardown with &quot;E: x&quot;"/>`)
    assert.deepStrictEqual([first?.conclusion, first?.reruns, first?.exception?.message], ["failed", 0, "1"])
  })

  it("the same name in another suite or file is another execution", () => {
    const xml = `<testsuites>${suite(`<testcase name="t" file="a"/><testcase name="t" file="b"><failure/></testcase>`)}
      <testsuite name="other"><testcase name="t" file="a"/></testsuite></testsuites>`
    const { cases, warnings } = parse(xml)
    assert.deepStrictEqual(
      cases.map((each) => [each.filepath, each.conclusion]),
      [
        ["a", "passed"],
        ["b", "failed"],
        ["a", "passed"]
      ]
    )
    assert.match(warnings.join(), /^2 test cases have the name of another case/)
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

  it("a time that is no number is 0 and worth a warning", () => {
    const { cases, warnings } = parse(suite(`<testcase name="t" time="soon"/><testcase name="u" time="1e300"/>`))
    assert.deepStrictEqual(
      cases.map((each) => each.durationMs),
      [0, 0]
    )
    assert.deepStrictEqual(warnings, ["2 test cases have a time that is no number of seconds: taken as 0."])
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

describe("JUnit, pieces", () => {
  it("a long tag may come byte by byte", () => {
    const reader = JUnit.make()
    for (const character of `<testsuite><testcase name="${"a".repeat(1000)}"/></testsuite>`) reader.write(character)
    assert.strictEqual(Result.getOrThrow(reader.end()).cases.length, 1)
  })

  const paths = readdirSync(new URL("./fixtures", import.meta.url), { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".xml")
  )
  const path = Schema.Literals(paths)
  const share = Schema.Number.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
  const fileAt = (each: string) => readFileSync(new URL(`./fixtures/${each}`, import.meta.url))

  it.prop("a file cut anywhere yields the same as the whole", [path, Schema.Array(share), Schema.Boolean], (drawn) => {
    const [each, cuts, isText] = drawn
    const whole = isText ? fileAt(each).toString("utf8") : fileAt(each)
    const edges = cuts.map((cut) => Math.floor(cut * whole.length)).sort((a, b) => a - b)
    const reader = JUnit.make()
    for (const [i, end] of [...edges, whole.length].entries()) reader.write(whole.slice(edges[i - 1] ?? 0, end))
    assert.deepStrictEqual(reader.end(), JUnit.parse(fileAt(each)))
  })

  it.prop("a file that ends too early is refused", [path, share], ([each, cut]) => {
    const file = fileAt(each)
    const end = Math.floor(file.lastIndexOf("</") * cut)
    assert.isTrue(Result.isFailure(JUnit.parse(file.subarray(0, end))))
  })

  it.prop("whatever text comes, the answer is a result", [Schema.String, Schema.Boolean], ([text, isXml]) => {
    assert.isTrue(Result.isResult(JUnit.parse(isXml ? `<testsuite><testcase name="${text}` : text)))
  })

  it("after a failure nothing more is read and the failure stays", () => {
    const reader = JUnit.make()
    const first = reader.write("<html>")
    assert.isTrue(Result.isFailure(first))
    assert.deepStrictEqual(reader.write("<testsuites/>"), first)
    assert.deepStrictEqual(
      reader.end(),
      Result.map(first, () => parse("<testsuites/>"))
    )
  })

  it("output that is not kept does not fill the memory", () => {
    const reader = JUnit.make()
    const line = utf8("0123456789abcdef".repeat(4096))
    reader.write(utf8(`<testsuite><testcase name="t"><failure>short</failure></testcase><system-out><![CDATA[`))
    const before = process.memoryUsage().heapUsed
    for (let i = 0; i < 1000; i++) reader.write(line)
    const growth = process.memoryUsage().heapUsed - before
    reader.write(utf8("]]></system-out></testsuite>"))
    assert.strictEqual(Result.getOrThrow(reader.end()).cases.length, 1)
    assert.isBelow(growth, 40 * 1_048_576)
  })
})

describe("JUnit, encodings", () => {
  const xml = (encoding: string) =>
    `<?xml version="1.0" encoding="${encoding}"?><testsuite><testcase name="zähl ✓"/></testsuite>`

  it("byte order marks and white space in front are dropped", () => {
    assert.deepStrictEqual(names(utf8(`\uFEFF \n${xml("utf-8")}`)), ["zähl ✓"])
    assert.deepStrictEqual(names(`\uFEFF\r\n\t${xml("UTF-8")}`), ["zähl ✓"])
  })

  it("UTF-16 is read in both orders, with a mark or without", () => {
    for (const isLittle of [true, false]) {
      assert.deepStrictEqual(names(utf16(xml("utf-16"), isLittle)), ["zähl ✓"])
      assert.deepStrictEqual(names(utf16(`\uFEFF${xml("utf-16")}`, isLittle)), ["zähl ✓"])
    }
  })

  it("a declared encoding is obeyed, but not a UTF-16 that the bytes belie", () => {
    const latin = Buffer.from(
      `<?xml version="1.0" encoding='ISO-8859-1'?><testsuite><testcase name="zähl"/></testsuite>`,
      "latin1"
    )
    assert.deepStrictEqual(names(latin), ["zähl"])
    const windows = Buffer.from(
      latin.toString("latin1").replace("ISO-8859-1", "windows-1252").replace("ä", "\x80"),
      "latin1"
    )
    assert.deepStrictEqual(names(windows), ["z€hl"])
    assert.deepStrictEqual(names(utf8(xml("utf-16"))), ["zähl ✓"])
  })

  it("bytes and encodings that nobody knows are refused", () => {
    assert.match(refusal(Buffer.from(suite(`<testcase name="\xff"/>`), "latin1")).message, /not valid utf-8/)
    assert.match(refusal(utf8(xml("klingon"))).message, /"klingon", which is unknown/)
  })
})

describe("JUnit, refusals", () => {
  const saying = (input: string | Uint8Array) => {
    const { message, reason } = refusal(input)
    return `${reason}: ${message}`
  }

  it("what is no JUnit XML is told apart", () => {
    assert.match(saying(""), /^malformed: .*is empty/)
    assert.match(saying(" \n "), /^malformed: .*is empty/)
    assert.match(saying(new Uint8Array(0)), /^malformed: .*is empty/)
    assert.match(saying(`{"results":{}}`), /^unsupported: .*like JSON/)
    assert.match(saying("ok 1 - adds"), /^unsupported: .*no XML file/)
    assert.match(saying(Uint8Array.of(0x1f, 0x8b, 8, 0)), /^unsupported: .*gzip archive/)
    assert.match(saying("PK\u0003\u0004"), /^unsupported: .*no XML file/)
    assert.match(saying(Uint8Array.of(0x50, 0x4b, 3, 4)), /^unsupported: .*zip archive/)
    assert.match(saying("<!DOCTYPE html><html><body></body></html>"), /^unsupported: .*an HTML page/)
    assert.match(saying(`<TestRun id="1"/>`), /^unsupported: .*TRX/)
    assert.match(saying("<constructor/>"), /^unsupported: .*<constructor>: JUnit XML begins/)
  })

  it("what is not well-formed or cut off says where", () => {
    const error = refusal("\n<testsuite>\n  <testcase name='t'>\n</testsuite>")
    assert.deepStrictEqual([error.reason, error.line], ["malformed", 4])
    assert.match(error.message, /\(line 4, column 12\)$/)
    assert.match(saying("<testsuite><testcase name='t'>"), /^malformed: .*cut off: <testcase> is never closed/)
    assert.match(saying("<testsuite><testcase na"), /^malformed: .*cut off/)
    assert.match(saying("<testsuite/><testsuite/>"), /^malformed: .*several root elements/)
    assert.match(saying("<testsuite/>trailing"), /^malformed: .*text outside/)
    assert.match(saying(suite("<testcase name='a' name='b'/>")), /^malformed: .*duplicate attribute/)
    assert.match(saying(suite("&nbsp;")), /^malformed: .*entity that XML does not define/)
    assert.match(saying(suite("&constructor;")), /^malformed: .*entity that XML does not define/)
  })

  it("control characters and half characters are refused, written out or as references", () => {
    assert.match(saying(suite("<testcase name='\u0000'/>")), /^malformed: .*control character/)
    assert.match(
      saying(suite("<testcase name='t'><failure>\u001b[31m</failure></testcase>")),
      /^malformed: .*control character/
    )
    assert.match(saying(suite("<testcase name='&#0;'/>")), /^malformed: .*reference to a control character/)
    assert.match(saying(suite("<testcase name='&#x1B;'/>")), /^malformed: .*reference to a control character/)
    assert.match(saying(suite("<testcase name='&#xD800;'/>")), /^malformed: .*reference to a control character/)
    assert.match(saying(suite("<testcase name='\ud800'/>")), /^malformed: .*half of a surrogate pair/)
    assert.match(saying(`${suite("<testcase name='t'/>")}\ud83d`), /^malformed: .*half of a surrogate pair/)
  })

  it("declared entities are refused, a DOCTYPE that declares none is harmless", () => {
    const bomb = `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>${suite("<testcase name='&b;'/>")}`
    assert.match(saying(bomb), /^unsupported: .*declares its own entities/)
    assert.match(
      saying(`<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>${suite("&a;")}`),
      /^unsupported: .*never resolved/
    )
    assert.deepStrictEqual(names(`<!DOCTYPE testsuite SYSTEM "junit[1].dtd">${suite("<testcase name='t'/>")}`), ["t"])
  })

  it("the limits hold", () => {
    const cases = "<testcase name='t'/>".repeat(3)
    assert.strictEqual(parse(suite(cases), { cases: 3 }).listed, 3)
    assert.match(refusal(suite(cases), { cases: 2 }).message, /more than 2 test cases/)
    assert.match(refusal("<testsuite>".repeat(101)).message, /nested more than 100 deep/)
    assert.match(refusal(suite("<a/>".repeat(10)), { elements: 10 }).message, /more than 10 elements/)
    assert.match(
      refusal(suite(`<testcase name="${"n".repeat(300_000)}"/>`), { tagLength: 200_000 }).message,
      /A tag is longer/
    )
    assert.match(refusal(`<${"n".repeat(200_000)}`).message, /A name is longer/)
    assert.match(refusal(`<!DOCTYPE x "${"n".repeat(200_000)}">`).message, /outside of the root/)
  })

  it("a name of a million characters is refused, one of 10,001 is cut and still its own", () => {
    const error = refusal(suite(`<testcase name="${"n".repeat(1_000_000)}"/>`))
    assert.strictEqual(error.reason, "malformed")
    assert.match(error.message, /A test name is 1000000 characters long \("n{99}…"\)/)
    const long = "😀".repeat(10_000)
    const { cases, warnings } = parse(suite(["", "a", "b"].map((end) => `<testcase name="${long}${end}"/>`).join("")))
    assert.deepStrictEqual(
      cases.map((each) => [...each.testName].length),
      [10_000, 10_000, 10_000]
    )
    assert.strictEqual(cases[0]?.testName, long)
    assert.strictEqual(new Set(cases.map((each) => each.testName)).size, 3)
    assert.match(warnings.join(), /^2 test names are longer than 10000 characters and were cut/)
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

  it("cases without a name are left out and counted", () => {
    const { cases, listed, skippedCount, warnings } = parse(
      suite(`<testcase/><testcase name=" "/><testcase name="t"/>`)
    )
    assert.deepStrictEqual([cases.length, listed, skippedCount], [1, 3, 2])
    assert.deepStrictEqual(warnings, ["2 test cases without a name were left out."])
  })

  it("a report without cases is taken, with a warning", () => {
    assert.deepStrictEqual(parse("<testsuites/>").warnings, ["The report lists no test cases."])
  })

  it("only so many warnings are kept", () => {
    const many = `<testsuites>${suite("", ` tests="1"`).repeat(60)}</testsuites>`
    const { warnings } = parse(many)
    assert.strictEqual(warnings.length, Limits.standard.warnings + 1)
    assert.match(warnings.at(-1) ?? "", /^11 more warnings/)
  })
})
