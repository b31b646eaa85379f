import { TestFilter } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"

describe("TestFilter, one clause", () => {
  const names = ["web/login", "web/logout", "api/login"]
  const passing = (include: ReadonlyArray<string>, exclude: ReadonlyArray<string>) =>
    names.filter(TestFilter.nameMatcher({ include, exclude }))

  it("a clause that names nothing lets every name pass", () => {
    assert.deepStrictEqual(passing([], []), names)
  })

  it("names pass that are included, and not excluded", () => {
    assert.deepStrictEqual(passing(["web/*"], []), ["web/login", "web/logout"])
    assert.deepStrictEqual(passing([], ["web/logout"]), ["web/login", "api/login"])
    assert.deepStrictEqual(passing(["web/*"], ["*/logout"]), ["web/login"])
  })

  it("no value passes where none is included, and not where others are", () => {
    const is = TestFilter.valueMatcher
    assert.isTrue(is({ include: [], exclude: [] })(null))
    assert.isFalse(is({ include: ["high"], exclude: [] })(null))
    assert.isTrue(is<string>({ include: [], exclude: ["high"] })(null))
  })
})
