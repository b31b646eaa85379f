import { assert, describe, it } from "@effect/vitest"
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Findings from "../src/mutants/Findings.ts"
import * as Mutant from "../src/mutants/Mutant.ts"
import * as Sample from "../src/mutants/Sample.ts"
import * as Switches from "../src/mutants/Switches.ts"

const source = `
const isOpen = (a?: ReadonlyArray<number>): boolean => a?.some((each) => each > 3 && !(each % 2 === 0)) ?? false
let calls = 0
const count = (by: number): number => {
  if (by < 0) return calls
  calls += by
  return calls
}
const named = { 7: "seven" }
return [isOpen([5]), isOpen([3, 5]), isOpen([4]), isOpen(), count(2), count(-1), named[7 as number], 2 ** -1]
`

/** The value of a source that is the body of a function, with one mutant on. */
const valueOf = (text: string, on: number): unknown => {
  const code = stripTypeScriptTypes(`const body = () => {${text}}`)
  return new Function("globalThis", `${Switches.prefix}${code}\nreturn body()`)({
    mutantIsOn: (id: number) => id === on
  })
}

const inFunction = (text: string): string => `const body = () => {${text}}`

describe("mutants", () => {
  const text = inFunction(source)
  const mutants = Mutant.enumerate("a.ts", text).map((mutant, id) => ({ id, mutant }))
  const installed = Switches.install(text, mutants).slice("const body = () => {".length, -1)
  const described = mutants.map(({ mutant }) => Mutant.describe(mutant))

  it("a source has mutants of its comparisons, constants, conditions, methods and statements", () => {
    const changes = described.map((each) => each.replace(/^a\.ts:\d+:\d+: /, ""))
    for (const change of ["some => every", "> => >=", "> => <=", "&& => ||", "! => (removed)", "3 => 4"]) {
      assert.include(changes, change)
    }
    for (const change of ["calls += by => ;", "if (by < 0) return calls => ;", "7 => 8", "+= => -="]) {
      assert.include(changes, change)
    }
  })

  it("a source whose switches are all off works as before", () => {
    const expected = [true, true, false, false, 2, 2, "seven", 0.5]
    assert.deepStrictEqual(valueOf(source, -1), expected)
    assert.deepStrictEqual(valueOf(installed, -1), expected)
  })

  it("each switch makes the change of its mutant", () => {
    for (const { id, mutant } of mutants) {
      const changed = Mutant.apply(mutant, text).slice("const body = () => {".length, -1)
      assert.deepStrictEqual(valueOf(installed, id), valueOf(changed, -1), described[id])
    }
  })

  it("a seed draws the same mutants after a change of another line, and another seed draws others", () => {
    const names = (body: string, seed: number) =>
      Sample.order(Mutant.enumerate("a.ts", inFunction(body)), seed).map(
        ({ original, replacement }) => `${original} => ${replacement}`
      )
    const moved = names(source.replace("let calls = 0", "// more\nlet calls = ''"), 7)
    assert.deepStrictEqual(
      names(source, 7).filter((name) => name !== "0 => 1"),
      moved.filter((name) => name !== "0 => 1")
    )
    assert.notDeepEqual(names(source, 7), names(source, 8))
  })

  it("a finding counts for its mutant until the file of its test changes, and a line that was cut off is left out", () => {
    const folder = mkdtempSync(join(tmpdir(), "mutants-"))
    const file = join(folder, "findings.jsonl")
    const sources = ["packages/tools/src/mutants/Sample.ts", "packages/tools/src/mutants/Findings.ts"]
    const numbered = sources.flatMap((path, id) => {
      const [mutant] = mutants
      return mutant === undefined ? [] : [{ id, mutant: { ...mutant.mutant, path } }]
    })
    const test = "packages/tools/test/Mutants.test.ts"
    const { keep } = Findings.open(file, numbered)
    keep(`${test} > a`, [test], "killed", [0])
    keep(`${test} > b`, [test], "passed", [1])
    const [line = ""] = readFileSync(file, "utf8").split("\n")
    const older = { ...JSON.parse(line), stamp: "of an older text", finding: "timeout" }
    appendFileSync(file, `${JSON.stringify(older)}\n{"tests":"d","glo`)
    const found = Findings.open(file, numbered.toReversed())
    assert.deepStrictEqual([...found.decided], [[0, { finding: "killed", tests: `${test} > a` }]])
    assert.deepStrictEqual([...found.passed(`${test} > b`)], [1])
    const others = Findings.open(
      file,
      numbered.map(({ id, mutant }) => ({ id, mutant: { ...mutant, from: mutant.from + 1 } }))
    )
    assert.strictEqual(others.decided.size, 0)
    rmSync(folder, { recursive: true })
  })
})
