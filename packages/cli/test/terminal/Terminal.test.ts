import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Table from "../../src/terminal/Table.ts"
import * as Terminal from "../../src/terminal/Terminal.ts"

/** How CI systems find commands in a line of output, by their sources. */
const executes: Readonly<Record<string, (line: string) => boolean>> = {
  "GitHub Actions": (line) => line.trimStart().startsWith("::") || line.includes("##["),
  "Azure Pipelines": (line) => line.includes("##vso["),
  TeamCity: (line) => line.includes("##teamcity[")
}

/** Text that someone wrote who knows these systems. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "::error file=x::",
        "##vso[task.setvariable]",
        "##teamcity[",
        "##[command]",
        "#",
        ":",
        "\n",
        "  "
      ),
      fc.constantFrom("\u001B[2J", "\r", "\u009B31m", "\u2028", "\u202E", "\t", "\u0000"),
      fc.string({ unit: "binary" })
    )
  )
  .map((parts) => parts.join(""))

/** The colour codes of our own. */
const colour = new RegExp(String.raw`\u001B\[\d{0,2}m`, "gu")

describe("text of others", () => {
  it("text of others is never a workflow command when it is printed, and moves no cursor", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const lines = Terminal.harmless(text).split("\n")
        for (const line of lines) {
          for (const [system, finds] of Object.entries(executes)) assert.isFalse(finds(line), `${system}: ${line}`)
          assert.notMatch(line.replaceAll(colour, ""), /[\p{Cc}\p{Zl}\p{Zp}\u202E]/u)
        }
      }),
      { numRuns: 2000 }
    )
  })

  it("text of others is the same value when it is printed in JSON", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const body = { [text]: [text] }
        assert.deepStrictEqual(JSON.parse(Terminal.harmless(JSON.stringify(body, null, 2))), body)
      }),
      { numRuns: 2000 }
    )
  })

  it("text from reports is printed unchanged when it contains no terminal commands", () => {
    for (const text of ["a::b > c", "## Heading", "naïve 测试 👩‍🚀", "a\nb", `${Terminal.paint(terminal, "red", "x")}`]) {
      assert.strictEqual(Terminal.harmless(text), text)
    }
  })

  it("text from reports is one line in a cell, with control characters escaped as in JSON", () => {
    assert.strictEqual(Terminal.plain("a\nb\u001B[2Jc\u202Ed"), String.raw`a\nb\u001b[2Jc\u202ed`)
  })
})

const terminal = { columns: 40, hasColours: true }

describe("a table", () => {
  it("a table aligns text by its width on the terminal: emoji and wide characters take two columns, marks none", () => {
    const rows = ["ab", "测试", "👩‍🚀", "é", "🇩🇪x"]
    const columns = [
      { heading: "name", cell: (row: string) => row },
      { heading: "x", cell: () => "|" }
    ]
    assert.deepStrictEqual(Table.make({ columns: null, hasColours: false }, columns, rows).split("\n"), [
      "name  x",
      "ab    |",
      "测试  |",
      "👩‍🚀    |",
      "é     |",
      "🇩🇪x   |"
    ])
  })

  it("a table cuts columns that may shrink, between whole characters, until it fits the terminal", () => {
    const columns = [
      { heading: "name", cell: (row: string) => row, canShrink: true },
      { heading: "id", cell: () => "0123456789" }
    ]
    const [, line = ""] = Table.make({ columns: 30, hasColours: false }, columns, ["👩‍🚀".repeat(20)]).split("\n")
    assert.strictEqual(line, `${"👩‍🚀".repeat(8)}…   0123456789`)
  })
})
