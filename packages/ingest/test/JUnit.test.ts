import { JUnit, Limits, type ParseError, type Parsed } from "@lazaret/ingest"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

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

/** The bytes of the objects in use: garbage is collected first. */
const bytesInUse = (): number => {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
  return process.memoryUsage().heapUsed
}

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

const share = Schema.Number.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

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
    const before = bytesInUse()
    for (let i = 0; i < 1000; i++) reader.write(line)
    const growth = bytesInUse() - before
    reader.write(utf8("]]></system-out></testsuite>"))
    assert.strictEqual(Result.getOrThrow(reader.end()).cases.length, 1)
    assert.isBelow(growth, 8 * 1_048_576)
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

  it("bytes that are invalid in the encoding are replaced, with a warning, and nothing else is lost", () => {
    const latin = Buffer.from(
      `<?xml version="1.0" encoding="UTF-8"?>\n${suite(`\n<testcase name="z\xe4hl"/><testcase name="b"/>`)}`,
      "latin1"
    )
    const { cases, warnings } = parse(latin)
    assert.deepStrictEqual(
      cases.map(({ testName }) => testName),
      ["s.z\ufffdhl", "s.b"]
    )
    assert.deepStrictEqual(warnings, [
      "The report holds bytes that are not valid utf-8: each is replaced by U+FFFD, the first in line 3."
    ])
  })

  it.prop(
    "a U+FFFD in the file does not count as an invalid byte, wherever the file is cut",
    [Schema.Array(share)],
    ([cuts]) => {
      const whole = utf8(suite(`<testcase name="a\ufffdb"/><testcase name="\ufffd\ufffd"/>`))
      const edges = cuts.map((cut) => Math.floor(cut * whole.length)).sort((a, b) => a - b)
      const reader = JUnit.make()
      for (const [i, end] of [...edges, whole.length].entries()) reader.write(whole.slice(edges[i - 1] ?? 0, end))
      assert.deepStrictEqual(Result.getOrThrow(reader.end()).warnings, [])
    }
  )

  it("an encoding that is unknown is refused", () => {
    assert.match(refusal(utf8(xml("klingon"))).message, /"klingon", which is unknown/)
  })
})

