import { assert, describe, it } from "@effect/vitest"
import { Failure, Redaction, TestId } from "@lazaret/domain"
import * as fc from "fast-check"
import * as IssueText from "../../src/platform/IssueText.ts"

const setting: IssueText.Setting = {
  ref: { owner: "acme", repository: "widgets" },
  publicUrl: "https://lazaret.test",
  redact: Redaction.redact
}

const shown = (parts: Partial<IssueText.ShownTest> = {}): IssueText.ShownTest => ({
  testId: TestId.of("cart"),
  testName: "cart",
  fact: { status: "flaky", since: Date.UTC(2026, 4, 20), commit: "c0ffee", failedCommits: 3, lastAt: 0 },
  status: "flaky",
  failed: 3,
  executions: 40,
  quarantine: null,
  owners: [],
  impact: "medium",
  failureId: null,
  lastFailure: null,
  group: [],
  cause: null,
  ...parts
})

const failure = (exceptionMessage: string): Failure.Failure => ({
  id: Failure.groupOf(TestId.of("cart"), { type: "Error", message: exceptionMessage, stacktrace: null }).id,
  exceptionType: "Error",
  exceptionMessage,
  failureCount: 3,
  firstFailureAt: 0,
  lastFailureAt: Date.UTC(2026, 4, 21)
})

/** Texts as somebody could choose them to notify others, to refer to issues, or to leave a block of code. */
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 8 }),
      fc.constantFrom(
        "@everyone",
        "fixes #12",
        "`",
        "```",
        "~~~",
        "\n",
        "\n```\n",
        "\r\n/close",
        "-->",
        "<!--",
        "](x)",
        "|"
      )
    ),
    { maxLength: 12 }
  )
  .map((parts) => parts.join(""))

/** The Markdown that is left without spans and blocks of code, by the rules of CommonMark. */
const withoutCode = (markdown: string): string => {
  const lines = markdown.split("\n")
  const kept: Array<string> = []
  let fence: string | null = null
  for (const line of lines) {
    const found: string | undefined = /^(`{3,})[^`]*$/u.exec(line)?.[1]
    if (fence !== null) {
      if (found !== undefined && found.length >= fence.length && line.trim() === found) fence = null
    } else if (found === undefined) kept.push(line)
    else fence = found
  }
  // A backslash before a span keeps it from beginning.
  return kept.join("\n").replaceAll(/(?<![`\\])(`+)(?!`)[^]*?(?<!`)\1(?!`)/gu, "")
}

describe("the text of an issue", () => {
  it("the issue of tests with one cause names the cause and the other tests", () => {
    const cause = { name: "TimeoutError in `connect`, 3 tests of net" }
    const { body } = IssueText.of(shown({ group: ["send", "receive"], cause }), setting)
    const line =
      "2 other tests have the same cause (``TimeoutError in `connect`, 3 tests of net``), and have no issue of their own:"
    assert.include(body, `${line}\n\n- \`send\`\n- \`receive\``)
  })

  it("the text of an issue says what the test does, whose it is, and where its page is", () => {
    const { body, title } = IssueText.of(
      shown({
        owners: ["@ada", "@acme/cart"],
        quarantine: "known",
        lastFailure: failure("boom"),
        group: ["other"]
      }),
      setting
    )
    assert.strictEqual(title, "Unhealthy test: cart")
    assert.strictEqual(
      body,
      [
        `<!-- lazaret:issue ${TestId.of("cart")} -->`,
        `[\`cart\`](https://lazaret.test/acme/widgets/tests/${TestId.of("cart")}) is **flaky** on the default branch since ` +
          "2026-05-20; it first failed on commit `c0ffee`. In the last 30 days 3 of 40 executions failed.",
        "- Impact: medium\n- In quarantine: known\n- Owned by `@ada`, @acme/cart",
        "The last failure, 2026-05-21:",
        "```text\nError: boom\n```",
        "1 other test began to fail with the same commit, and has no issue of its own:",
        "- `other`",
        "Lazaret updates this issue in place, and closes it when the test is healthy again. It reopens an issue that a person " +
          "has closed only after a failure on a newer commit."
      ].join("\n\n")
    )
    assert.strictEqual(IssueText.testIdIn(body), TestId.of("cart"))
  })

  it("text of a report in an issue stays in its code block, mentions nobody, and refers to no issue", () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, (testName, message, reason) => {
        const { body, title } = IssueText.of(
          shown({ testName, lastFailure: failure(message), quarantine: reason, group: [testName, message] }),
          setting
        )
        assert.notMatch(title, /[@#](?!\u200b)|[\r\n]/u)
        assert.isAtMost(title.length, 256)
        const rest = withoutCode(body)
        assert.notMatch(rest.slice(rest.indexOf("-->") + 3), /@(?!\u200b)\w|(?<!\\)#(?!\u200b)\d|<!--/u)
        assert.notMatch(body, /^\/\w/mu)
        assert.isTrue(body.endsWith("only after a failure on a newer commit."))
      }),
      { numRuns: 300 }
    )
  })

  it("secrets are removed from names and messages before they are cut", () => {
    const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
    const { body, title } = IssueText.of(
      shown({ testName: `a ${secret}`, lastFailure: failure(secret), group: [secret] }),
      setting
    )
    assert.notInclude(`${title}${body}`, "ghp_")
  })

  it("the issue of a deleted test and a second issue name no test", () => {
    assert.isNull(IssueText.testIdIn(IssueText.deleted.body))
    assert.isNull(IssueText.testIdIn(IssueText.duplicateOf("12")))
    assert.include(IssueText.duplicateOf("12"), "see #12")
  })

  it("people among the owners can be assigned, teams and addresses cannot", () => {
    assert.deepStrictEqual(IssueText.assigneesAmong(["@ada", "@acme/cart", "ben@example.com", "@-x"]), ["ada"])
  })
})
