import { Explanation, Health, HealthPolicy, Instant } from "@lazaret/domain"
import { items } from "@lazaret/domain/testing"
import { assert, describe, it } from "@effect/vitest"

const policy = HealthPolicy.defaults

const run = (id: number, commit: string, conclusion: "passed" | "failed") => ({
  id: `e${id}`,
  at: id * 1000,
  commit,
  conclusion,
  flaky: false,
  reruns: 0,
  excused: false
})

describe("Explanation", () => {
  it("a flaky verdict names both sides of the contradiction and what recovery needs", () => {
    const history = [run(1, "a", "passed"), run(2, "b", "failed"), run(3, "b", "passed"), run(4, "c", "passed")]
    const why = Explanation.explain(Health.initial, history, policy)
    assert.strictEqual(why.rule, "contradiction")
    assert.deepStrictEqual(
      why.evidence.map((e) => e.id),
      ["e2", "e3"]
    )
    assert.deepStrictEqual(
      why.changes.map((change) => [change.status, change.rule]),
      [
        ["broken", "failure"],
        ["flaky", "contradiction"]
      ]
    )
    assert.deepStrictEqual(why.context, [])
    assert.deepStrictEqual(why.recovery, {
      passes: 8,
      commits: 0,
      notBefore: 2000 + 14 * 86_400_000,
      sooner: null
    })
  })

  it("the pass that a failure contradicts is the context of the evidence", () => {
    const why = Explanation.explain(Health.initial, [run(1, "a", "passed"), run(2, "a", "failed")], policy)
    assert.deepStrictEqual(
      [why.evidence, why.context].map((list) => list.map((e) => e.id)),
      [["e2"], ["e1"]]
    )
  })

  it("a test that never failed needs no evidence", () => {
    const why = Explanation.explain(Health.initial, [run(1, "a", "passed")], policy)
    assert.deepStrictEqual([why.status, why.evidence, why.recovery], ["healthy", [], null])
  })

  it("a contradiction on another branch is named with the one on a second branch that supports it", () => {
    const on = (id: number, branch: string) =>
      ({ id: `e${id}`, at: id * 1000, commit: branch, conclusion: "contradicted", branch }) as const
    const history = [run(1, "a", "passed"), on(2, "x"), on(3, "y"), run(5, "b", "passed")]
    const why = Explanation.explain(Health.initial, history, policy)
    assert.deepStrictEqual([why.status, why.rule, why.evidence, why.context], ["flaky", "other_branch", [], []])
    assert.deepStrictEqual(
      why.elsewhere.map((each) => each.id),
      ["e2", "e3"]
    )
  })

  it.prop("without its evidence the verdict is another one", [items()], ([history]) => {
    const why = Explanation.explain(Health.initial, history, policy)
    const ids = new Set([...why.evidence, ...why.elsewhere].map(({ id }) => id))
    const rest = history.filter((execution) => !ids.has(execution.id))
    const without = Health.fold(Health.initial, rest, policy)
    if (why.status !== "healthy") {
      assert.isAbove(ids.size, 0)
      assert.strictEqual(without.status, "healthy")
    } else if (ids.size > 0) {
      assert.notStrictEqual(without.status, "healthy")
    } else {
      const state = Health.fold(Health.initial, history, policy)
      assert.isTrue(state.failureAt === null)
    }
  })

  it.prop("an explanation says the same when the older half is folded into the base", [items()], ([history]) => {
    const middle = Math.floor(history.length / 2)
    const base = Health.fold(Health.initial, history.slice(0, middle), policy)
    const why = Explanation.explain(base, history.slice(middle), policy)
    assert.strictEqual(why.status, Health.fold(Health.initial, history, policy).status)
  })
})

describe("certainty", () => {
  it("reruns are those since the verdict last moved, and a failure starts the clean ones again", () => {
    const day = 86_400_000
    const at = (days: number, conclusion: "passed" | "failed") => ({ ...run(days, "a", conclusion), at: days * day })
    const history = [at(0, "passed"), at(1, "passed"), at(50, "failed"), at(51, "passed"), at(52, "passed")]
    const sure = Explanation.certainty(Health.initial, history, 60 * day, policy)
    assert.deepInclude(sure, { reruns: 2, clean: 2, confidence: "low" })
    assert.approximately(sure.flakeRateBound, 1 - Math.sqrt(0.05), 1e-12)
  })

  it("what recovery needs is said in words", () => {
    const sentences = [
      { passes: 3, commits: 2, notBefore: null, sooner: null },
      { passes: 0, commits: 1, notBefore: null, sooner: null },
      { passes: 0, commits: 0, notBefore: 0, sooner: null },
      { passes: 2, commits: 0, notBefore: Instant.day, sooner: { passes: 30, notBefore: 0 } }
    ].map(Explanation.sentenceOf)
    assert.deepStrictEqual(sentences, [
      "Needs 3 more passes in a row, on 2 commits. A failure starts the count again.",
      "Needs 1 more pass on another commit. A failure starts the count again.",
      "Needs 1 more clean pass, at 1970-01-01T00:00:00.000Z or later. A failure starts the count again.",
      "Needs 2 more clean passes in a row, the last one at 1970-01-02T00:00:00.000Z or later; or 30, the last one at 1970-01-01T00:00:00.000Z or later. A failure starts the count again."
    ])
  })
})
