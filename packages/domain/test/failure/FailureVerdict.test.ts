import {
  FailureCalibration,
  FailureFacts,
  FailureGate,
  FailurePolicy,
  FailureVerdict,
  JobRecord
} from "@lazaret/domain"
import { failureFacts } from "@lazaret/domain/testing"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

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

const row = (
  branch: string,
  conclusion: "passed" | "failed",
  length: number,
  signature: string | null = "s1"
): FailureFacts.BranchRow => ({
  branch,
  conclusion,
  length,
  commit: `${branch} head`,
  at: failure.at - 1,
  signature: conclusion === "failed" ? signature : null,
  outcomes: Array.from({ length: Math.min(31, length) }, (_, index) => ({
    conclusion,
    commit: index === 0 ? `${branch} head` : `${branch} ${index}`,
    at: failure.at - 1 - index,
    isOutage: false,
    signature: conclusion === "failed" ? signature : null
  }))
})

/** The record of a job with green runs of the default branch, and others of pull requests. */
const green = (runs: number, red = 0): FailureFacts.FailureFacts["run"] => ({
  ...JobRecord.unknownRun,
  record: {
    base: Array.from({ length: runs }, (_, index) => ({
      at: failure.at - (index + 1) * 3_600_000,
      commit: `base ${index}`,
      passed: 100,
      failed: 0,
      isOutage: false,
      failures: []
    })),
    others: { runs, red }
  }
})

const known = {
  job: { passed: 99, failed: 0, silent: 0 },
  run: green(60, 6),
  totals: { passed: 1212, failed: 0 },
  seen: 0
}

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
    test: {
      flakes: mix(facts.test.flakes),
      signatures: mix(facts.test.signatures),
      others: mix(facts.test.others)
    },
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

const next =
  (conclusion: "passed" | "failed"): Change =>
  (facts) => ({
    ...facts,
    next: [...facts.next, { conclusion, commit: "next", at: failure.at + 1, isOutage: false, signature: null }]
  })

/** One more fact of a kind, and whether it speaks for a flake rather than for the change. */
const more: ReadonlyArray<readonly [change: Change, isForFlake: boolean]> = [
  [rerun("passed"), true],
  [sibling("passed"), true],
  [next("passed"), true],
  [next("failed"), false],
  [
    (facts) => ({
      ...facts,
      test: { ...facts.test, flakes: [...facts.test.flakes, { commit: "new", jobName: "unit", at: facts.failure.at }] }
    }),
    true
  ],
  [
    (facts) => ({
      ...facts,
      test: {
        ...facts.test,
        others: [
          ...facts.test.others,
          { branch: "fourth", commit: "o", jobName: "unit", at: facts.failure.at - 1, isSame: true }
        ]
      }
    }),
    true
  ],
  [rerun("failed"), false],
  [(facts) => ({ ...facts, failure: { ...facts.failure, attempts: facts.failure.attempts + 1 } }), false]
]

/** The greatest step in a wrong direction that one more fact of any kind makes, in bits between a flake and the change. */
const worstStep = (facts: FailureFacts.FailureFacts, by: FailurePolicy.FailurePolicy): number => {
  const bits = (given: FailureFacts.FailureFacts) => {
    const { change, flake } = judge(given, by).causes
    return Math.log2(flake) - Math.max(-20, Math.log2(change))
  }
  if (FailureFacts.provingReruns(facts).length > 0) return 0
  const before = bits(facts)
  return Math.max(
    ...more.map(([step, isForFlake]) => (isForFlake ? before - bits(step(facts)) : bits(step(facts)) - before))
  )
}

/** The sum over rates that are not known moves far odds by hundredths of a bit. */
const wobble = 0.05

const causes = FailurePolicy.Cause.literals

