import { FailureFacts, FailureGate, FailurePolicy, FailureSummary, FailureVerdict, TestIdentity } from "@lazaret/domain"
import { failureFacts } from "@lazaret/domain/testing"
import { assert, describe, it } from "@effect/vitest"

const open: FailureGate.FailureGate = {
  quarantined: true,
  flaky: 0,
  brokenOnBase: 0,
  outage: 0,
  dependency: 0,
  quarantineLimit: null,
  leastPrecision: 0.9,
  missing: "pass"
}

const judge = (facts: FailureFacts.FailureFacts, gate: FailureGate.GateInForce) =>
  FailureVerdict.judge(facts, FailurePolicy.defaults, gate)

const certain: FailurePolicy.PerCause = { flake: 0, change: 0, base: 0, environment: 1, dependency: 0 }

const decide = (
  known: Omit<FailureGate.Judged, "cause" | "causes"> & { readonly cause?: FailurePolicy.Cause },
  gate: Partial<FailureGate.GateInForce>,
  quarantine: FailureFacts.QuarantineFact | null = null
) =>
  FailureGate.decide(
    FailureFacts.of(failure, { quarantine }),
    { cause: null, causes: certain, ...known },
    { ...FailureGate.defaults, ...gate }
  )

const failure: FailureFacts.FailedExecution = {
  id: "e1",
  testName: "Cart > sorts",
  pipelineName: "CI",
  jobName: "unit",
  at: 0,
  commit: "c1",
  branch: "topic",
  base: "main",
  isPullRequest: true,
  runId: "1",
  attempts: 1,
  exceptionType: null,
  message: "boom",
  file: null,
  jobUrl: null,
  signature: "s1"
}

const quarantine = { id: "q", reason: "flaky", signatures: ["s1"] }

describe("FailureGate.decide", () => {
  it.prop("by default quarantined failures pass, and no others", [failureFacts], ([facts]) => {
    assert.strictEqual(judge(facts, FailureGate.defaults).isBlocking, facts.quarantine === null)
  })

  it.prop("a gate that lets more pass never blocks more", [failureFacts], ([facts]) => {
    for (const gate of [FailureGate.defaults, { ...FailureGate.defaults, quarantineLimit: 0.9 }]) {
      const opened = { ...open, quarantineLimit: gate.quarantineLimit }
      assert.isTrue(judge(facts, gate).isBlocking || !judge(facts, opened).isBlocking)
      const suspended = { ...opened, suspended: "flaky was wrong too often" }
      assert.deepStrictEqual(judge(facts, suspended).isBlocking, judge(facts, gate).isBlocking)
    }
  })

  it.prop("new failures, new tests and undecided ones block at every setting", [failureFacts], ([facts]) => {
    const { isBlocking, verdict } = judge({ ...facts, quarantine: null }, open)
    assert.strictEqual(isBlocking, !["flaky", "broken_on_base", "outage"].includes(verdict))
  })

  it.prop("a failure of the run itself blocks at every setting, quarantined or not", [failureFacts], ([facts]) => {
    const ofRun = { ...facts, failure: { ...facts.failure, testName: TestIdentity.testRun } }
    for (const gate of [FailureGate.defaults, open]) assert.isTrue(judge(ofRun, gate).isBlocking)
  })

  it("a flake passes from the threshold on, and the reason names both", () => {
    const flaky = { verdict: "flaky", probabilityFlaky: 0.95 } as const
    assert.isFalse(decide(flaky, { flaky: 0.95 }).isBlocking)
    assert.deepStrictEqual(decide(flaky, { flaky: 0.96 }), {
      isBlocking: true,
      reason: "the gate lets flaky failures pass from 96 % on, and this is 95 %"
    })
    assert.deepStrictEqual(decide(flaky, {}), { isBlocking: true, reason: "the gate does not let flaky failures pass" })
    assert.deepStrictEqual(decide(flaky, { flaky: 0.9, suspended: "flaky was wrong too often" }), {
      isBlocking: true,
      reason: "the gate lets no flaky failures pass at the moment: flaky was wrong too often"
    })
  })

  it("a limited quarantine holds for its signatures and for probable flakes alone", () => {
    const sure = { verdict: "flaky", probabilityFlaky: 0.95 } as const
    const new_ = { verdict: "new_failure", probabilityFlaky: 0.2 } as const
    const limit = { quarantineLimit: 0.9 }
    assert.isFalse(decide(sure, limit, { ...quarantine, signatures: [] }).isBlocking)
    assert.isFalse(decide(new_, limit, quarantine).isBlocking)
    assert.deepStrictEqual(decide(new_, limit, { ...quarantine, signatures: ["s2"] }), {
      isBlocking: true,
      reason: "the test is quarantined, but not for this failure"
    })
    assert.isFalse(decide(new_, {}, { ...quarantine, signatures: ["s2"] }).isBlocking)
  })

  it("what a dependency broke passes by a setting of its own, and not by that of outages", () => {
    const causes = { ...certain, environment: 0.2, dependency: 0.8 }
    const judged = { verdict: "outage", cause: "dependency", causes, probabilityFlaky: 0.1 } as const
    const isBlocking = (gate: Partial<FailureGate.FailureGate>) =>
      FailureGate.decide(FailureFacts.of(failure), judged, { ...FailureGate.defaults, ...gate }).isBlocking
    assert.deepStrictEqual(
      [isBlocking({ outage: 0 }), isBlocking({ dependency: 0.7 }), isBlocking({ dependency: 0.9 })],
      [true, false, true]
    )
  })

  it("a failure that the base shows with the same signature is surer than one with another", () => {
    const facts = (signature: string | null) =>
      FailureFacts.of(failure, {
        rows: [{ branch: "main", conclusion: "failed", length: 2, commit: "c0", at: -1, signature, outcomes: [] }]
      })
    const judged = { verdict: "broken_on_base", probabilityFlaky: 0.2, cause: "base", causes: certain } as const
    assert.strictEqual(FailureGate.certainty(facts("s1"), judged), 1)
    assert.strictEqual(FailureGate.certainty(facts("s2"), judged), 0.5)
    assert.strictEqual(FailureGate.certainty(facts(null), judged), 0.5)
  })
})

