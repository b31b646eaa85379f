import { Glob, TestFilter } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { filters, patterns, rows } from "../../src/testing/lists.ts"

const row: TestFilter.Row = {
  testName: "Cart > adds",
  pipelineName: "CI",
  jobName: "unit",
  healthStatus: "flaky",
  healthConfidence: "medium",
  failedExecutionsImpact: "low"
}

const passes = (given: TestFilter.Given, of: TestFilter.Row = row) => TestFilter.matcher(TestFilter.make(given))(of)

/** The meaning of a clause in words: given values are alternatives, excluded ones remove. */
const holds = <A>({ exclude, include }: TestFilter.Clause<A>, matches: (value: A) => boolean) =>
  (include.length === 0 || include.some(matches)) && !exclude.some(matches)

const names = ["testName", "pipelineName", "jobName"] as const
const values = ["healthStatus", "healthConfidence", "failedExecutionsImpact"] as const

const reversed = <A>(clause: TestFilter.Clause<A>): TestFilter.Clause<A> => ({
  include: clause.include.toReversed(),
  exclude: [...clause.exclude.toReversed(), ...clause.exclude]
})

const decodes = Schema.is(TestFilter.TestFilter)

describe("TestFilter, meaning", () => {
  it("values of one parameter are alternatives, parameters must all hold", () => {
    assert.isTrue(passes({ testName: { include: ["Shop*", "Cart*"] }, jobName: { include: ["unit"] } }))
    assert.isFalse(passes({ testName: { include: ["Shop*", "Cart*"] }, jobName: { include: ["e2e"] } }))
  })

  it("an excluded value removes tests that another value includes", () => {
    assert.isFalse(passes({ testName: { include: ["Cart*"], exclude: ["*adds"] } }))
    assert.isFalse(passes({ healthStatus: { exclude: ["flaky"] } }))
    assert.isTrue(passes({ healthStatus: { exclude: ["broken"] } }))
  })

  it("no impact passes no include and is never excluded", () => {
    const healthy = { ...row, failedExecutionsImpact: null }
    assert.isFalse(passes({ failedExecutionsImpact: { include: ["low", "medium", "high"] } }, healthy))
    assert.isTrue(passes({ failedExecutionsImpact: { exclude: ["low", "medium", "high"] } }, healthy))
  })

  it.prop(
    "a row passes when every clause holds",
    [filters, rows],
    ([filter, candidate]) => {
      const expected =
        names.every((name) => holds(filter[name], (pattern) => Glob.compile(pattern)(candidate[name]))) &&
        values.every((name) => holds<string>(filter[name], (value) => value === candidate[name]))
      assert.strictEqual(TestFilter.matcher(filter)(candidate), expected)
    },
    { arbitrary: { runs: 1000 } }
  )

  it.prop("the filter without values passes every row", [rows], ([candidate]) => {
    assert.isTrue(TestFilter.matcher(TestFilter.all)(candidate))
  })

  it.prop("excluding names is the complement of including them", [patterns, patterns, rows], ([a, b, candidate]) => {
    for (const name of names) {
      const included = passes({ [name]: { include: [a, b] } }, candidate)
      assert.strictEqual(passes({ [name]: { exclude: [a, b] } }, candidate), !included)
    }
  })

  it.prop("excluding a value is the complement of including it", [filters, rows], ([filter, candidate]) => {
    for (const name of values) {
      const given = filter[name].include
      if (given.length === 0) continue
      const included = passes({ [name]: { include: given } }, candidate)
      assert.strictEqual(passes({ [name]: { exclude: given } }, candidate), !included)
    }
  })
})

describe("TestFilter, key", () => {
  it.prop("neither the order of values nor repeating them matters", [filters, rows], ([filter, candidate]) => {
    const other: TestFilter.TestFilter = {
      testName: reversed(filter.testName),
      pipelineName: reversed(filter.pipelineName),
      jobName: reversed(filter.jobName),
      healthStatus: reversed(filter.healthStatus),
      healthConfidence: reversed(filter.healthConfidence),
      failedExecutionsImpact: reversed(filter.failedExecutionsImpact)
    }
    assert.strictEqual(TestFilter.key(other), TestFilter.key(filter))
    assert.strictEqual(TestFilter.matcher(other)(candidate), TestFilter.matcher(filter)(candidate))
  })

  it("a value in another place makes another key", () => {
    const keys = [
      ...names.flatMap((name) => [{ [name]: { include: ["low"] } }, { [name]: { exclude: ["low"] } }]),
      { healthConfidence: { include: ["low"] } },
      { failedExecutionsImpact: { include: ["low"] } },
      { testName: { include: ['low","low'] } },
      { testName: { include: ["low", "low2"] } },
      {}
    ].map((given) => TestFilter.key(TestFilter.make(given)))
    assert.strictEqual(new Set(keys).size, keys.length)
  })
})

describe("TestFilter, limits", () => {
  const withNames = (include: ReadonlyArray<string>) => TestFilter.make({ jobName: { include } })

  it("a name parameter has at most 255 values", () => {
    assert.isTrue(decodes(withNames(Array.from({ length: 255 }, String))))
    assert.isFalse(decodes(withNames(Array.from({ length: 256 }, String))))
  })

  it("a value has 1 to 255 characters, counted in code points", () => {
    assert.isTrue(decodes(withNames(["\u{1f600}".repeat(255)])))
    assert.isFalse(decodes(withNames(["a".repeat(256)])))
    assert.isFalse(decodes(withNames([""])))
    assert.isFalse(decodes(withNames(["a\0b"])))
  })

  it.prop("every generated filter is within the limits", [filters], ([filter]) => {
    assert.isTrue(decodes(filter))
  })
})
