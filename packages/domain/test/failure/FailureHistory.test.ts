import {
  FailureFacts,
  FailureGate,
  FailureHistory,
  FailureLookup,
  FailurePolicy,
  FailureVerdict,
  type JobRun
} from "@lazaret/domain"
import { jobRuns } from "@lazaret/domain/testing"
import { assert, describe, it } from "@effect/vitest"
import * as HashMap from "effect/HashMap"

const fold = (runs: ReadonlyArray<JobRun.JobRun>): FailureHistory.FailureHistory =>
  runs.reduce(FailureHistory.record, FailureHistory.empty("main"))

const result = (change: Partial<JobRun.TestResult> = {}): JobRun.TestResult => ({
  id: "r",
  testName: "test 0",
  conclusion: "failed",
  flaky: false,
  reruns: 0,
  exceptionType: null,
  message: "boom",
  file: null,
  signature: "s1",
  ...change
})

const run = (change: Partial<JobRun.JobRun> = {}): JobRun.JobRun => ({
  pipelineName: "CI",
  jobName: "unit-0",
  jobUrl: null,
  runId: "probe",
  commit: "probe",
  branch: "main",
  baseBranch: null,
  isFork: false,
  at: Date.UTC(2027, 0, 1),
  results: [result()],
  ...change
})

const factsOf = (
  history: FailureHistory.FailureHistory,
  probe: JobRun.JobRun,
  beside: ReadonlyArray<JobRun.JobRun> = [probe]
): FailureFacts.FailureFacts =>
  FailureLookup.factsOf(history, probe, probe.results[0] ?? result(), FailureLookup.gather(beside))

interface Seen {
  readonly run: JobRun.JobRun
  readonly result: JobRun.TestResult
}

const seenOf = (runs: ReadonlyArray<JobRun.JobRun>): ReadonlyArray<Seen> =>
  runs.flatMap((each) =>
    each.results.filter(({ testName }) => testName === "test 0").map((one) => ({ run: each, result: one }))
  )

/** The executions of one group after another, groups in the order of their last execution. */
const byCommit = (seen: ReadonlyArray<Seen>): ReadonlyArray<ReadonlyArray<Seen>> =>
  [...Map.groupBy(seen, ({ run: { commit } }) => commit).values()].sort(
    (a, b) => (a.at(-1)?.run.at ?? 0) - (b.at(-1)?.run.at ?? 0)
  )

const trailing = (seen: ReadonlyArray<Seen>): number => {
  const last = seen.at(-1)?.result.conclusion
  const other = seen.findLastIndex((one) => one.result.conclusion !== last)
  return seen.length - 1 - other
}

const has = (seen: ReadonlyArray<Seen>, conclusion: "passed" | "failed"): boolean =>
  seen.some((one) => one.result.conclusion === conclusion)

const isFlaky = (seen: ReadonlyArray<Seen>): boolean =>
  seen.some((one) => one.result.flaky) || (has(seen, "passed") && has(seen, "failed"))

describe("FailureHistory", () => {
  it.prop("the row, the flakes and the real failures are their plain definitions", [jobRuns], ([runs]) => {
    const facts = factsOf(fold(runs), run())
    const trusted = seenOf(runs.filter(({ isFork }) => !isFork))
    const pushes = trusted.filter((one) => one.run.baseBranch === null)
    const onMain = pushes.filter((one) => one.run.branch === "main" && one.run.jobName === "unit-0")
    const rows = byCommit(onMain).flat()
    const row = FailureFacts.baseRow(facts)
    assert.strictEqual(row?.conclusion, rows.at(-1)?.result.conclusion)
    if (rows.length > 0) assert.strictEqual(row?.length, trailing(rows))

    const groups = [
      ...Map.groupBy(pushes, (one) => `${one.run.jobName} ${one.run.branch} ${one.run.commit}`).values(),
      ...trusted.filter((one) => one.run.baseBranch !== null).map((one) => [one])
    ]
    assert.strictEqual(facts.test.flakes.length, Math.min(16, groups.filter(isFlaky).length))

    const own = Map.groupBy(
      pushes.filter((one) => one.run.jobName === "unit-0"),
      (one) => one.run.commit
    )
    const real = [...own].filter(([, seen]) => seen.length >= 2 && !has(seen, "passed")).map(([commit]) => commit)
    assert.deepStrictEqual(facts.realFailures.map(({ commit }) => commit).sort(), real.sort())
  })

  it.prop("its records stay bounded", [jobRuns], ([runs]) => {
    const history = fold(
      Array.from({ length: 8 }, (_, round) =>
        runs.map((each) => ({ ...each, commit: `${round} ${each.commit}`, at: each.at + round * 1e9 }))
      ).flat()
    )
    const { bounds } = FailureHistory
    for (const line of HashMap.values(history.lines)) assert.isAtMost(line.tallies.length, bounds.commits)
    for (const test of HashMap.values(history.tests)) assert.isAtMost(test.flakes.length, bounds.flakes)
    for (const real of HashMap.values(history.real)) assert.isAtMost(real.length, bounds.flakes)
    for (const list of HashMap.values(history.testRuns)) assert.isAtMost(list.length, bounds.runs)
    for (const list of HashMap.values(history.sightings)) assert.isAtMost(list.length, bounds.sightings)
    for (const list of HashMap.values(history.failedRuns)) assert.isAtMost(list.length, bounds.jobRuns)
  })

  it.prop("a fork changes no answer on another branch", [jobRuns], ([runs]) => {
    const without = fold(runs.filter(({ isFork }) => !isFork))
    assert.deepStrictEqual(factsOf(fold(runs), run()), factsOf(without, run()))
  })

  it.prop("a failure is judged the same before and after its own run is recorded", [jobRuns], ([runs]) => {
    const probe = run()
    const before = factsOf(fold(runs), probe)
    const after = factsOf(FailureHistory.record(fold(runs), probe), probe)
    assert.deepStrictEqual(after, before)
  })

  it.prop("every failure of every generated history gets an answer", [jobRuns], ([runs]) => {
    let history = FailureHistory.empty("main")
    for (const each of runs) {
      for (const one of each.results) {
        if (one.conclusion === "passed") continue
        const facts = FailureLookup.factsOf(history, each, one, FailureLookup.gather([each]))
        const answer = FailureVerdict.judge(facts, FailurePolicy.defaults, FailureGate.defaults)
        assert.isTrue(answer.probabilityFlaky > 0 && answer.probabilityFlaky < 1)
      }
      history = FailureHistory.record(history, each)
    }
  })
})

