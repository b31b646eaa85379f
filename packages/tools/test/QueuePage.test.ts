import { assert, describe, it } from "@effect/vitest"
import * as QueuePage from "../src/reference/QueuePage.ts"

const file = (text: string) => [{ path: "packages/queue/test/A.test.ts", text }]

describe("the page on the tests of the merge queue", () => {
  it("a number that no title names is reported", () => {
    const all = QueuePage.untested([])
    assert.strictEqual(all.length, 90)
    const left = QueuePage.untested(file(`it("(4, 21 to 23) halving", () => {})\n  scenario(\n    "(70) again",`))
    const named = all.filter((number) => !left.includes(number))
    assert.deepStrictEqual(named, ["scenario 4", "scenario 21", "scenario 22", "scenario 23", "scenario 70"])
  })

  it("a law is named by a title, or by a key in a table of laws", () => {
    const left = QueuePage.untested(file(`it("law 11 bisect cost", () => {})\n  "2 no unpinned code": noUnpinnedCode,`))
    assert.isFalse(left.includes("law 11") || left.includes("law 2"))
    assert.include(left, "law 1")
  })

  it("a number in a comment or in another text does not count", () => {
    assert.strictEqual(QueuePage.untested(file(`// it (4) halves\nconst a = "(4) halving"`)).length, 90)
  })
})
