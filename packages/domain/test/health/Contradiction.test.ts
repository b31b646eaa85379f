import { Contradiction, Execution } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"

const Candidate = Schema.Struct({
  at: Schema.Literals([1, 2, 3, 4]),
  conclusion: Execution.Conclusion,
  isFlaky: Schema.Boolean
})

const candidates = Arbitrary.array(Arbitrary.schema(Candidate), { maxLength: 5 }).pipe(
  Arbitrary.map((draws) =>
    draws.map(({ at, conclusion, isFlaky }, index) => ({
      id: `e${index}`,
      at,
      conclusion,
      flaky: isFlaky && conclusion === "passed"
    }))
  )
)

const contradicts = (list: ReadonlyArray<Contradiction.Candidate>): boolean =>
  list.some(({ flaky }) => flaky) ||
  (list.some(({ conclusion }) => conclusion === "passed") && list.some(({ conclusion }) => conclusion === "failed"))

describe("Contradiction", () => {
  it.prop("it is completed by the first execution whose prefix contradicts itself", [candidates], ([list]) => {
    const sorted = list.toSorted(Execution.order)
    const index = sorted.findIndex((_, place) => contradicts(sorted.slice(0, place + 1)))
    assert.deepStrictEqual(Contradiction.completedBy(list)?.by, sorted[index])
    assert.deepStrictEqual(Contradiction.completedBy(list.toReversed()), Contradiction.completedBy(list))
  })

  it("attempts of one run id on one commit and branch are one run", () => {
    const run = { runId: "1", commit: "c", branch: "topic", baseBranch: "main" }
    const others = [{ runId: "2" }, { commit: "d" }, { branch: "other" }, { baseBranch: null }]
    const keys = new Set([run, { ...run }, ...others.map((other) => ({ ...run, ...other }))].map(Contradiction.runKey))
    assert.strictEqual(keys.size, 5)
  })

  it("a merged list has both kinds in the order of executions", () => {
    const passed = { id: "b", at: 2, conclusion: "passed" as const }
    const on = { id: "a", at: 2, conclusion: "contradicted" as const }
    const list = Contradiction.merged([passed], [on])
    assert.deepStrictEqual(list, [on, passed])
    assert.deepStrictEqual(Contradiction.executionsIn(list), [passed])
  })
})