describe("FailureLookup.factsOf", () => {
  const passed = result({ conclusion: "passed", message: null, signature: null })
  const pull = { branch: "topic", baseBranch: "main", commit: "p1", runId: "1" }

  it("the jobs of the same run are siblings, the last attempt of a job stands for it", () => {
    const probe = run()
    const other = run({ jobName: "unit-1", at: probe.at - 2 })
    const retried = { ...other, at: probe.at - 1, results: [passed] }
    assert.deepStrictEqual(factsOf(fold([]), probe, [probe, other, retried]).siblings, [
      { pipelineName: "CI", jobName: "unit-1", conclusion: "passed" }
    ])
  })

  it("a pull request is compared with its base, never with its own branch", () => {
    const broken = run({ commit: "m1", branch: "main", at: 1 })
    const fixed = run({ commit: "r1", branch: "release/1", at: 2, results: [passed] })
    const facts = factsOf(fold([broken, fixed]), run({ ...pull, baseBranch: "release/1" }))
    assert.strictEqual(FailureFacts.baseRow(facts)?.branch, "release/1")
    assert.strictEqual(factsOf(fold([broken]), run({ branch: "topic" })).failure.base, "main")
    assert.strictEqual(
      factsOf(fold([run({ ...pull, baseBranch: "release/1", at: 3 })]), run({ branch: "release/1" })).failure.base,
      "release/1"
    )
  })

  it("a rerun of the job in the same run is a rerun of the same code", () => {
    const first = run({ ...pull, at: 1, results: [result({ id: "first", conclusion: "passed" })] })
    const facts = factsOf(fold([first]), run({ ...pull, results: [result({ id: "second" })] }))
    assert.deepStrictEqual(
      FailureFacts.provingReruns(facts).map(({ id }) => id),
      ["first"]
    )
    assert.deepStrictEqual(factsOf(fold([first]), run({ ...pull, runId: "2" })).reruns, [])
  })

  it("a pass stays a proof, however many failures follow it on the commit", () => {
    const first = run({ at: 1, results: [result({ id: "pass", conclusion: "passed" })] })
    const later = Array.from({ length: 20 }, (_, index) =>
      run({ at: 2 + index, results: [result({ id: `f${index}` })] })
    )
    assert.deepStrictEqual(
      FailureFacts.provingReruns(factsOf(fold([first, ...later]), run())).map(({ id }) => id),
      ["pass"]
    )
  })

  it("the pass of a fork proves nothing for another branch", () => {
    const fork = run({ isFork: true, at: 1, results: [passed] })
    assert.deepStrictEqual(factsOf(fold([fork]), run()).reruns, [])
  })

  it("pull requests that share failed tests are seen from each other", () => {
    const names = ["test 0", "test 1", "test 2"]
    const failing = names.map((testName) => result({ testName, id: testName }))
    const other = run({ ...pull, branch: "other", commit: "p2", at: Date.UTC(2026, 11, 31, 23), results: failing })
    const good = run({ commit: "m1", at: 1, results: names.map((testName) => ({ ...passed, testName })) })
    const facts = factsOf(fold([good, other]), run({ ...pull, results: failing }))
    assert.deepStrictEqual(
      facts.elsewhere.map(({ branch, shared }) => ({ branch, shared })),
      [{ branch: "other", shared: 3 }]
    )
    assert.strictEqual(FailureVerdict.judge(facts, FailurePolicy.defaults, FailureGate.defaults).verdict, "outage")
  })
})
