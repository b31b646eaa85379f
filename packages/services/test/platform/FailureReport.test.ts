import { assert, describe, it } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { FailureGate, FailurePolicy, FailureSummary, FailureVerdict, Redaction, TestId } from "@lazaret/domain"
import { failureFacts, newFailure as blocking } from "@lazaret/domain/testing"
import * as Arbitrary from "effect/Arbitrary"
import { Effect } from "effect"
import * as fc from "fast-check"
import { commit } from "../builders.ts"
import * as FailureReport from "../../src/platform/FailureReport.ts"
import * as Markdown from "../../src/answer/Markdown.ts"

const setting: FailureReport.Setting = {
  ref: { owner: "acme", repository: "widgets" },
  publicUrl: "https://lazaret.test",
  redact: Redaction.redact
}

const verdict = (parts: Partial<FailureVerdict.FailureVerdict> = {}) =>
  blocking("Cart > sorts", {
    message: "expected 1 to be 2\n  at src/cart.test.ts:12:5",
    exceptionType: "AssertionError",
    file: "src/cart.test.ts",
    jobUrl: "https://ci.test/1",
    line: "Cart > sorts: new failure",
    ...parts
  })

const judged = (
  failures: ReadonlyArray<FailureVerdict.FailureVerdict>,
  complete = true
): FailureReport.CommitFailures => ({
  commit,
  failures,
  total: failures.length,
  summary: FailureSummary.of(failures, complete)
})

/** The rows of the table, which is the first paragraph of a check. */
const rows = (markdown: string) =>
  (markdown.split("\n\n")[0] ?? "")
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .slice(2)

/** Names as somebody could choose them to break out of a table, to load an image, or to notify others. */
const hostile = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc
    .array(
      fc.constantFrom(
        "@everyone",
        "#12",
        "|",
        "`",
        "``",
        "\n",
        "\r\n| a | b |",
        "</details>",
        "<!-- ",
        "-->",
        "![x](//e.test/x.png)",
        "<img src=x>",
        "[a](b)",
        "\\",
        "\u202e",
        "acme/widgets#3",
        "a"
      ),
      { minLength: 1, maxLength: 6 }
    )
    .map((parts) => parts.join(""))
)

const hostileVerdicts = fc.array(
  fc
    .record({
      testName: hostile,
      jobName: hostile,
      reason: hostile,
      gateReason: hostile,
      message: fc.option(hostile),
      exceptionType: fc.option(hostile),
      file: fc.option(hostile),
      jobUrl: fc.option(hostile),
      isBlocking: fc.boolean(),
      verdict: fc.constantFrom(...FailureVerdict.Verdict.literals)
    })
    .map(verdict),
  { maxLength: 8 }
)

