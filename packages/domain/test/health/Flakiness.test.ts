import { Flakiness } from "@lazaret/domain"
import { histories } from "@lazaret/domain/testing"
import { assert, describe, it } from "@effect/vitest"

const fail = { commit: "a", conclusion: "failed", flaky: false } as const
const pass = { commit: "a", conclusion: "passed", flaky: false } as const
const inJob = { commit: "a", conclusion: "passed", flaky: true } as const
const skip = { commit: "a", conclusion: "skipped", flaky: false } as const

const flags = (...history: ReadonlyArray<Flakiness.Outcome>): ReadonlyArray<boolean> =>
  history.map(Flakiness.among(history))

/** The definition, read aloud: quadratic and obvious. */
const isFlaky = (execution: Flakiness.Outcome, history: ReadonlyArray<Flakiness.Outcome>): boolean => {
  const isContradicted = history.some((other) => other.conclusion === "passed" && other.commit === execution.commit)
  return (execution.conclusion === "failed" && isContradicted) || (execution.conclusion === "passed" && execution.flaky)
}

describe("Flakiness", () => {
  it("a failure is flaky when its commit also passed, earlier or later", () => {
    assert.deepStrictEqual(flags(pass, fail), [false, true])
    assert.deepStrictEqual(flags(fail, pass), [true, false])
  })

  it("every contradicted failure counts, no passing sibling does", () => {
    assert.deepStrictEqual(flags(fail, pass, fail, pass, pass), [true, false, true, false, false])
  })

  it("what failed and passed inside one job counts, and contradicts failures on its commit", () => {
    assert.deepStrictEqual(flags(inJob), [true])
    assert.deepStrictEqual(flags(inJob, fail, pass), [true, true, false])
  })

  it("another commit, or a skipped execution, contradicts nothing", () => {
    assert.deepStrictEqual(flags(fail, { ...pass, commit: "b" }, skip), [false, false, false])
  })

  it("a pass outside the part that is asked about contradicts too", () => {
    assert.isTrue(Flakiness.among([pass, fail])(fail))
    assert.isFalse(Flakiness.among([fail])(fail))
  })

  it.prop("Flakiness is the naive definition", [histories({ failures: 50 })], ([history]) => {
    assert.deepStrictEqual(
      history.map(Flakiness.among(history)),
      history.map((execution) => isFlaky(execution, history))
    )
  })

  it.prop("the order of the history plays no part", [histories({ failures: 50 })], ([history]) => {
    const [forwards, backwards] = [Flakiness.among(history), Flakiness.among(history.toReversed())]
    assert.deepStrictEqual(history.map(forwards), history.map(backwards))
  })
})
