import { FailureFacts, FailureFeatures, FailureGate, FailurePolicy, FailureVerdict } from "@lazaret/domain"
import { failureFacts } from "@lazaret/domain/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"

const policy = FailurePolicy.defaults

const judge = (facts: FailureFacts.FailureFacts, by = policy) => FailureVerdict.judge(facts, by, FailureGate.defaults)

const failure: FailureFacts.FailedExecution = {
  id: "e1",
  testName: "Cart > sorts",
  pipelineName: "CI",
  jobName: "unit-22",
  at: Date.UTC(2026, 0, 31),
  commit: "c9",
  branch: "topic",
  base: "main",
  isPullRequest: true,
  runId: "7",
  attempts: 1,
  exceptionType: "TypeError",
  message: "boom",
  file: "cart.test.ts",
  jobUrl: "https://ci.example/7",
  signature: "s1"
}

const row = (branch: string, conclusion: "passed" | "failed", length: number): FailureFacts.BranchRow => ({
  branch,
  conclusion,
  length,
  commit: `${branch} head`,
  at: failure.at - 1,
  signature: conclusion === "failed" ? "s1" : null,
  outcomes: []
})

const siblings = (...conclusions: ReadonlyArray<"passed" | "failed">): FailureFacts.FailureFacts["siblings"] =>
  conclusions.map((conclusion, index) => ({ pipelineName: "CI", jobName: `unit-${index}`, conclusion }))

/** Every list in another order; each list is a set. */
const shuffled = (facts: FailureFacts.FailureFacts, salt: number): FailureFacts.FailureFacts => {
  const mix = <A>(list: ReadonlyArray<A>): ReadonlyArray<A> => {
    const start = list.length === 0 ? 0 : Math.abs(salt) % list.length
    const turned = [...list.slice(start), ...list.slice(0, start)]
    return salt % 2 === 0 ? turned : turned.toReversed()
  }
  return {
    ...facts,
    reruns: mix(facts.reruns),
    siblings: mix(facts.siblings),
    rows: mix(facts.rows),
    previousRuns: mix(facts.previousRuns),
    test: { flakes: mix(facts.test.flakes), signatures: mix(facts.test.signatures) },
    realFailures: mix(facts.realFailures),
    sightings: mix(facts.sightings),
    elsewhere: mix(facts.elsewhere)
  }
}

type Change = (facts: FailureFacts.FailureFacts) => FailureFacts.FailureFacts

const rerun =
  (conclusion: "passed" | "failed"): Change =>
  (facts) => ({
    ...facts,
    reruns: [...facts.reruns, { id: "late", runId: facts.failure.runId, at: failure.at, conclusion }]
  })

const sibling =
  (conclusion: "passed" | "failed"): Change =>
  (facts) => ({
    ...facts,
    siblings: [...facts.siblings, { pipelineName: "CI", jobName: "late", conclusion }]
  })

const previous =
  (more: { readonly passed: number; readonly failed: number }): Change =>
  (facts) => ({
    ...facts,
    previousRuns: facts.previousRuns.map((run) => ({
      ...run,
      passed: run.passed + more.passed,
      failed: run.failed + more.failed
    }))
  })

/** One more fact of a kind, by the direction in which it may move the probability. */
const more: { readonly up: ReadonlyArray<Change>; readonly down: ReadonlyArray<Change> } = {
  up: [
    rerun("passed"),
    sibling("passed"),
    previous({ passed: 1, failed: 0 }),
    (facts) => ({
      ...facts,
      test: { ...facts.test, flakes: [...facts.test.flakes, { commit: "new", jobName: "unit", at: facts.failure.at }] }
    }),
    (facts) => ({
      ...facts,
      sightings: [...facts.sightings, { branch: "nobody's", base: "main", commit: "new", at: facts.failure.at }]
    }),
    (facts) => ({
      ...facts,
      siblings: facts.siblings.map((one, index) => (index === 0 ? { ...one, conclusion: "passed" } : one))
    })
  ],
  down: [
    rerun("failed"),
    sibling("failed"),
    previous({ passed: 0, failed: 1 }),
    (facts) => ({ ...facts, failure: { ...facts.failure, attempts: facts.failure.attempts + 1 } }),
    (facts) => ({
      ...facts,
      rows: facts.rows.map((one) => (one.conclusion === "failed" ? { ...one, length: one.length + 1 } : one))
    }),
    (facts) => ({ ...facts, realFailures: [...facts.realFailures, { commit: "new", at: facts.failure.at }] }),
    (facts) => ({ ...facts, job: { ...facts.job, failed: facts.job.failed + 1 } })
  ]
}

/** The greatest step in a wrong direction that one more fact of any kind makes. */
const worstStep = (facts: FailureFacts.FailureFacts, by: FailurePolicy.FailurePolicy): number => {
  const before = judge(facts, by).probabilityFlaky
  return Math.max(
    ...more.up.map((change) => before - judge(change(facts), by).probabilityFlaky),
    ...more.down.map((change) => judge(change(facts), by).probabilityFlaky - before)
  )
}