describe("the check of a commit", () => {
  it("the check of a commit is one sentence when nothing failed", () => {
    const report = FailureReport.check(judged([]), setting)
    assert.deepStrictEqual(
      [report.conclusion, report.title, report.summary, report.annotations, report.actions],
      ["success", "No test failed.", "No test failed.", [], []]
    )
  })

  it("the check of a commit has a row for each failure, those of the change first, with links", () => {
    const flaky = verdict({ verdict: "flaky", testName: "A flake", isBlocking: false, probabilityFlaky: 0.97 })
    const { conclusion, summary, title } = FailureReport.check(judged([flaky, verdict()]), setting)
    assert.strictEqual(conclusion, "failure")
    assert.strictEqual(title, "2 failures: 1 probably caused by this change, 1 flaky; 1 blocks.")
    const [first = "", second = ""] = rows(summary)
    assert.include(first, `[\`Cart > sorts\`](https://lazaret.test/acme/widgets/tests/${TestId.of("Cart > sorts")})`)
    assert.include(first, "[`unit`](https://ci.test/1)")
    assert.include(second, "`A flake`")
  })

  it("links to the page of the commit, and so does the comment; without a public address there is no link", () => {
    const page = `https://lazaret.test/acme/widgets/commits/${commit}`
    assert.strictEqual(FailureReport.check(judged([]), setting).url, page)
    assert.include(FailureReport.comment(judged([]), setting), `Commit [\`0123456789ab\`](${page}).`)
    const hidden = { ...setting, publicUrl: null }
    assert.isNull(FailureReport.check(judged([]), hidden).url)
    assert.include(FailureReport.comment(judged([verdict()]), hidden), "Commit `0123456789ab`.")
  })

  it("the check of a commit names the owners of files in a column that notifies nobody, when there are any", () => {
    const owned = {
      ...judged([verdict(), verdict({ testName: "b", file: null }), verdict({ testName: "c", file: "c.ts" })]),
      owners: new Map([
        ["src/cart.test.ts", ["@acme/web", "a@b.c"]],
        [null, ["no-file"]],
        ["c.ts", ["no-owner"]]
      ])
    }
    const { summary } = FailureReport.check(owned, setting)
    assert.include(summary, "| Verdict | Test | Owner | Job | Why |")
    assert.include(rows(summary)[0] ?? "", "| `@acme/web` `a@b.c` |")
    assert.include(rows(summary)[1] ?? "", "| no file |")
    assert.include(rows(summary)[2] ?? "", "| no owner |")
    assert.notInclude(FailureReport.check(judged([verdict()]), setting).summary, "Owner")
  })

  it("the check of a commit annotates the line that the message names, in the repository only", () => {
    const places = [
      verdict(),
      verdict({ testName: "b", file: "/__w/widgets/widgets/src/b.test.ts", message: null }),
      verdict({ testName: "c", file: "/usr/lib/c.py" }),
      verdict({ testName: "d", file: "../d.ts" }),
      verdict({ testName: "e", file: "src\\e.test.ts", message: "at e.test.ts:7", isBlocking: false }),
      verdict({ testName: "f", file: null })
    ]
    const { annotations } = FailureReport.check(judged(places), setting)
    assert.deepStrictEqual(
      annotations.map(({ level, line, path }) => [path, line, level]),
      [
        ["src/cart.test.ts", 12, "failure"],
        ["src/b.test.ts", 1, "failure"],
        ["src/e.test.ts", 7, "warning"]
      ]
    )
  })

  it("the check of a commit has no conclusion while jobs are running, unless a failure blocks already", () => {
    assert.isNull(FailureReport.check(judged([], false), setting).conclusion)
    assert.isNull(FailureReport.check(judged([verdict({ isBlocking: false })], false), setting).conclusion)
    assert.strictEqual(FailureReport.check(judged([verdict()], false), setting).conclusion, "failure")
  })

  it("the check of a commit has buttons that GitHub can show", () => {
    for (const { description, id, label } of Object.values(FailureReport.actions)) {
      assert.isTrue(id.length <= 20 && label.length <= 20 && description.length <= 40)
    }
  })

  it("the check of a commit stays below the limits of the platforms, and says how many failures it leaves out", () => {
    const name = "x".repeat(3000)
    const many = Array.from({ length: 3000 }, (_, index) =>
      verdict({ testName: `${index} ${name}`, message: name, reason: name, jobName: name })
    )
    const { summary } = FailureReport.check(judged(many), setting)
    assert.isBelow(summary.length, 65_000)
    assert.include(summary, `${3000 - rows(summary).length} more failures are not listed.`)
    assert.isBelow(FailureReport.comment(judged(many), setting).length, 65_000)
  })

  test("the check of a commit has each failure once, in one order whatever theirs", function* () {
    const facts = Arbitrary.array(failureFacts, { maxLength: 8 })
    const checked = yield* Arbitrary.checkEffect(facts, (list) => {
      const failures = list.map((each) => FailureVerdict.judge(each, FailurePolicy.defaults, FailureGate.defaults))
      const report = FailureReport.check(judged(failures), setting)
      assert.strictEqual(rows(report.summary).length, failures.length)
      assert.deepStrictEqual(FailureReport.check(judged(failures.toReversed()), setting).title, report.title)
      return Effect.succeed(true)
    })
    assert.strictEqual(checked._tag, "Passed")
  })

  it("the check of a commit shows hostile names as they are: rows, cells and lines stay, and nobody is notified", () => {
    fc.assert(
      fc.property(hostileVerdicts, (failures) => {
        const { summary } = FailureReport.check(judged(failures), setting)
        const found = failures.length === 0 ? [] : rows(summary)
        assert.strictEqual(found.length, failures.length)
        for (const row of found) {
          assert.strictEqual(row.match(/(?<!\\)\|/gu)?.length, 5, row)
          const outside = row.replaceAll(/(`+).*?[^`]\1(?!`)/gu, "")
          assert.notMatch(outside, /@[a-z]|#\d|<|!\[|javascript:/iu)
        }
      }),
      { numRuns: 300 }
    )
  })

  it("the check of a commit shows no secret, wherever it was", () => {
    const secret = "ghp_zyxwvutsrqponmlkjihgZYXWVUTSRQPO9876"
    const fields = [
      "testName",
      "jobName",
      "reason",
      "gateReason",
      "message",
      "exceptionType",
      "file",
      "jobUrl"
    ] as const
    fc.assert(
      fc.property(fc.constantFrom(...fields), fc.string({ maxLength: 200 }), (field, before) => {
        const failures = judged([verdict({ [field]: `${before} ${secret}` })])
        assert.notInclude(JSON.stringify(FailureReport.check(failures, setting)), secret.slice(4, 20))
        assert.notInclude(FailureReport.comment(failures, setting), secret.slice(4, 20))
      })
    )
  })
})

describe("the comment on a pull request", () => {
  it("the comment on a pull request begins with the marker, and names the commit", () => {
    const text = FailureReport.comment(judged([verdict()]), setting)
    assert.isTrue(text.startsWith(`${FailureReport.marker}\n`))
    assert.include(text, "`0123456789ab`")
  })

  it("the comment on a pull request has no line that a platform takes for a command, whatever a message holds", () => {
    const message = fc.array(fc.constantFrom("/merge", "  /close", "```", "````", "text", "~~~", "\u2028/x"), {
      maxLength: 8
    })
    fc.assert(
      fc.property(message, (lines) => {
        const body = FailureReport.comment(judged([verdict({ message: lines.join("\n") })]), setting)
        assert.notMatch(body, /^\s*\//m)
      }),
      { numRuns: 200 }
    )
  })

  it("the comment on a pull request cannot hold a second marker, or end a block early", () => {
    fc.assert(
      fc.property(hostileVerdicts, (failures) => {
        const text = FailureReport.comment(judged(failures), setting)
        const outside = text.replaceAll(/^(`{3,})text\n[^]*?\n\1$/gmu, "").replaceAll(/(`+).*?[^`]\1(?!`)/gu, "")
        assert.strictEqual(outside.split("<!--").length, 2)
        assert.strictEqual(outside.split("</details>").length, outside.split("<details>").length)
      }),
      { numRuns: 300 }
    )
  })
})

describe("text of others in Markdown", () => {
  it("text from reports is one line of inline code in Markdown, whatever it contains", () => {
    assert.strictEqual(Markdown.code("a `b` | c\nd"), "``a `b` \\| c d``")
    assert.strictEqual(Markdown.code("`"), "`` ` ``")
    assert.strictEqual(Markdown.code(""), "` `")
  })

  it("text of others in Markdown is prose without Markdown, HTML or mentions", () => {
    assert.strictEqual(Markdown.prose("a *b* <i> @ada"), "a \\*b\\* &lt;i\\> @\u200bada")
  })

  it("text of others in Markdown is a link only to a web page", () => {
    assert.strictEqual(Markdown.link("a", "javascript:alert(1)"), "a")
    assert.strictEqual(Markdown.link("a", "https://e.test/x)y"), "a")
    assert.strictEqual(Markdown.link("a", "https://e.test/x"), "[a](https://e.test/x)")
  })

  it("a line on tests that ran again and again follows the verdicts, and decides nothing", () => {
    const stressed = "3 new tests, 29 clean runs each."
    for (const failures of [[], [verdict()]]) {
      const plain = FailureReport.check(judged(failures), setting)
      const lined = FailureReport.check({ ...judged(failures), stressed }, setting)
      assert.deepStrictEqual(lined, { ...plain, summary: `${plain.summary}\n\n${stressed}` })
      assert.include(FailureReport.comment({ ...judged(failures), stressed }, setting), `\n\n${stressed}\n\n`)
    }
  })
})
