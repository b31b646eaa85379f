import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { ConfigProvider, Effect } from "effect"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as CiOutput from "../src/triage/CiOutput.ts"
import * as Verdicts from "../src/triage/Verdicts.ts"

const place = { url: "http://lazaret.test/", owner: "acme", repository: "widgets" }

const failure = (change: Partial<Verdicts.Failure> = {}): Verdicts.Failure => ({
  test_id: "0e4fc8a5-37ff-5a0b-9c6d-1f2f4f3a9a55",
  test_name: "Cart > sorts",
  pipeline_name: "CI",
  job_name: "unit",
  verdict: "flaky",
  probability_flaky: 0.96,
  score: 5,
  reason: "passed on this commit in job unit",
  evidence: [],
  quarantined: false,
  is_blocking: true,
  gate_reason: "the gate does not let flaky pass",
  message: "boom",
  exception_type: null,
  file: "test/cart.ts",
  job_url: "https://ci.example/7",
  line: "Cart > sorts: flaky (96 %): passed on this commit in job unit",
  ...change
})

const summary: Verdicts.Summary = {
  conclusion: "failure",
  complete: true,
  sentence: "1 failure: 1 flaky; it blocks.",
  blocking: 1,
  counts: { flaky: 1, broken_on_base: 0, outage: 0, new_failure: 0, new_test: 0, undecided: 0 }
}

const terminal = { columns: null, hasColours: false }

/** Text that tries to be markup, a command, or a line of its own. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "::error::",
        "\n",
        "\r",
        "|",
        "](javascript:1)",
        "<img src=x>",
        "`",
        "@all",
        "%0A",
        "\u2028",
        "\u0085"
      ),
      fc.string({ maxLength: 5 })
    ),
    { maxLength: 8 }
  )
  .map((parts) => parts.join(""))

describe("Verdicts", () => {
  it("has one line for each failure with a link, and says why a failure passes", () => {
    const passing = failure({ is_blocking: false, gate_reason: "the test is quarantined" })
    const link = "http://lazaret.test/acme/widgets/tests/0e4fc8a5-37ff-5a0b-9c6d-1f2f4f3a9a55"
    assert.strictEqual(
      Verdicts.lines(terminal, place, { failures: [failure(), passing], summary }),
      [
        `✗ Cart > sorts: flaky (96 %): passed on this commit in job unit · ${link}`,
        `○ Cart > sorts: flaky (96 %): passed on this commit in job unit (passes: the test is quarantined) · ${link}`,
        "1 failure: 1 flaky; it blocks."
      ].join("\n")
    )
  })

  it("exits with 10 only when a failure blocks", () => {
    const codes = (["success", "neutral", "failure"] as const).map((conclusion) => Verdicts.exitCodeOf({ conclusion }))
    assert.deepStrictEqual(codes, [0, 0, 10])
  })

  it("whatever a report says is one line, one cell, and no command", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const bad = failure({ test_name: text, line: text, reason: text, message: text, file: text, gate_reason: text })
        assert.strictEqual(Verdicts.lines(terminal, place, { failures: [bad], summary }).split("\n").length, 2)
        const [row = ""] = Verdicts.markdown(place, [bad], summary).split("\n").slice(4)
        assert.match(row, /^\| flaky \| .* \| .* \| .* \|$/u)
        assert.notMatch(row.replaceAll(/\\./gu, ""), /[<`\r\n\u2028\u0085]|@(?!\u200B)/u)
        for (const line of Verdicts.annotations([bad])) {
          assert.match(line, /^::error file=[^\n\r:,]*,title=[^\n\r:,]*::[^\n\r]*$/u)
          assert.notMatch(line, /[\u2028\u2029\u0085\v\f]/u)
        }
      })
    )
  })

  it("cuts what GitHub would refuse", () => {
    const many = Array.from({ length: 200 }, () => failure({ reason: "x".repeat(100_000) }))
    const text = Verdicts.markdown(place, many, summary)
    assert.isBelow(text.length, 200_000)
    assert.include(text, "100 more failures are not shown")
    assert.strictEqual(Verdicts.annotations(many).length, 10)
  })
})

const written = (variables: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const printed: Array<string> = []
    yield* CiOutput.write({ failures: [failure()], summary, place }, { write: (text) => printed.push(text) })
    return printed.join("")
  }).pipe(
    Effect.provide(NodeServices.layer),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(variables))
  )

describe("CiOutput", () => {
  it.effect("writes the job summary and annotations of GitHub Actions", () =>
    Effect.gen(function* () {
      const file = join(mkdtempSync(join(tmpdir(), "lazaret-")), "summary.md")
      const printed = yield* written({ GITHUB_STEP_SUMMARY: file })
      assert.strictEqual(
        printed,
        "::error file=test/cart.ts,title=Cart > sorts%3A flaky::passed on this commit in job unit%0Aboom\n"
      )
      assert.include(readFileSync(file, "utf8"), "### 1 failure: 1 flaky; it blocks.")
    })
  )

  it.effect("folds the lines in the log of GitLab CI, and writes a code quality report", () =>
    Effect.gen(function* () {
      const file = join(mkdtempSync(join(tmpdir(), "lazaret-")), "quality.json")
      const printed = yield* written({ GITLAB_CI: "true", LAZARET_CODE_QUALITY: file })
      assert.match(printed, /section_start:\d+:lazaret_failures\r[^]*Cart > sorts[^]*section_end:\d+:lazaret_failures/u)
      const [entry] = JSON.parse(readFileSync(file, "utf8"))
      assert.deepStrictEqual([entry.severity, entry.location.path], ["major", "test/cart.ts"])
    })
  )

  it.effect("a file that cannot be written changes nothing else", () =>
    Effect.gen(function* () {
      assert.include(yield* written({ GITHUB_STEP_SUMMARY: "/nowhere/summary.md" }), "::error")
    })
  )
})
