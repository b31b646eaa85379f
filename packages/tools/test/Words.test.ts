import { assert, describe, it } from "@effect/vitest"
import * as Commands from "../src/words/Commands.ts"
import * as Names from "../src/words/Names.ts"
import * as Openings from "../src/words/Openings.ts"
import * as Prose from "../src/words/Prose.ts"
import * as Ratchet from "../src/words/Ratchet.ts"

describe("Prose.of", () => {
  const source =
    'const a = "one" // a comment\nconst b = `${a} is a text`\n/** Doc. */ export const kept = "kept at its place"\n'

  it("comments and texts keep their lines and columns, and code becomes spaces", () => {
    const lines = Prose.of({ path: "a.ts", text: source }).split("\n")
    assert.strictEqual(lines[0], `${" ".repeat(16)}// a comment`)
    assert.match(lines[1] ?? "", /^ +\} is a text`$/)
    assert.strictEqual(lines[2]?.indexOf("kept at its place"), source.split("\n")[2]?.indexOf("kept at its place"))
    assert.notInclude(lines[2], "export")
  })

  it("text between tags is prose, and the names of tags and attributes are not", () => {
    const prose = Prose.of({ path: "a.tsx", text: 'export const A = () => <p class="x">Nothing was found</p>\n' })
    assert.strictEqual(prose.trim(), "Nothing was found")
  })

  it("a page is prose as it stands", () => {
    assert.strictEqual(Prose.of({ path: "a.md", text: "# A `b`" }), "# A `b`")
  })
})

describe("names", () => {
  const namesOf = (text: string) => Names.avoided({ path: "a.ts", text }).map(({ line, name }) => `${line} ${name}`)

  it("a name with a word to avoid is found once, at its first line, in any spelling", () => {
    assert.deepStrictEqual(
      namesOf("const toBeTold = 1\nexport const b = toBeTold\ninterface ToldFailure { told_at: 1 }\n"),
      ["1 toBeTold", "3 ToldFailure", "3 told_at"]
    )
  })

  it("longer words, comments and texts are no names with a word to avoid", () => {
    assert.deepStrictEqual(namesOf('const teller = "told" // told\nconst foretold = teller\n'), [])
  })
})

describe("Ratchet", () => {
  it("an area exceeds its count by one more fault, and an area without a count by its first", () => {
    assert.deepStrictEqual(Ratchet.exceeded({ docs: 2, packages: 5 }, { docs: 3, packages: 5, examples: 1 }), [
      { area: "docs", allowed: 2, found: 3 },
      { area: "examples", allowed: 0, found: 1 }
    ])
  })

  it("lowering follows the counts down, never up, and drops an area at zero", () => {
    assert.deepStrictEqual(Ratchet.lowered({ docs: 2, packages: 5, examples: 1 }, { docs: 3, packages: 4 }), {
      docs: 2,
      packages: 4
    })
  })
})

describe("commands on pages", () => {
  const block = (line: string) => `Text.\n\n\`\`\`sh\n${line}\n\`\`\`\n`

  for (const line of [
    "npx lazaret demo",
    "npx --yes lazaret demo",
    "npx --package @lazaret/cli lazaret demo",
    '"args": ["--package", "@lazaret/cli", "lazaret"]',
    "npm install @lazaret/domain",
    "npm i -D lazaret"
  ]) {
    it(`a code block with ${line} runs a package that is not ours`, () => {
      assert.deepStrictEqual(Commands.foreign(block(line)), [4])
    })
  }

  for (const line of [
    "lazaret demo",
    "node lazaret.mjs demo",
    "npm install /tarballs/lazaret-domain-0.1.0.tgz",
    "npm ci"
  ]) {
    it(`a code block with ${line} runs no package of the registry`, () => {
      assert.deepStrictEqual(Commands.foreign(block(line)), [])
    })
  }

  it("a sentence may name the command that not to run", () => {
    assert.deepStrictEqual(Commands.foreign("Do not use `npx lazaret`."), [])
  })
})

describe("Openings", () => {
  const lines = (path: string, text: string) => Openings.withoutSubject({ path, text })

  it("a docstring that begins with a relative pronoun is found at its line", () => {
    assert.deepStrictEqual(
      lines("a.ts", ["", `/${"**"} What a run says. */`, `/${"**"}`, " * Whose key it is.", " */"].join("\n")),
      [2, 3]
    )
    assert.deepStrictEqual(lines("a.ts", "/** The run of a report. */\n/** Whether it passed. */\n// What else?\n"), [])
  })

  it("a test title that begins with a predicate is found, in files of tests only", () => {
    const call = (name: string, title: string) => `${name}(\n  "${title}", f)\n`
    const test = call("it", "a gate is closed") + call("it.effect", "is closed") + call("it.each(list)", "shows a name")
    assert.deepStrictEqual(lines("a.test.ts", test), [3, 5])
    assert.deepStrictEqual(lines("a.ts", test), [])
  })
})
