import { CauseSuccession } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

const cause = (tests: Readonly<Record<string, number>>, rest: Partial<CauseSuccession.Recognised> = {}) => ({
  isOutage: false,
  signature: null,
  firstAt: 1,
  lastAt: 9,
  tests: Object.entries(tests).map(([testName, runs]) => ({ testName, runs })),
  ...rest
})

const former = (id: string, tests: Readonly<Record<string, number>>) => ({ id, ...cause(tests) })

const idsOf = (
  before: ReadonlyArray<CauseSuccession.Former>,
  today: ReadonlyArray<CauseSuccession.Recognised>
): ReadonlyArray<readonly [string, ReadonlyArray<string>]> =>
  CauseSuccession.of(before, today).map(({ from, id, isNew }) => [isNew ? "new" : id, from])

describe("CauseSuccession", () => {
  it("a cause keeps its id while tests come and go", () => {
    const before = [former("one", { a: 5, b: 4, c: 1 })]
    assert.deepStrictEqual(idsOf(before, [cause({ a: 6, b: 5, d: 2 })]), [["one", []]])
  })

  it("a merge keeps the id of the larger part and names the other", () => {
    const before = [former("small", { c: 2 }), former("large", { a: 5, b: 4 })]
    assert.deepStrictEqual(idsOf(before, [cause({ a: 5, b: 4, c: 2 })]), [["large", ["small"]]])
  })

  it("a split keeps the id in the larger part, and the other names where it comes from", () => {
    const before = [former("whole", { a: 5, b: 5, c: 2 })]
    assert.deepStrictEqual(idsOf(before, [cause({ c: 3 }), cause({ a: 6, b: 6 })]), [
      ["new", ["whole"]],
      ["whole", []]
    ])
  })

  it("one test that leaves a large cause does not take its id away", () => {
    const before = [former("large", { a: 5, b: 5, c: 5, d: 5 })]
    assert.deepStrictEqual(idsOf(before, [cause({ d: 6, e: 20 })]), [["new", []]])
  })

  it("an outage continues one with its message at the same time, and no tests", () => {
    const outage = { isOutage: true, signature: "refused" }
    const before = [{ id: "outage", ...cause({ a: 1 }, { ...outage, lastAt: 3 }) }, former("tests", { a: 4 })]
    assert.deepStrictEqual(
      idsOf(before, [
        cause({ a: 2 }, { ...outage, lastAt: 7 }),
        cause({ a: 5 }),
        cause({ a: 1 }, { ...outage, firstAt: 50, lastAt: 60 })
      ]),
      [
        ["outage", []],
        ["tests", []],
        ["new", []]
      ]
    )
  })

  const causes = fc
    .array(fc.dictionary(fc.constantFrom(..."abcdefgh"), fc.integer({ min: 1, max: 9 }), { minKeys: 1, maxKeys: 4 }), {
      maxLength: 6
    })
    .map((all) => all.map((tests) => cause({ ...tests })))

  it("ids are unique, follow from the content alone, and stay for the same causes", () => {
    fc.assert(
      fc.property(causes, causes, (first, second) => {
        const before = CauseSuccession.of([], first).map(({ cause: of, id }) => ({ id, ...of }))
        const today = CauseSuccession.of(before, second)
        assert.strictEqual(new Set(today.map(({ id }) => id)).size, today.length)
        assert.deepStrictEqual(CauseSuccession.of(before, second), today)
        const same = CauseSuccession.of(before, first)
        assert.deepStrictEqual(new Set(same.map(({ id }) => id)), new Set(before.map(({ id }) => id)))
        assert.isTrue(same.every(({ isNew }) => !isNew))
      }),
      { numRuns: 200 }
    )
  })
})