describe("FailureSummary.of", () => {
  const one = (verdict: FailureVerdict.Verdict, isBlocking: boolean) => ({ verdict, isBlocking })

  it("FailureSummary.of counts by verdict, concludes by what blocks, and says it in one sentence", () => {
    const table = [
      [[], "success", "No test failed."],
      [[one("flaky", false)], "neutral", "1 failure: 1 flaky; none blocks."],
      [[one("new_failure", true)], "failure", "1 failure: 1 probably caused by this change; it blocks."],
      [
        [one("flaky", false), one("new_failure", true), one("flaky", false)],
        "failure",
        "3 failures: 1 probably caused by this change, 2 flaky; 1 blocks."
      ]
    ] as const
    for (const [verdicts, conclusion, sentence] of table) {
      const summary = FailureSummary.of(verdicts, true)
      assert.strictEqual(summary.conclusion, conclusion)
      assert.strictEqual(summary.sentence, sentence)
      assert.strictEqual(
        Object.values(summary.counts).reduce((sum, count) => sum + count, 0),
        verdicts.length
      )
    }
  })

  it("FailureSummary.isComplete waits for a missing job twice as long as it took on the base, within its bounds", () => {
    const minute = 60_000
    const from = (start: number) => {
      const runs = [
        { pipelineName: "CI", jobName: "lint", runId: "7", runAttempt: 1, at: start },
        { pipelineName: "CI", jobName: "unit", runId: "7", runAttempt: 1, at: start + 5 * minute }
      ]
      return (jobName: string, after: number, now: number) =>
        FailureSummary.isComplete([{ pipelineName: "CI", jobName, after: after * minute }], runs, start + now * minute)
    }
    for (const isComplete of [from(0), from(Date.UTC(2026, 0, 31))]) {
      assert.isTrue(isComplete("unit", 60, 6))
      assert.deepStrictEqual([isComplete("e2e", 20, 40), isComplete("e2e", 20, 41)], [false, true])
      assert.deepStrictEqual([isComplete("docs", 0, 10), isComplete("docs", 0, 11)], [false, true])
      assert.deepStrictEqual([isComplete("soak", 600, 125), isComplete("soak", 600, 126)], [false, true])
    }
  })

  it("failures that were not judged block, and the sentence says how many they are", () => {
    const summary = FailureSummary.of([one("flaky", false)], true, 3)
    assert.deepStrictEqual([summary.conclusion, summary.blocking, summary.unjudged], ["failure", 0, 3])
    assert.strictEqual(
      summary.sentence,
      "1 failure: 1 flaky; none blocks. 3 more failures block unjudged: too many failed, so only the first 1 by name are judged."
    )
  })

  it("FailureSummary.of says that jobs are still running", () => {
    assert.strictEqual(FailureSummary.of([], false).sentence, "No test failed. Jobs are still running.")
  })
})

describe("FailureGate, what it lets pass", () => {
  it("a gate excuses by verdict as soon as one of its thresholds is set", () => {
    const { defaults, excuses } = FailureGate
    assert.isFalse(excuses({ ...defaults, flaky: null, brokenOnBase: null, outage: null, dependency: null }))
    for (const name of ["flaky", "brokenOnBase", "outage", "dependency"] as const) {
      const none = { ...defaults, flaky: null, brokenOnBase: null, outage: null, dependency: null }
      assert.isTrue(excuses({ ...none, [name]: 0 }), name)
    }
  })

  it("a limited quarantine holds from its limit on", () => {
    const of = (probabilityFlaky: number) =>
      decide({ verdict: "new_failure", probabilityFlaky }, { quarantineLimit: 0.9 }, { ...quarantine, signatures: [] })
        .isBlocking
    assert.deepStrictEqual([of(0.89), of(0.9)], [true, false])
  })

  it("a verdict that no threshold is about has no certainty", () => {
    for (const verdict of ["new_failure", "new_test", "undecided"] as const) {
      const judged = { verdict, probabilityFlaky: 0.9, cause: null, causes: certain }
      assert.strictEqual(FailureGate.certainty(FailureFacts.of(failure), judged), 0)
    }
  })
})

describe("FailureSummary, the rest", () => {
  it("one failure that was not judged blocks, also where the judged ones pass", () => {
    const summary = FailureSummary.of([{ verdict: "flaky", isBlocking: true }], true, 1)
    assert.strictEqual(summary.conclusion, "failure")
    assert.include(summary.sentence, "1 more failure blocks unjudged")
  })

  it("tests that did not run are in the sentence, and decide the conclusion where the gate blocks such runs", () => {
    const summary = FailureSummary.of([], true)
    const of = (isBlocking: boolean) => {
      const { conclusion, sentence } = FailureSummary.withMissing(summary, "3 tests did not run.", isBlocking)
      return [conclusion, sentence]
    }
    assert.deepStrictEqual(of(false), ["success", "No test failed. 3 tests did not run."])
    assert.deepStrictEqual(of(true), [
      "failure",
      "No test failed. 3 tests did not run. The gate does not let such a run pass."
    ])
  })

  it("a commit of forks alone concludes nothing, and is not complete", () => {
    const { complete, conclusion } = FailureSummary.ofForksOnly()
    assert.deepStrictEqual([complete, conclusion], [false, "neutral"])
  })
})
