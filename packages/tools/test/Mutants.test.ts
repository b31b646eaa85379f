import { assert, describe, it } from "@effect/vitest"
import { stripTypeScriptTypes } from "node:module"
import * as Mutant from "../src/mutants/Mutant.ts"
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
  return new Function("globalThis", `${code}\nreturn body()`)({ mutantIsOn: (id: number) => id === on })
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
})
