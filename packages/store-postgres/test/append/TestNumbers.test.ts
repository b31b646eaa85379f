import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { finder, type NumberedTest, put } from "../../src/append/TestNumbers.ts"

const name = fc.constantFrom("a", "b", "c", "d", "e")

/** Uploads: each lists tests, then adds some of them, or sources to some. */
const uploads = fc.array(fc.record({ listed: fc.array(name), added: fc.array(name, { maxLength: 3 }) }), {
  maxLength: 8
})

const source = (number: number) => ({ filepath: `${number}.test.ts`, functionName: null })

describe("the numbers of tests", () => {
  it("every test of a report is found with its number and all its sources, in whatever order earlier reports listed them", () => {
    fc.assert(
      fc.property(uploads, (all) => {
        const known = { tests: new Map<string, NumberedTest>() }
        const expected = new Map<string, Pick<NumberedTest, "testNo" | "sources">>()
        for (const [index, { added, listed }] of all.entries()) {
          const find = finder(known)
          for (const each of listed) {
            const test = find(each)
            const found = test === undefined ? undefined : { testNo: test.testNo, sources: test.sources }
            assert.deepStrictEqual(found, expected.get(each))
          }
          for (const each of added) {
            const { sources, testNo } = expected.get(each) ?? { testNo: expected.size, sources: [] }
            const changed = { testNo, sources: [...sources, source(index)] }
            expected.set(each, changed)
            put(known, { name: each, ...changed, next: null })
          }
        }
      })
    )
  })

  it("a test that follows another one in two reports is found as the next one", () => {
    const known = { tests: new Map<string, NumberedTest>() }
    for (const [testNo, each] of ["a", "b", "c"].entries()) put(known, { name: each, testNo, sources: [], next: null })
    const find = finder(known)
    for (const each of ["a", "c", "b"]) find(each)
    assert.deepStrictEqual(
      ["a", "b", "c"].map((each) => known.tests.get(each)?.next?.name),
      ["c", undefined, "b"]
    )
  })
})