describe("JUnit, refusals", () => {
  const saying = (input: string | Uint8Array) => {
    const { message, reason } = refusal(input)
    return `${reason}: ${message}`
  }

  it("a file that is not JUnit XML is refused with the reason", () => {
    assert.match(saying(""), /^malformed: .*is empty/)
    assert.match(saying(" \n "), /^malformed: .*is empty/)
    assert.match(saying(new Uint8Array(0)), /^malformed: .*is empty/)
    assert.match(saying(`{"results":{}}`), /^unsupported: .*like JSON/)
    assert.match(saying("ok 1 - adds"), /^unsupported: .*not an XML file/)
    assert.match(saying(Uint8Array.of(0x1f, 0x8b, 8, 0)), /^unsupported: .*gzip archive/)
    assert.match(saying("PK\u0003\u0004"), /^unsupported: .*not an XML file/)
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

  it.prop(
    "a character that XML forbids is replaced, written out or as a reference, with a warning, and nothing else is lost",
    [
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0x1f })),
      Schema.Literals(["raw", "decimal", "hexadecimal"]),
      Schema.Literals(["name", "message", "text", "cdata"])
    ],
    ([code, form, where]) => {
      if ([0x9, 0xa, 0xd].includes(code) || (where === "cdata" && form !== "raw")) return
      const character = {
        raw: String.fromCharCode(code),
        decimal: `&#${code};`,
        hexadecimal: `&#x0${code.toString(16)};`
      }[form]
      const at = (place: string) => (where === place ? `a${character}b` : "ab")
      const failure = `<failure message="${at("message")}">${at("text")}<![CDATA[${at("cdata")}]]></failure>`
      const { cases, warnings } = parse(
        suite(`\n<testcase classname="c" name="${at("name")}">${failure}</testcase><testcase name="u"/>`)
      )
      const [first, second] = cases
      const mended = (place: string) => (where === place ? "a\ufffdb" : "ab")
      assert.strictEqual(first?.testName, `c.${mended("name")}`)
      assert.strictEqual(first?.exception?.message, mended("message"))
      assert.strictEqual(first?.exception?.stacktrace, mended("text") + mended("cdata"))
      assert.strictEqual(second?.testName, "s.u")
      assert.deepStrictEqual(warnings, [
        "The report holds characters that XML forbids: each is replaced by U+FFFD, the first in line 2."
      ])
    }
  )

  it("other references that XML forbids, and halves of surrogate pairs, are replaced", () => {
    for (const given of ["&#xD800;", "&#xFFFE;", "&#1114112;", "\ufffe", "\ud800"]) {
      const { cases, warnings } = parse(suite(`<testcase classname="c" name="a${given}b"/>`))
      assert.deepStrictEqual([cases[0]?.testName, warnings.length], ["c.a\ufffdb", 1], given)
    }
  })

  it("control characters around the root element are padding", () => {
    assert.deepStrictEqual(names(`\0${suite("<testcase classname='c' name='t'/>")}\n\0\0\u001a`), ["c.t"])
  })

  it("what a home-made writer did not escape is named at its line and column", () => {
    const placed = (content: string) => {
      const { column, line, message } = refusal(`<testsuite>\n${content}\n</testsuite>`)
      return [message.replace(/ \(.*/, ""), line, column]
    }
    const ampersand = "The report holds an `&` that is not escaped: the reporter must write it as `&amp;`."
    assert.deepStrictEqual(placed(`<testcase name="a & b"/>`), [ampersand, 2, 19])
    assert.deepStrictEqual(placed(`<testcase name="x"><failure>?a=1&b=2</failure></testcase>`), [ampersand, 2, 33])
    assert.deepStrictEqual(placed(`<testcase name="ä & b &amp; c"/>`), [ampersand, 2, 19])
    assert.deepStrictEqual(placed(`<testcase name="a &\n\n b;"/>`), [ampersand, 2, 19])
    assert.deepStrictEqual(placed(`<testcase name="a & ${"b".repeat(200_000)}"/>`), [ampersand, 2, 19])
    const less = "An attribute holds a `<` that is not escaped: the reporter must write it as `&lt;`."
    assert.deepStrictEqual(placed(`<testcase name="a < b"/>`), [less, 2, 19])
    const number = "The report holds a character reference without a valid number."
    assert.deepStrictEqual(placed(`<testcase name="a &#xZ; b"/>`), [number, 2, 19])
  })

  it("text after the root element is named where it begins, with columns from 1", () => {
    const error = refusal("<testsuite/>\n\nDone.\nBye.")
    assert.deepStrictEqual([error.line, error.column], [3, 1])
    assert.deepStrictEqual([refusal("<testsuite/>x").line, refusal("<testsuite/>x").column], [1, 13])
  })

  it.prop(
    "the place of a fault does not depend on the line breaks before it, nor on where the file is cut",
    [Schema.Array(Schema.Literals(["\n", "\r\n", "\r", "\u{1f600}", "a", "&amp;"])), share],
    ([before, cut]) => {
      const whole = `<testsuite>${before.join("")}<testcase name="a & b"/></testsuite>`
      const end = Math.floor(cut * whole.length)
      const reader = JUnit.make()
      reader.write(whole.slice(0, end))
      reader.write(whole.slice(end))
      const lines = whole.slice(0, whole.indexOf("a & b") + 2).split(/\r\n|\r|\n/)
      const { column, line } = Result.getOrThrow(Result.flip(reader.end()))
      assert.deepStrictEqual([line, column], [lines.length, [...(lines.at(-1) ?? "")].length + 1])
    }
  )

  it("declared entities are refused, a DOCTYPE that declares none is harmless", () => {
    const bomb = `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>${suite("<testcase name='&b;'/>")}`
    assert.match(saying(bomb), /^unsupported: .*declares its own entities/)
    assert.match(
      saying(`<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>${suite("&a;")}`),
      /^unsupported: .*never resolved/
    )
    const elements = "<!DOCTYPE testsuite [<!ELEMENT testsuite (testcase*)><!ATTLIST testcase name CDATA #IMPLIED>]>"
    for (const doctype of [`<!DOCTYPE testsuite SYSTEM "junit[1].dtd">`, elements]) {
      assert.deepStrictEqual(names(`${doctype}${suite("<testcase classname='c' name='t'/>")}`), ["c.t"])
    }
  })

  it("a JUnit report over a limit is refused", () => {
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
    const error = refusal(`<testsuite><testcase name="${"n".repeat(1_000_000)}"/></testsuite>`)
    assert.strictEqual(error.reason, "malformed")
    assert.match(error.message, /A test name is 1000000 characters long \("n{99}…"\)/)
    const long = "😀".repeat(10_000)
    const { cases, warnings } = parse(
      suite(["", "a", "b"].map((end) => `<testcase name="${long}${end}"/>`).join("")).replace(' name="s"', "")
    )
    assert.deepStrictEqual(
      cases.map((each) => [...each.testName].length),
      [10_000, 10_000, 10_000]
    )
    assert.strictEqual(cases[0]?.testName, long)
    assert.strictEqual(new Set(cases.map((each) => each.testName)).size, 3)
    assert.match(warnings.join(), /^2 test names of more than 10000 characters cut/)
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
