import { assert, describe, it } from "@effect/vitest"
import { QueueCommand } from "@lazaret/queue"
import * as fc from "fast-check"

const namesIn = (comment: string) => QueueCommand.parse(comment).map(({ name }) => name)

const line = fc.oneof(
  fc.constantFrom("@lazaret queue", "@Lazaret why", "  @lazaret dequeue now", "@lazaret", "@lazaret merge", "text", ""),
  fc.string({ maxLength: 40 }).map((text) => text.replaceAll(/[\r\n<`~]/gu, " "))
)

const comment = fc.array(line, { maxLength: 12 })

describe("commands in comments", () => {
  it("a command is a line that begins with the mention, alone or with words", () => {
    assert.deepStrictEqual(QueueCommand.parse("Looks good.\r\n@lazaret queue\n   @LAZARET Priority high\n@lazaret"), [
      { name: "queue", words: ["queue"] },
      { name: "priority", words: ["Priority", "high"] },
      { name: "help", words: [] }
    ])
    assert.deepStrictEqual(QueueCommand.parse("@lazaret ship it"), [{ name: null, words: ["ship", "it"] }])
  })

  it("a mention within a line, of another name, in code, in a quote or in an HTML comment does not count", () => {
    const none = [
      "please @lazaret queue",
      "@lazaret-bot queue",
      "@lazarets queue",
      "@lazaret, queue",
      "> @lazaret queue",
      "    @lazaret queue",
      "\t@lazaret queue",
      "```\n@lazaret queue\n```",
      "~~~~\n```\n@lazaret queue\n~~~\n@lazaret queue",
      "<!-- a template\n@lazaret queue\n-->",
      "<!-- never closed\n@lazaret queue"
    ]
    assert.deepStrictEqual(
      none.filter((text) => namesIn(text).length > 0),
      []
    )
    assert.deepStrictEqual(namesIn("```sh\n@lazaret queue\n```\n@lazaret why"), ["why"])
  })

  it("a block of code may begin with any number of marks, and a line separator ends no line", () => {
    assert.deepStrictEqual(namesIn(`${"~".repeat(65_000)}\u2028\n@lazaret queue`), [])
    assert.deepStrictEqual(namesIn("~~~ a\u2028b\n@lazaret queue\n~~~\n@lazaret why"), ["why"])
  })

  it("law: in a quote or in a block of code no comment holds a command", () => {
    fc.assert(
      fc.property(comment, (lines) => {
        const quoted = lines.map((each) => `> ${each}`).join("\n")
        const fenced = ["````", ...lines, "````"].join("\n")
        assert.deepStrictEqual([namesIn(quoted), namesIn(fenced)], [[], []])
      })
    )
  })

  it("law: the commands of two comments are those of the comment that joins them, up to the limit", () => {
    fc.assert(
      fc.property(comment, comment, (first, second) => {
        const both = [...namesIn(first.join("\n")), ...namesIn(second.join("\n"))]
        assert.deepStrictEqual(namesIn([...first, ...second].join("\n")), both.slice(0, QueueCommand.limits.commands))
      })
    )
  })

  it("law: a command that is written again is the same command", () => {
    fc.assert(
      fc.property(comment, (lines) => {
        const commands = QueueCommand.parse(lines.join("\n"))
        assert.deepStrictEqual(QueueCommand.parse(commands.map(QueueCommand.written).join("\n")), commands)
      })
    )
  })
})
