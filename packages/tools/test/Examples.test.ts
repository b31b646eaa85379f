import { assert, describe, it } from "@effect/vitest"
import { join } from "node:path"
import * as CodeBlock from "../src/examples/CodeBlock.ts"
import * as Examples from "../src/examples/Examples.ts"
import * as Expectation from "../src/examples/Expectation.ts"
import * as Workspace from "../src/Workspace.ts"

const lines = (...text: ReadonlyArray<string>) => text.join("\n")

describe("code blocks", () => {
  it("Markdown yields the blocks marked ts, with the line of their first line of code", () => {
    const text = lines("# Title", "```ts", "one()", "two()", "```", "", "```sh", "npm test", "```", "```ts", "```")
    assert.deepStrictEqual(CodeBlock.ofMarkdown({ path: "README.md", text }), [
      { path: "README.md", line: 3, code: "one()\ntwo()", runs: true },
      { path: "README.md", line: 11, code: "", runs: true }
    ])
  })

  it("a block marked no-run does not run, and a fragment marked typescript is not an example", () => {
    const text = lines("```ts no-run", "serve()", "```", "```typescript", "...", "```")
    assert.deepStrictEqual(CodeBlock.ofMarkdown({ path: "a.md", text }), [
      { path: "a.md", line: 2, code: "serve()", runs: false }
    ])
  })

  it("a block in a list loses the indentation of its fence and nothing more", () => {
    const text = lines("- item", "  ```ts", "  if (a) {", "    b()", "  }", "", "  ```")
    assert.strictEqual(CodeBlock.ofMarkdown({ path: "a.md", text })[0]?.code, "if (a) {\n  b()\n}\n")
  })

  it("a fence inside a longer fence is text", () => {
    const text = lines("````md", "```ts", "a()", "```", "````")
    assert.deepStrictEqual(CodeBlock.ofMarkdown({ path: "a.md", text }), [])
  })

  it("docstrings yield their blocks; strings and other comments do not", () => {
    const text = lines(
      "const no = '/** ```ts */'",
      "/* ```ts",
      "no()",
      "``` */",
      "/**",
      " * Adds.",
      " *",
      " * @example",
      " * ```ts",
      " * add(",
      " *   1",
      " * )",
      " * ```",
      " */",
      "export const add = 1"
    )
    assert.deepStrictEqual(CodeBlock.ofSource({ path: "a.ts", text }), [
      { path: "a.ts", line: 10, code: "add(\n  1\n)", runs: true }
    ])
  })
})

describe("expectations", () => {
  const transformed = (code: string) => Expectation.transform(code, "f", "m").replace(/^.*?; /, "")

  it("an expression is compared with the value in the comment behind it", () => {
    assert.strictEqual(transformed("f(1) // => 2"), `__expect((f(1)), (2), "f", 1) // => 2`)
    assert.strictEqual(transformed("\nf(1); // => 2"), `\n__expect((f(1)), (2), "f", 2); // => 2`)
  })

  it("a constant is compared by its name", () => {
    assert.strictEqual(transformed("const a = f() // => 2"), `const a = f(); __expect(a, (2), "f", 1) // => 2`)
  })

  it("the whole of a call over several lines is compared, not its last argument", () => {
    const code = lines("f(() => {", "  g()", "})", "// => 2")
    assert.strictEqual(transformed(code), lines("__expect((f(() => {", "  g()", `})), (2), "f", 4)`, "// => 2"))
  })

  it("a value goes on in indented comment lines, and a remark does not", () => {
    const code = lines("f() // => [1,", "//      2]", "// remark")
    assert.include(transformed(code), `([1, 2]), "f", 1)`)
  })

  it("lines keep their numbers", () => {
    const code = lines("", "const a = 1 // => 1", "", "a // => 1", "")
    assert.lengthOf(transformed(code).split("\n"), code.split("\n").length)
  })

  it("an expectation behind nothing that has a value is refused", () => {
    for (const code of ["// => 1", "import 'a' // => 1", "const { a } = f() // => 1", "f()\ng // note\n// => 1"]) {
      assert.throws(() => transformed(code), /nothing to compare/, code)
    }
  })

  it("code that does not parse is refused", () => {
    assert.throws(() => transformed("f( // => 1"))
  })
})

describe("running", () => {
  const folder = join(Workspace.root, ".cache/examples-test")
  const block = (line: number, ...code: ReadonlyArray<string>): CodeBlock.CodeBlock => ({
    path: "page.md",
    line,
    code: lines(...code),
    runs: true
  })

  it("Examples.run reports every kind of failure at its line, and nothing else", async () => {
    const failures = await Examples.run(
      [
        block(100, `import { Option, Result } from "effect"`, "Option.some([1]) // => Option.some([1])"),
        block(110, "const all = new Map([[1, { a: NaN }]]) // => new Map([[1, { a: NaN }]])"),
        block(120, `import { Result } from "effect"`, "Result.fail({ a: 1 }) // => Result.fail({ a: 1 })"),
        block(200, "const a = 1", "", "a + 1 // => 3", "a // => 0"),
        block(300, `import { Option } from "effect"`, `Option.some("a") // => Option.some("b")`),
        block(400, "const a: string = 1"),
        block(500, "1 + 1 // => two"),
        block(600, "", "throw new Error('boom')"),
        block(700, "const ="),
        { ...block(800, "throw new Error('not run')"), runs: false }
      ],
      folder
    )
    const found = failures.map(({ line, message, path }) => `${path}:${line} ${message.split("\n")[0]}`)
    const expected = [
      /^page\.md:202 expected 3, got 2$/,
      /^page\.md:203 expected 0, got 1$/,
      /^page\.md:301 expected .*'b'.*, got .*'a'/,
      /^page\.md:400 error TS2322/,
      /^page\.md:500 error TS2304/,
      /^page\.md:601 boom$/,
      /^page\.md:700 /
    ]
    for (const [index, pattern] of expected.entries()) assert.match(found[index] ?? "", pattern)
    assert.lengthOf(found, expected.length)
  })
})
