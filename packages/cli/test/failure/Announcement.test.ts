import { assert, describe, it } from "@effect/vitest"
import { JUnit } from "@lazaret/ingest"
import { Result, Schema } from "effect"
import * as Annotations from "../../src/failure/Annotations.ts"
import * as JobSummary from "../../src/failure/JobSummary.ts"
import * as ShownFailure from "../../src/failure/ShownFailure.ts"

const url = "https://lazaret.example.com/acme/widgets"

const failure = (more: Partial<ShownFailure.ShownFailure> = {}): ShownFailure.ShownFailure => ({
  testName: "cart > pays",
  sentence: "not quarantined",
  isBlocking: true,
  message: "expected 1, got 2",
  file: "test/cart.test.ts",
  line: 12,
  url: `${url}/tests/1`,
  ...more
})

/** Texts as reports hold them, with what CI systems and Markdown act on. */
const hostile = Schema.Array(
  Schema.Union([
    Schema.String,
    Schema.Literals([
      "::error::x",
      "\n::set-output name=a::b",
      "##[command]x",
      "%0A",
      "|",
      "</td>",
      "@ada",
      "\r\n",
      "`",
      "]("
    ])
  ])
)

/** A command as the runner of GitHub Actions decodes it: properties and text. */
const decoded = (line: string) => {
  const [, level, properties = "", text = ""] = /^::(\w+) (.*?)::(.*)$/s.exec(line) ?? []
  const plain = (each: string) => each.replaceAll("%0D", "\r").replaceAll("%0A", "\n")
  const fields = properties.split(",").map((each) => {
    const [name = "", encoded = ""] = each.split("=", 2)
    return [name, plain(encoded.replaceAll("%3A", ":").replaceAll("%2C", ",")).replaceAll("%25", "%")]
  })
  return { level, text: plain(text).replaceAll("%25", "%"), ...Object.fromEntries(fields) }
}

describe("annotations of GitHub Actions", () => {
  it("an error names file, line and test of a failure that blocks, a notice those of another", () => {
    const lines = Annotations.ofGitHub(
      [
        failure({ testName: "pays: twice, 100 %" }),
        failure({ isBlocking: false, sentence: "quarantined", line: null })
      ],
      (file) => `packages/shop/${file}`
    )
    assert.deepStrictEqual(lines.map(decoded), [
      {
        level: "error",
        file: "packages/shop/test/cart.test.ts",
        line: "12",
        title: "pays: twice, 100 %",
        text: `pays: twice, 100 %: not quarantined\nexpected 1, got 2\n${url}/tests/1`
      },
      {
        level: "notice",
        file: "packages/shop/test/cart.test.ts",
        title: "cart > pays",
        text: `cart > pays: quarantined\nexpected 1, got 2\n${url}/tests/1`
      }
    ])
  })

  it("annotations are at most ten of each level, and none has a place that does not exist", () => {
    const many = Array.from({ length: 30 }, (_, index) => failure({ isBlocking: index % 2 === 0 }))
    const lines = Annotations.ofGitHub(many, () => null)
    assert.lengthOf(lines, 20)
    for (const line of lines) assert.notInclude(line, "file=")
  })

  it.prop("every command is one line that begins it, whatever a report holds", [hostile, hostile], ([names, texts]) => {
    const [testName, message] = [names.join(""), texts.join("")]
    const [line = ""] = Annotations.ofGitHub([failure({ testName, message })], (file) => file)
    assert.match(line, /^::error file=test\/cart\.test\.ts,line=12,title=[^:,\r\n]*::[^\r\n]*$/)
    assert.notMatch(line, /##\w*\[/)
  })
})

describe("the summary of a job", () => {
  it("the summary has no more bytes than there is room for, and counts what it leaves out", () => {
    const failures = Array.from({ length: 300 }, () =>
      failure({ testName: "試".repeat(400), message: "🎉".repeat(300) })
    )
    for (const room of [JobSummary.mostBytes, 50_000, 0]) {
      const summary = JobSummary.of(failures, url, room)
      const rows = summary.split("\n").filter((line) => line.startsWith("| ❌")).length
      assert.isAtMost(Buffer.byteLength(summary), Math.max(room, 2000))
      assert.include(summary, `and ${300 - rows} more.`)
    }
  })

  it("the summary of a job has a sentence and a row for each failure", () => {
    const text = JobSummary.of([failure(), failure({ isBlocking: false, sentence: "quarantined" })], url)
    assert.match(text, /^### Lazaret: 2 failures; 1 of them blocks\.\n/)
    assert.lengthOf(text.match(/^\| [❌⚪] \|/gmu) ?? [], 2)
    assert.include(text, `(${url}/tests/1)`)
    assert.include(JobSummary.of([], url), "No test failed.")
    assert.include(JobSummary.of([failure()], url), "1 failure; it blocks.")
  })

  it.prop("no text of a report is Markdown, HTML or a mention", [hostile, hostile], ([names, texts]) => {
    const row =
      JobSummary.of([failure({ testName: names.join(""), message: texts.join("") })], url).split("\n")[4] ?? ""
    const [, , name = "", , message = ""] = row.split("|")
    const own = name.replace(`](${url}/tests/1)`, "").replace("[", "")
    assert.match(own + message, /^(?:&#\d+;|[^!-/:-@[-`{-~\n])*$/)
  })
})

describe("what is shown of a failure", () => {
  it("every failed case counts by itself, those that block come first, with the line that the stack names", () => {
    const xml = `<testsuite name="s"><testcase classname="s" name="a" file="test/a.test.ts"><failure message="no">Error: no
    at other (/x/other-test/a.test.ts:1:1)
    at run (/home/x/test/a.test.ts:31:5)</failure></testcase>
    <testcase classname="s" name="b"><failure/></testcase><testcase classname="s" name="c"/></testsuite>`
    const report = Result.getOrThrow(JUnit.parse(xml))
    const shown = ShownFailure.of([report], (name) => ({ sentence: name, isBlocking: name.endsWith("b"), url }))
    assert.deepStrictEqual(
      shown.map(({ isBlocking, line, sentence }) => [sentence, isBlocking, line]),
      [
        ["s.b", true, null],
        ["test/a.test.ts › s a", false, 31]
      ]
    )
  })
})
