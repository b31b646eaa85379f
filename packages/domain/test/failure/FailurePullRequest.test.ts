import {
  FailureGate,
  FailureHistory,
  FailureLookup,
  FailurePolicy,
  FailureVerdict,
  Instant,
  type JobRun
} from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const jobs = ["unit-20", "unit-22", "unit-24"]
const tests = Array.from({ length: 8 }, (_, index) => `test ${index}`)
const start = Date.UTC(2026, 0, 1)

/** Which failure a test has in a job: its message, or null for a pass. */
type Fails = (test: string, job: string) => string | null

const passes: Fails = () => null

const runsOf = (
  name: { readonly commit: string; readonly branch: string; readonly baseBranch: string | null; readonly at: number },
  fails: Fails,
  names: ReadonlyArray<string> = tests
): ReadonlyArray<JobRun.JobRun> =>
  jobs.map((jobName) => ({
    pipelineName: "CI",
    jobName,
    jobUrl: null,
    runId: `run of ${name.commit} at ${name.at}`,
    isFork: false,
    ...name,
    results: names.map((testName) => {
      const message = fails(testName, jobName)
      return {
        id: `${name.commit} ${name.at} ${jobName} ${testName}`,
        testName,
        conclusion: message === null ? "passed" : "failed",
        flaky: false,
        reruns: 0,
        exceptionType: null,
        message,
        file: null,
        signature: message
      }
    })
  }))

const record = (
  history: FailureHistory.FailureHistory,
  runs: ReadonlyArray<JobRun.JobRun>
): FailureHistory.FailureHistory => runs.reduce(FailureHistory.record, history)

/** A main branch of 30 commits, each run twice; test 0 is a flake in one job at a time, all others pass. */
const mainBranch = (seed: number): FailureHistory.FailureHistory => {
  let [state, history] = [Math.abs(seed) % 9973, FailureHistory.empty("main")]
  for (let run = 0; run < 60; run++) {
    state = (state * 7919 + 1) % 9973
    const flake = state % 5 === 0 && run < 58 ? jobs[state % 3] : undefined
    const name = { commit: `m${Math.floor(run / 2)}`, branch: "main", baseBranch: null, at: start + run * Instant.hour }
    history = record(
      history,
      runsOf(name, (test, job) => (test === "test 0" && job === flake ? "timeout" : null))
    )
  }
  return history
}

const after = start + 61 * Instant.hour

const pull = (number: number, at = after) => ({
  commit: `p${number}`,
  branch: `topic-${number}`,
  baseBranch: "main",
  at
})

const verdictsOf = (
  history: FailureHistory.FailureHistory,
  runs: ReadonlyArray<JobRun.JobRun>
): ReadonlyArray<FailureVerdict.FailureVerdict> => {
  const beside = FailureLookup.gather(runs)
  return runs.flatMap((run) =>
    run.results
      .filter(({ conclusion }) => conclusion === "failed")
      .map((result) =>
        FailureVerdict.judge(
          FailureLookup.factsOf(history, run, result, beside),
          FailurePolicy.defaults,
          FailureGate.defaults
        )
      )
  )
}

const names = (list: ReadonlyArray<FailureVerdict.FailureVerdict>): ReadonlyArray<string> => [
  ...new Set(list.map(({ verdict }) => verdict))
]

describe("verdicts on pull requests of a generated repository", () => {
  it.prop(
    "a test that the change breaks in every job is a new failure, one or all tests of it",
    [Schema.Int],
    ([seed]) => {
      const history = mainBranch(seed)
      for (const count of [1, 3, 8]) {
        const broken = new Set(tests.slice(-count))
        const list = verdictsOf(
          history,
          runsOf(pull(1), (test) => (broken.has(test) ? "wrong" : null))
        )
        assert.strictEqual(list.length, 3 * count)
        assert.deepStrictEqual(names(list), ["new_failure"])
      }
    }
  )

  it.prop(
    "a test that fails in one job of three is a flake, and surer after a pass in the same run",
    [Schema.Int],
    ([seed]) => {
      const history = mainBranch(seed)
      const runs = runsOf(pull(1), (test, job) => (test === "test 0" && job === "unit-22" ? "timeout" : null))
      const [before] = verdictsOf(history, runs)
      assert.strictEqual(before?.verdict, "flaky")
      const rerun = runs.map((run) => ({ ...run, at: run.at + 1 }))
      const passed = rerun.map((run) => ({
        ...run,
        results: run.results.map((each) => ({ ...each, id: `${each.id} again`, conclusion: "passed" as const }))
      }))
      const [proven] = verdictsOf(record(history, passed), runs)
      assert.strictEqual(proven?.verdict, "flaky")
      assert.isAbove(proven?.probabilityFlaky ?? 0, before?.probabilityFlaky ?? 1)
    }
  )

  it.prop("what main already fails is broken on base, until main is mended", [Schema.Int], ([seed]) => {
    const fails: Fails = (test) => (test === "test 5" ? "wrong" : null)
    const onMain = { branch: "main", baseBranch: null }
    const broken = record(mainBranch(seed), runsOf({ commit: "m30", ...onMain, at: after }, fails))
    assert.deepStrictEqual(names(verdictsOf(broken, runsOf(pull(1, after + 2), fails))), ["broken_on_base"])
    const mended = record(broken, runsOf({ commit: "m31", ...onMain, at: after + 3 }, passes))
    assert.deepStrictEqual(names(verdictsOf(mended, runsOf(pull(1, after + 4), fails))), ["new_failure"])
  })

  it.prop("a test that is not on main is new", [Schema.Int], ([seed]) => {
    const runs = runsOf(pull(1), (test) => (test === "added" ? "wrong" : null), [...tests, "added"])
    assert.deepStrictEqual(names(verdictsOf(mainBranch(seed), runs)), ["new_test"])
  })

  it.prop(
    "tests that fail on two unrelated pull requests at once are an outage, on one alone they are not",
    [Schema.Int],
    ([seed]) => {
      const history = mainBranch(seed)
      const fails: Fails = (test) => (["test 1", "test 2", "test 3"].includes(test) ? "refused" : null)
      const first = runsOf(pull(1), fails)
      const second = runsOf(pull(2, after + Instant.minute), fails)
      assert.deepStrictEqual(names(verdictsOf(history, first)), ["new_failure"])
      assert.deepStrictEqual(names(verdictsOf(record(history, first), second)), ["outage"])
      assert.deepStrictEqual(names(verdictsOf(record(history, [...first, ...second]), first)), ["outage"])
    }
  )

  it.prop("what a fork uploads changes no verdict on another branch", [Schema.Int], ([seed]) => {
    const history = mainBranch(seed)
    const fails: Fails = (test) => (test === "test 4" ? "wrong" : null)
    const fork = runsOf({ ...pull(1), branch: "main" }, fails).map((run) => ({ ...run, isFork: true }))
    const runs = runsOf(pull(2, after + 1), fails)
    assert.deepStrictEqual(verdictsOf(record(history, fork), runs), verdictsOf(history, runs))
  })
})