describe("FailureVerdict.judgeAll, laws", () => {
  it.prop("the same facts in another order give the same answer", [failureFacts, Schema.Int], ([facts, salt]) => {
    assert.deepStrictEqual(judge(shuffled(facts, salt)), judge(facts))
  })

  it.prop("the failures of a run in another order have the same answers", [failureFacts, failureFacts], ([a, b]) => {
    const second = { ...b, failure: { ...a.failure, id: "second", testName: "Cart > totals" } }
    const judgeBoth = (failures: ReadonlyArray<FailureFacts.FailureFacts>) =>
      FailureVerdict.judgeAll(failures, policy, FailureGate.defaults)
    assert.deepStrictEqual(judgeBoth([second, a]).toReversed(), [...judgeBoth([a, second])])
  })

  it.prop("the causes sum to 1, and the probability is one", [failureFacts], ([facts]) => {
    const answer = judge(facts)
    assert.closeTo(
      causes.reduce((sum, cause) => sum + answer.causes[cause], 0),
      1,
      1e-9
    )
    assert.isTrue(causes.every((cause) => answer.causes[cause] >= 0))
    assert.isTrue(answer.probabilityFlaky >= 0 && answer.probabilityFlaky <= 1)
  })

  it.prop("the bits that are shown are those that decided", [failureFacts, Schema.Boolean], ([facts, isOffset]) => {
    const offsets = { ...FailureCalibration.none, all: isOffset ? 0.7 : 0 }
    const answer = FailureVerdict.judge(facts, policy, FailureGate.defaults, offsets)
    const bits = (cause: FailurePolicy.Cause) => answer.evidence.reduce((sum, one) => sum + one.causes[cause], 0)
    const shown = causes.filter((cause) => answer.causes[cause] > 1e-9)
    const [first = "flake"] = shown
    for (const cause of shown) {
      const ratio = Math.log2(answer.causes[cause] / answer.causes[first])
      assert.closeTo(bits(cause) - bits(first), ratio, 1e-6)
    }
    assert.closeTo(
      answer.score,
      answer.evidence.reduce((sum, { weight }) => sum + weight, 0),
      1e-9
    )
    for (const { restsOn, sentence } of answer.evidence) {
      assert.isAbove(restsOn.length, 0, sentence)
      assert.match(sentence, /^[a-z\d].*[^.]$/u)
    }
  })

  it.prop("the sentence about the whole run names the cause that its weight speaks for", [failureFacts], ([facts]) => {
    const run = judge(facts).evidence.find(({ kind }) => kind === "run")
    if (run === undefined) return assert.fail("no evidence of the run")
    const isForChange = /fits this (?:change|commit) better than/u.test(run.sentence)
    const isForOther = /better than this (?:change|commit)$/u.test(run.sentence)
    const expected = Math.abs(run.weight) < 0.1 ? [false, false] : [run.weight < 0, run.weight > 0]
    assert.deepStrictEqual([isForChange, isForOther], expected, run.sentence)
  })

  it.prop("the rate at which the base broke since it passed has its own evidence", [failureFacts], ([facts]) => {
    const passing = { ...facts, failure, rows: [row("main", "passed", 9)] }
    const run = judge(passing).evidence.find(({ kind }) => kind === "run")
    assert.closeTo(run?.causes.base ?? 0, run?.causes.change ?? 1, 1e-6)
  })

  it.prop("one more fact of a kind never moves the odds of a flake the other way", [failureFacts], ([facts]) => {
    assert.isAtMost(worstStep(facts, policy), wobble)
  })

  it("the law of directions notices a number that is the wrong way round", () => {
    const facts = FailureFacts.of(failure, { ...known, rows: [row("main", "passed", 3)] })
    const wrong = { ...policy, attempts: { ...policy.attempts, flake: 1, change: 0.1 } }
    assert.isAbove(worstStep(facts, wrong), 2 * wobble)
  })

  it.prop("one more clean pass never makes a flake more probable", [failureFacts, Schema.Int], ([facts, salt]) => {
    const passed = Math.abs(salt % 2000)
    const flake = (count: number) => judge({ ...facts, totals: { passed: count, failed: 0 } }).causes.flake
    assert.isAtMost(flake(passed + 1), flake(passed) + 1e-9)
  })

  it.prop("a pass on the same code rules the change out", [failureFacts], ([facts]) => {
    const answer = judge(rerun("passed")(facts))
    assert.include(["flaky", "outage"], answer.verdict)
    assert.isAtLeast(answer.probabilityFlaky, 0.98)
    assert.isBelow(answer.causes.change + answer.causes.base, 1e-3)
  })

  it.prop("what health excuses is an outage, before and after the rerun", [failureFacts], ([facts]) => {
    const judgement = { isOutage: true, isExcused: true, hit: 7, passedBefore: 20 }
    const excused = { ...facts, run: { ...facts.run, judgement }, rows: [row("main", "passed", 9)], siblings: [] }
    assert.strictEqual(judge(rerun("passed")(excused)).verdict, "outage")
  })

  it.prop("the answer names the failure and ends no sentence", [failureFacts], ([facts]) => {
    const { line, reason } = judge(facts)
    assert.isTrue(line.startsWith("Cart > sorts: ") && line.endsWith(reason))
    assert.match(reason, /[^.;: ]$/u)
    assert.notInclude(line, "undefined")
  })
})