describe("FailureVerdict.judge, laws", () => {
  it.prop("the same facts in another order give the same answer", [failureFacts, Schema.Int], ([facts, salt]) => {
    assert.deepStrictEqual(judge(shuffled(facts, salt)), judge(facts))
  })

  it.prop("the shown weights and the prior, calibrated, are the probability", [failureFacts], ([facts]) => {
    const answer = judge(facts)
    const score = answer.evidence.reduce((sum, { weight }) => sum + weight, policy.prior)
    assert.closeTo(answer.score, score, 1e-9)
    assert.closeTo(answer.probabilityFlaky, FailurePolicy.calibrate(score, policy.calibration), 1e-9)
    for (const { restsOn, sentence, weight } of answer.evidence) {
      assert.notStrictEqual(weight, 0)
      assert.isAbove(restsOn.length, 0, sentence)
      assert.match(sentence, /^[a-z\d].*[^.]$/u)
    }
  })

  it.prop("the probability is a probability", [failureFacts], ([facts]) => {
    const { probabilityFlaky } = judge(facts)
    assert.isTrue(probabilityFlaky >= 0 && probabilityFlaky <= 1)
  })

  it.prop("one more fact of a kind never moves the probability the other way", [failureFacts], ([facts]) => {
    assert.isAtMost(worstStep(facts, policy), 1e-12)
  })

  it("the law of directions notices a weight with the wrong sign", () => {
    const facts = FailureFacts.of(failure, { rows: [row("main", "passed", 3)], siblings: siblings("passed") })
    const wrong = { ...policy, weights: { ...policy.weights, sibling_jobs: -1 } }
    assert.isAbove(worstStep(facts, wrong), 0.01)
  })

  it.prop("facts decide before the score, in the order of precedence", [failureFacts], ([facts]) => {
    const { evidence, probabilityFlaky, verdict } = judge(facts)
    const isProven = facts.reruns.some(
      ({ conclusion, runId }) =>
        conclusion === "passed" && (!facts.failure.isPullRequest || runId === facts.failure.runId)
    )
    const base =
      facts.rows.find(({ branch }) => branch === facts.failure.base) ??
      facts.rows.find(({ branch }) => branch === "main")
    if (isProven) {
      assert.strictEqual(verdict, "flaky")
      assert.isAtLeast(probabilityFlaky, 0.98)
      assert.strictEqual(evidence[0]?.kind, "passed_on_rerun")
    } else if (base === undefined) assert.strictEqual(verdict, "new_test")
    else if (base.conclusion === "failed") assert.strictEqual(verdict, "broken_on_base")
    else if (verdict !== "outage") {
      const scored =
        probabilityFlaky >= policy.flakyFrom
          ? "flaky"
          : probabilityFlaky <= policy.newFailureTo
            ? "new_failure"
            : "undecided"
      assert.strictEqual(verdict, scored)
    }
  })

  it.prop("the answer names the failure and ends no sentence", [failureFacts], ([facts]) => {
    const { line, reason } = judge(facts)
    assert.isTrue(line.startsWith("Cart > sorts: ") && line.endsWith(reason))
    assert.match(reason, /[^.;: ]$/u)
    assert.notInclude(line, "undefined")
  })

  it.effect("every verdict is reached by the generated facts", () =>
    Effect.gen(function* () {
      const sample = yield* Arbitrary.sampleEffect(failureFacts, { count: 3000, seed: 1 })
      const verdicts = new Set(sample.map((facts) => judge(facts).verdict))
      assert.deepStrictEqual([...verdicts].sort(), [...FailureVerdict.Verdict.literals].sort())
    })
  )
})

