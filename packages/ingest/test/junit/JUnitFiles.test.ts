import { JUnit } from "@lazaret/ingest"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { names, parse, refusal, suite, utf8 } from "../junitText.ts"

/** The bytes of the objects in use: garbage is collected first. */
const bytesInUse = (): number => {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
  return process.memoryUsage().heapUsed
}

const utf16 = (text: string, isLittle: boolean) =>
  Uint8Array.from(
    [...text]
      .flatMap((_, i) => [text.charCodeAt(i) & 0xff, text.charCodeAt(i) >> 8])
      .map((_, i, all) => (isLittle ? (all[i] ?? 0) : (all[i ^ 1] ?? 0)))
  )

const share = Schema.Number.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

describe("JUnit, pieces", () => {
  it("a long tag may come byte by byte", () => {
    const reader = JUnit.make()
    for (const character of `<testsuite><testcase name="${"a".repeat(1000)}"/></testsuite>`) reader.write(character)
    assert.strictEqual(Result.getOrThrow(reader.end()).cases.length, 1)
  })

  const paths = readdirSync(new URL("../fixtures", import.meta.url), { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".xml")
  )
  const path = Schema.Literals(paths)
  const fileAt = (each: string) => readFileSync(new URL(`../fixtures/${each}`, import.meta.url))

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

  it("the error of malformed or truncated XML names the place", () => {
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

  it("an unescaped character is reported with its line and column", () => {
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
