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

  it("a failure of another commit is the context of the evidence up to the days of an episode, and not later", () => {
    const { episodeDays } = policy
    const start = 100 * Instant.day
    const passes = ["b", "c", "d"].map((commit, index) => ({
      ...run(2 + index, commit, "passed"),
      at: start + 1 + index
    }))
    const context = (time: number) => {
      const failures = [0, time].map((after, index) => ({
        ...run(8 + index, `f${index}`, "failed"),
        at: start + after
      }))
      const [first, last] = failures
      if (first === undefined || last === undefined) return []
      const why = Explanation.explain(Health.initial, [first, ...passes, last], policy)
      return [why.evidence, why.context].map((list) => list.map((each) => each.id))
    }
    assert.deepStrictEqual(context(episodeDays * Instant.day), [["e9"], ["e8"]])
    assert.deepStrictEqual(context(episodeDays * Instant.day + 1), [["e9"], []])
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

  it("a test that recovered is explained by its passes since", () => {
    const failures = ["b", "c"].map((commit, index) => run(2 + index, commit, "failed"))
    const passes = ["d", "e", "f"].map((commit, index) => run(4 + index, commit, "passed"))
    const why = Explanation.explain(Health.initial, [run(1, "a", "passed"), ...failures, ...passes], policy)
    assert.deepStrictEqual([why.status, why.evidence.map(({ id }) => id)], ["healthy", ["e4", "e5", "e6"]])
  })

  it("failures in a row are counted from the first of them, until a pass", () => {
    const history = [run(1, "a", "passed"), run(2, "b", "failed"), run(3, "c", "failed")]
    const first = { id: "e2", at: 2000, commit: "b" }
    assert.deepStrictEqual(Explanation.explain(Health.initial, history, policy).failing, { failures: 2, first })
    const passed = [...history, run(4, "d", "passed")]
    assert.isNull(Explanation.explain(Health.initial, passed, policy).failing)
  })

  it.prop("where no days are saved by more passes, no more passes are offered", [items()], ([history]) => {
    const fixed = { ...policy, cleanDaysMost: policy.cleanDays }
    const { recovery } = Explanation.explain(Health.initial, history, fixed)
    assert.isNull(recovery?.sooner ?? null)
  })

  it("more passes within fewer days are offered where they are unlikely for the failure rate", () => {
    const on = (id: number, days: number, commit: string, conclusion: "passed" | "failed") => ({
      ...run(id, commit, conclusion),
      at: days * Instant.day
    })
    const passes = [1, 2, 3, 4].map((id) => on(id, 0, `p${id}`, "passed"))
    const flakes = [5, 6, 7].flatMap((id) => [on(id, 1, `x${id}`, "failed"), on(10 + id, 1, `x${id}`, "passed")])
    const recoveryBy = (by: HealthPolicy.HealthPolicy) =>
      Explanation.explain(Health.initial, [...passes, ...flakes], by).recovery
    const after = (days: number) => (1 + days) * Instant.day
    assert.deepStrictEqual(recoveryBy(policy), {
      passes: 9,
      commits: 0,
      notBefore: after(policy.cleanDaysMost),
      sooner: { passes: 16, notBefore: after(policy.cleanDays) }
    })
    assert.deepStrictEqual(recoveryBy({ ...policy, cleanDaysMost: policy.cleanDays }), {
      passes: 9,
      commits: 0,
      notBefore: after(policy.cleanDays),
      sooner: null
    })
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

  it("executions count from the first instant of the active days to the last of today", () => {
    const now = 100 * Instant.day + 5
    const [start, end] = [(101 - policy.activeDays) * Instant.day, 101 * Instant.day]
    const cleanAt = (at: number) =>
      Explanation.certainty(Health.initial, [run(0, "a", "passed"), { ...run(1, "a", "passed"), at }], now, policy)
        .clean
    assert.deepStrictEqual([start - 1, start, end - 1, end].map(cleanAt), [0, 1, 1, 0])
  })

  it("the grounds of a verdict count commits once, and say when nothing counted", () => {
    const runOf = (commit: string) => ({ commit })
    assert.deepStrictEqual(
      [
        Explanation.proofOf([], 0),
        Explanation.proofOf([runOf("a")], 1),
        Explanation.proofOf([runOf("a"), runOf("b"), runOf("b")], 4)
      ],
      [
        "no failure has counted; no rerun since",
        "proven on 1 commit; 1 rerun since",
        "proven on 2 commits; 4 reruns since"
      ]
    )
  })

  it("what recovery needs is said in words", () => {
    const sentences = [
      { passes: 1, commits: 1, notBefore: null, sooner: null },
      { passes: 3, commits: 2, notBefore: null, sooner: null },
      { passes: 0, commits: 1, notBefore: null, sooner: null },
      { passes: 0, commits: 0, notBefore: 0, sooner: null },
      { passes: 2, commits: 0, notBefore: Instant.day, sooner: { passes: 30, notBefore: 0 } }
    ].map(Explanation.sentenceOf)
    assert.deepStrictEqual(sentences, [
      "Needs 1 more pass on another commit. A failure starts the count again.",
      "Needs 3 more passes in a row, on 2 commits. A failure starts the count again.",
      "Needs 1 more pass on another commit. A failure starts the count again.",
      "Needs 1 more clean pass, at 1970-01-01T00:00:00.000Z or later. A failure starts the count again.",
      "Needs 2 more clean passes in a row, the last one at 1970-01-02T00:00:00.000Z or later; or 30, the last one at 1970-01-01T00:00:00.000Z or later. A failure starts the count again."
    ])
  })
})