describe("FailureVerdict.judge", () => {
  it("a test that never failed in a thousand runs is broken by the pull request that fails it, in a repository with one job", () => {
    const answer = judge(FailureFacts.of(failure, { ...known, rows: [row("main", "passed", 31)] }))
    assert.strictEqual(answer.verdict, "new_failure")
    assert.include(answer.reason, "never failed in 1,212 runs of main")
    assert.isBelow(answer.probabilityFlaky, 0.3)
  })

  it("a test that flaked before is flaky again, also while its last run on main flaked", () => {
    const flakes = ["a", "b", "c", "d", "e"].map((commit) => ({ commit, jobName: "unit-22", at: failure.at - 1 }))
    const facts = FailureFacts.of(failure, {
      ...known,
      rows: [row("main", "passed", 5)],
      test: { flakes, signatures: ["s1"], others: [] }
    })
    assert.strictEqual(judge(facts).verdict, "flaky")
    const failing = {
      ...row("main", "failed", 1),
      outcomes: [...row("main", "failed", 1).outcomes, ...row("main", "passed", 9).outcomes]
    }
    assert.strictEqual(judge({ ...facts, rows: [failing] }).verdict, "flaky")
  })

  it("a break on main is new there since its commit, never flaky without evidence", () => {
    const onMain = { ...failure, branch: "main", isPullRequest: false, commit: "4f1c2a30b" }
    const answer = judge(FailureFacts.of(onMain, { ...known, rows: [row("main", "passed", 31)] }))
    assert.notStrictEqual(answer.verdict, "flaky")
    assert.isBelow(answer.causes.flake, 0.5)
    const broken = FailureFacts.of(onMain, {
      ...known,
      seen: 0,
      rows: [row("main", "passed", 31)],
      siblings: siblings("failed")
    })
    assert.strictEqual(judge(broken).title, "new on main since 4f1c2a3")
  })

  /** A record in which one other test failed in some runs of main, the latest run first. */
  const failingOnMain = (fails: (index: number) => boolean): FailureFacts.FailureFacts["run"] => {
    const { record } = green(160, 4)
    const base = record.base.map((run, index) => ({ ...run, failures: fails(index) ? ["Cart > stacks"] : [] }))
    return { ...green(160, 4), record: { ...record, base } }
  }

  it("two flakes of one test in a row are no break of main", () => {
    const rowOn = { ...known, rows: [row("main", "passed", 31)] }
    const since = (fails: (index: number) => boolean) =>
      judge(FailureFacts.of(failure, { ...rowOn, run: failingOnMain(fails) })).evidence.find(
        ({ kind }) => kind === "base"
      )
    const calm = since(() => false)
    const flaking = since((index) => index % 20 < 2 || index % 7 === 0)
    const breaking = since((index) => index % 40 < 2)
    assert.closeTo(flaking?.causes.base ?? 0, calm?.causes.base ?? 1, 0.5)
    assert.isAbove(breaking?.causes.base ?? 0, (calm?.causes.base ?? 0) + 1)
    assert.match(
      calm?.sentence ?? "",
      /^passed in the last 31 runs of main, which may have broken since then \(.*%\)$/u
    )
  })

  it("between this change and a break on main, the next run of main would decide", () => {
    const elsewhere = [{ branch: "other", base: "main", commit: "o", at: failure.at - 1, shared: 1 }]
    const run = failingOnMain((index) => index % 80 < 2)
    const facts = FailureFacts.of(
      { ...failure, attempts: 6 },
      { ...known, run, elsewhere, rows: [row("main", "passed", 31)] }
    )
    const answer = judge(facts)
    assert.strictEqual(answer.verdict, "undecided")
    assert.include(answer.reason, "this change or a break on main: the next run of main would decide")
  })

  it("a row of failures on main is broken there, for a pull request and for main itself", () => {
    const rows = [
      {
        ...row("main", "failed", 3),
        outcomes: [...row("main", "failed", 3).outcomes, ...row("main", "passed", 9).outcomes]
      }
    ]
    assert.strictEqual(judge(FailureFacts.of(failure, { ...known, rows })).verdict, "broken_on_base")
    const onMain = { ...failure, branch: "main", isPullRequest: false }
    assert.strictEqual(judge(FailureFacts.of(onMain, { ...known, rows })).title, "broken on main before this commit")
  })

  it("many tests with one network message are an outage, also for the first pull request that meets it", () => {
    const down = (index: number) =>
      FailureFacts.of(
        {
          ...failure,
          id: `e${index}`,
          testName: `t${index}.test.ts > works`,
          file: null,
          message: "connect ECONNREFUSED 10.0.0.5:5432",
          exceptionType: "Error",
          signature: "down"
        },
        { ...known, job: { passed: 17, failed: 7, silent: 0 }, rows: [row("main", "passed", 31)] }
      )
    const verdicts = FailureVerdict.judgeAll(
      Array.from({ length: 8 }, (_, index) => down(index)),
      policy,
      FailureGate.defaults
    )
    assert.deepStrictEqual(new Set(verdicts.map(({ verdict }) => verdict)), new Set(["outage"]))
    assert.notStrictEqual(judge(down(0)).verdict, "outage")
  })

  it("a test without any history is new, and the answer says how little is known", () => {
    const answer = judge(FailureFacts.of({ ...failure, message: null, signature: null, exceptionType: null }))
    assert.strictEqual(answer.verdict, "new_test")
    assert.include(answer.reason, "never ran on main")
    assert.include(answer.reason, "only 0 commits of main known")
    assert.isTrue(answer.probabilityFlaky > 0.02 && answer.probabilityFlaky < 0.98)
  })

  it("a new test in the repository, a new one in this job and a file that does not load have names of their own", () => {
    const previousRuns = [{ branch: "main", passed: 2, failed: 0 }]
    assert.strictEqual(judge(FailureFacts.of(failure, known)).title, "new test that fails")
    assert.strictEqual(
      judge(FailureFacts.of(failure, { ...known, previousRuns })).title,
      "new in job unit-22, and fails there"
    )
    const unloaded = { file: "session.test.ts", tests: 4 }
    const missing = judge(FailureFacts.of(failure, { ...known, unloaded }))
    assert.strictEqual(missing.title, "file did not load")
    assert.strictEqual(missing.line, "4 tests of `session.test.ts` did not run: boom")
    assert.include(missing.reason, missing.line)
  })

  it("a release line comes before the default branch, and the default branch stands in for it", () => {
    const onRelease = { ...failure, base: "release/1" }
    const rows = [row("main", "passed", 9), row("release/1", "failed", 4)]
    assert.strictEqual(judge(FailureFacts.of(onRelease, { ...known, rows })).verdict, "broken_on_base")
    assert.notStrictEqual(judge(FailureFacts.of(onRelease, { ...known, rows: rows.slice(0, 1) })).verdict, "new_test")
    assert.strictEqual(
      judge(FailureFacts.of({ ...failure, base: "release/2" }, { ...known, rows: rows.slice(1) })).verdict,
      "new_test"
    )
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

  it("what is not known says nothing: without other jobs there is no evidence of jobs", () => {
    const kinds = judge(FailureFacts.of(failure, { ...known, rows: [row("main", "passed", 9)] })).evidence.map(
      ({ kind }) => kind
    )
    assert.notInclude(kinds, "jobs")
    assert.notInclude(kinds, "attempts")
    assert.notInclude(kinds, "calibration")
  })

  it("a flake is never called so where nothing has shown that tests flake", () => {
    const slow = { ...failure, message: "timed out after <*>", exceptionType: null }
    const first = FailureFacts.of(slow, { ...known, run: green(3), totals: null, rows: [row("main", "passed", 3)] })
    assert.isAtLeast(judge(first).causes.flake, 0.6)
    assert.strictEqual(judge(first).verdict, "undecided")
    assert.include(judge(first).reason, "this change or a flake: ")
    const flakes = [{ commit: "a", jobName: "unit-22", at: failure.at - 1 }]
    assert.strictEqual(judge({ ...first, test: { flakes, signatures: [], others: [] } }).verdict, "flaky")
    assert.strictEqual(judge({ ...first, quarantine: { id: "q", reason: "flaky", signatures: [] } }).verdict, "flaky")
  })

  it("an outage that health does not see is undecided until another run shows it", () => {
    const slow = { ...failure, file: null, exceptionType: null, message: "timed out after 5 s" }
    const suite = (isOutage: boolean, elsewhere: FailureFacts.FailureFacts["elsewhere"] = []) => {
      const run = { ...green(20), judgement: { isOutage, isExcused: false, hit: 8, passedBefore: 1008 } }
      return Array.from({ length: 8 }, (_, index) =>
        FailureFacts.of(
          { ...slow, id: `e${index}`, testName: `part ${index} > case` },
          { ...known, job: { passed: 1000, failed: 7, silent: 0 }, run, elsewhere, rows: [row("main", "passed", 20)] }
        )
      )
    }
    const first = (...given: Parameters<typeof suite>) =>
      FailureVerdict.judgeAll(suite(...given), policy, FailureGate.defaults)[0]
    const likely = first(false)?.causes.environment ?? 0
    assert.isTrue(likely >= policy.decidedFrom && likely < policy.outageAgainst, String(likely))
    assert.strictEqual(first(false)?.verdict, "undecided")
    assert.include(first(false)?.reason, "this change or an outage: ")
    assert.strictEqual(first(true)?.verdict, "outage")
    const other = { branch: "other", base: "main", commit: "o", at: failure.at - 1, shared: 8 }
    assert.strictEqual(first(false, [other])?.verdict, "outage")
  })

  it("a broken base or an outage, neither of them sure, is named by the more probable one: it is not this change", () => {
    const shown = row("main", "failed", 1)
    const rows = [{ ...shown, outcomes: shown.outcomes.map((each) => ({ ...each, isOutage: true })) }]
    const facts = FailureFacts.of({ ...failure, message: "boom" }, { ...known, run: green(30), rows })
    const found = Array.from({ length: 40 }, (_, step) => {
      const rates = { ...policy.rates, brokenOutage: 0.8 ** step }
      const { causes: each, verdict } = FailureVerdict.judge(facts, { ...policy, rates }, FailureGate.defaults)
      return { verdict, base: each.base, outside: each.environment + each.dependency }
    })
    const unsure = found.filter(({ base, outside }) => Math.max(base, outside) < policy.decidedFrom)
    for (const { base, outside, verdict } of unsure) {
      assert.isAtLeast(base + outside, policy.eitherFrom)
      assert.strictEqual(verdict, outside > base ? "outage" : "broken_on_base")
    }
    assert.strictEqual(new Set(unsure.map(({ verdict }) => verdict)).size, 2)
  })

  it("an own error among failures with other causes is not excused with them", () => {
    const run = { ...green(20), judgement: { isOutage: true, isExcused: false, hit: 12, passedBefore: 100 } }
    const suite = (branch: string, seen: number) =>
      Array.from({ length: 12 }, (_, index) => {
        const said = index === 0 ? "expected 'page' to equal 'order'" : "connect ECONNREFUSED <*>:<*>"
        const one = { ...failure, id: `e${index}`, testName: `part ${index} > case`, file: null, exceptionType: null }
        return FailureFacts.of(
          { ...one, branch, isPullRequest: branch !== "main", message: said, signature: said },
          { ...known, job: { passed: 88, failed: 11, silent: 0 }, run, seen, rows: [row("main", "passed", 20)] }
        )
      })
    const verdicts = (...given: Parameters<typeof suite>) =>
      FailureVerdict.judgeAll(suite(...given), policy, FailureGate.defaults).map(({ verdict }) => verdict)
    assert.deepStrictEqual(new Set(verdicts("topic", 3)), new Set(["outage"]))
    const [own, ...others] = verdicts("topic", 0)
    assert.strictEqual(own, "undecided")
    assert.deepStrictEqual(new Set(others), new Set(["outage"]))
    assert.deepStrictEqual(new Set(verdicts("main", 0)), new Set(["outage"]))
  })

  it("a base that failed with another message does not explain one that no other branch has shown", () => {
    const facts = (signature: string, seen: number) =>
      FailureFacts.of(failure, { ...known, rows: [row("main", "failed", 9, signature)], seen })
    const sure = (signature: string, seen: number) => {
      const asked = facts(signature, seen)
      return judge(asked, { ...policy, decidedFrom: judge(asked).causes.base - 0.01 }).verdict
    }
    assert.strictEqual(sure("s1", 0), "broken_on_base")
    assert.strictEqual(sure("other", 1), "broken_on_base")
    assert.strictEqual(sure("other", 0), "undecided")
  })

  it("failures whose files are not known say nothing about files", () => {
    const suite = (named: boolean) =>
      Array.from({ length: 8 }, (_, index) =>
        FailureFacts.of(
          { ...failure, id: `e${index}`, testName: named ? `part ${index} > case` : `case ${index}`, file: null },
          { ...known, job: { passed: 0, failed: 7, silent: 0 }, run: green(20), rows: [row("main", "passed", 20)] }
        )
      )
    const environment = (named: boolean) =>
      FailureVerdict.judgeAll(suite(named), policy, FailureGate.defaults)[0]?.causes.environment ?? 0
    assert.isAbove(environment(true), environment(false) + 0.1)
  })

  it("FailureVerdict.judge knows a flake by a contradiction or a quarantine", () => {
    const flakes = [{ commit: "a", jobName: "unit-22", at: failure.at - 1 }]
    const rows = [row("main", "passed", 9)]
    assert.isTrue(judge(FailureFacts.of(failure, { rows, test: { flakes, signatures: [], others: [] } })).isKnownFlake)
    const quarantine = { id: "q1", reason: "flaky", signatures: [] }
    const of = (facts: Partial<FailureFacts.FailureFacts>) => {
      const { isKnownFlake, quarantined } = judge(FailureFacts.of(failure, { rows, ...facts }))
      return { isKnownFlake, quarantined }
    }
    assert.deepStrictEqual(of({}), { isKnownFlake: false, quarantined: false })
    assert.deepStrictEqual(of({ quarantine }), { isKnownFlake: true, quarantined: true })
  })
})

describe("FailureVerdict.judge, what it says", () => {
  const calm = { ...known, rows: [row("main", "passed", 31)] }
  const again = { id: "late", runId: failure.runId, at: failure.at, conclusion: "passed" } as const

  it("the odds are those without the calibration, and the offset is added to them", () => {
    const offsets = { ...FailureCalibration.none, all: 1.5 }
    const facts = FailureFacts.of(failure, calm)
    const { odds, probabilityFlaky } = FailureVerdict.judge(facts, policy, FailureGate.defaults, offsets)
    assert.closeTo(Math.log2(probabilityFlaky / (1 - probabilityFlaky)), odds + 1.5, 1e-9)
    assert.closeTo(odds, judge(facts).odds, 1e-9)
  })

  it("a proven flake has odds of 99 to 1, whatever the calibration is", () => {
    const offsets = { ...FailureCalibration.none, all: 3 }
    const facts = FailureFacts.of(failure, { ...calm, reruns: [again] })
    const { odds, probabilityFlaky } = FailureVerdict.judge(facts, policy, FailureGate.defaults, offsets)
    assert.deepStrictEqual([probabilityFlaky, Number(odds.toFixed(9))], [0.99, Number(Math.log2(99).toFixed(9))])
  })

  it("a calibration that lowers the odds says so", () => {
    const said = (all: number) =>
      FailureVerdict.judge(FailureFacts.of(failure, calm), policy, FailureGate.defaults, {
        ...FailureCalibration.none,
        all
      }).evidence.find(({ kind }) => kind === "calibration")?.sentence
    assert.strictEqual(said(0.5), "failures like this pass again more often in this repository")
    assert.strictEqual(said(-0.5), "failures like this pass again less often in this repository")
  })

  it("a failure without a report has no execution", () => {
    assert.deepStrictEqual(
      ["", "e1"].map((id) => judge(FailureFacts.of({ ...failure, id }, calm)).executionId),
      [null, "e1"]
    )
  })

  it("the answer says how few commits are known below the number of the policy", () => {
    const reason = (runs: number) => judge(FailureFacts.of(failure, { ...calm, run: green(runs) })).reason
    assert.include(reason(19), "only 19 commits of main known")
    assert.notInclude(reason(20), "commits of main known")
  })

  it("a dependency that changed has a title of its own", () => {
    const facts = FailureFacts.of(failure, {
      ...calm,
      seen: 4,
      elsewhere: [{ branch: "other", base: "main", commit: "o", at: failure.at, shared: 3 }]
    })
    const rates = { ...policy.rates, dependencies: 0.9999, outageAgain: 0.9, outages: { count: 20, of: 25 } }
    const answer = judge(facts, { ...policy, rates, decidedFrom: 0.1, outageAgainst: 0.1, ownOutageAgainst: 0.1 })
    assert.deepStrictEqual(
      [answer.verdict, answer.cause, answer.title],
      ["outage", "dependency", "changed outside of this repository (a dependency)"]
    )
  })

  it("the reason of a file that did not load is the missing tests, and of the run only further attempts", () => {
    const unloaded = { file: "session.test.ts", tests: 1 }
    const facts = { ...known, unloaded, earlier: { commits: 3, same: 3 } }
    assert.strictEqual(
      judge(FailureFacts.of(failure, facts)).reason.split("; ")[0],
      "1 test of `session.test.ts` did not run: boom"
    )
    assert.notInclude(judge(FailureFacts.of(failure, facts)).reason, "earlier commit")
    assert.include(judge(FailureFacts.of({ ...failure, attempts: 3 }, facts)).reason, "all 3 attempts")
    assert.include(judge(FailureFacts.of({ ...failure, attempts: 3 }, facts)).reason, "did not run")
  })
})