describe("FailureVerdict.judge", () => {
  it("FailureVerdict.judge says how sure it is that a failure is a flake, and why", () => {
    const flakes = ["a", "b", "c"].map((commit) => ({ commit, jobName: "unit-22", at: failure.at - 1 }))
    const answer = judge(
      FailureFacts.of(failure, {
        reruns: [{ id: "e2", runId: "7", at: failure.at + 1, conclusion: "passed" }],
        test: { flakes, signatures: [] }
      })
    )
    assert.strictEqual(
      answer.line,
      "Cart > sorts: flaky (99 %): passed on this commit in job unit-22; failed and passed on 3 commits in 14 days"
    )
    assert.deepStrictEqual(answer.evidence[0]?.restsOn, [{ kind: "execution", id: "e2" }])
  })

  it("FailureVerdict.judge calls a failure new that fails everywhere after a long row of passes", () => {
    const answer = judge(
      FailureFacts.of(failure, {
        rows: [row("main", "passed", 40)],
        siblings: siblings("failed", "failed", "failed"),
        job: { passed: 200, failed: 6, silent: 0 }
      })
    )
    assert.strictEqual(
      answer.line,
      "Cart > sorts: new failure (probably this change): passed in the last 40 runs of main; fails in all 4 jobs"
    )
    assert.isBelow(answer.probabilityFlaky, 0.3)
    assert.isTrue(answer.isBlocking)
  })

  it("a pass in another run of a pull request proves nothing, because the base is merged into each run", () => {
    const facts = FailureFacts.of(failure, {
      rows: [row("main", "passed", 9)],
      reruns: [{ id: "e2", runId: "8", at: failure.at + 1, conclusion: "passed" }]
    })
    assert.notInclude(
      judge(facts).evidence.map(({ kind }) => kind),
      "passed_on_rerun"
    )
    const push = { ...facts, failure: { ...failure, isPullRequest: false, branch: "main" } }
    assert.strictEqual(judge(push).verdict, "flaky")
  })

  it("a release line comes before the default branch, and the default branch stands in for it", () => {
    const onRelease = { ...failure, base: "release/1" }
    const rows = [row("main", "passed", 9), row("release/1", "failed", 2)]
    assert.strictEqual(judge(FailureFacts.of(onRelease, { rows })).verdict, "broken_on_base")
    assert.notStrictEqual(judge(FailureFacts.of(onRelease, { rows: rows.slice(0, 1) })).verdict, "new_test")
    assert.strictEqual(
      judge(FailureFacts.of({ ...failure, base: "release/2" }, { rows: rows.slice(1) })).verdict,
      "new_test"
    )
  })

  it("FailureVerdict.judge says when the base fails with another message", () => {
    const other = { ...row("main", "failed", 2), signature: "s2" }
    assert.include(judge(FailureFacts.of(failure, { rows: [other] })).line, "there with another message")
  })

  it("the same tests on an unrelated branch at the same time are an outage; on a related one, or later, they are not", () => {
    const rows = [row("main", "passed", 9)]
    const elsewhere = (change: Partial<FailureFacts.JobRunElsewhere>) =>
      judge(
        FailureFacts.of(failure, {
          rows,
          elsewhere: [{ branch: "other", base: "main", commit: "x", at: failure.at, shared: 3, ...change }]
        })
      ).verdict
    assert.strictEqual(elsewhere({}), "outage")
    for (const change of [
      { shared: 2 },
      { branch: "topic" },
      { branch: "main" },
      { base: "topic" },
      { commit: "c9" },
      { at: failure.at - 7 * 3_600_000 }
    ]) {
      assert.notStrictEqual(elsewhere(change), "outage", JSON.stringify(change))
    }
  })

  it("a job run that fails as a whole without messages is an outage, with messages it is not", () => {
    const silent = { ...failure, message: null, signature: null }
    const known = { rows: [row("main", "passed", 9)], job: { passed: 1, failed: 20, silent: 20 } }
    assert.strictEqual(judge(FailureFacts.of(silent, known)).verdict, "outage")
    assert.notStrictEqual(judge(FailureFacts.of(failure, known)).verdict, "outage")
    assert.notStrictEqual(
      judge(FailureFacts.of(silent, { ...known, job: { passed: 3, failed: 20, silent: 20 } })).verdict,
      "outage"
    )
  })

  it("a failure without message and history is a new test, never a certainty", () => {
    const answer = judge(FailureFacts.of({ ...failure, message: null, signature: null, exceptionType: null }))
    assert.strictEqual(answer.verdict, "new_test")
    assert.isTrue(answer.probabilityFlaky > 0.1 && answer.probabilityFlaky < 0.9)
  })

  it("a known flake does not excuse a failure while the base passes", () => {
    const rows = [row("main", "passed", 9)]
    const flakes = Array.from({ length: 16 }, (_, index) => ({
      commit: `f${index}`,
      jobName: "unit",
      at: failure.at - 1
    }))
    const known = judge(FailureFacts.of(failure, { rows, test: { flakes, signatures: [] } }))
    const unknown = judge(FailureFacts.of(failure, { rows }))
    assert.strictEqual(known.probabilityFlaky, unknown.probabilityFlaky)
    assert.deepStrictEqual([known.isKnownFlake, unknown.isKnownFlake], [true, false])
    const reruns = [{ id: "e2", runId: failure.runId, at: failure.at + 1, conclusion: "passed" } as const]
    assert.isTrue(judge(FailureFacts.of(failure, { rows, reruns })).isKnownFlake)
  })
})

describe("FailureFeatures.measure", () => {
  it.prop("every kind has one direction", [failureFacts], ([facts]) => {
    const measures = FailureFeatures.measure(facts, policy)
    for (const kind of ["passed_on_rerun", "base_passed", "flakes_before", "elsewhere"] as const) {
      assert.isAtLeast(measures[kind], 0)
    }
    for (const kind of [
      "attempts",
      "base_failed",
      "base_row",
      "real_before",
      "job_failures",
      "pull_request"
    ] as const) {
      assert.isAtMost(measures[kind], 0)
    }
  })
})

describe("FailurePolicy", () => {
  it("the default policy is a valid policy whose calibration never falls", () => {
    const decoded = Schema.decodeUnknownSync(FailurePolicy.FailurePolicy)(policy)
    assert.deepStrictEqual(decoded, policy)
    const scores = Array.from({ length: 601 }, (_, index) => index / 10 - 30)
    const probabilities = scores.map((score) => FailurePolicy.calibrate(score, policy.calibration))
    assert.deepStrictEqual(
      probabilities,
      probabilities.toSorted((a, b) => a - b)
    )
  })
})
