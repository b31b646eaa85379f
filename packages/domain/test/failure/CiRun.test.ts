import { assert, describe, it } from "@effect/vitest"
import { CiRun, FailureSummary } from "@lazaret/domain"
import * as fc from "fast-check"

const minute = 60_000

const run = (parts: Partial<CiRun.CiRun> = {}): CiRun.CiRun => ({
  runId: "7",
  pipelineName: "CI",
  commit: "c",
  attempt: 1,
  state: "running",
  at: 0,
  ...parts
})

const unit = { pipelineName: "CI", jobName: "unit", runId: "7", runAttempt: 1, at: 0 }

const expected = (...jobs: ReadonlyArray<string>) =>
  jobs.map((jobName) => ({ pipelineName: "CI", jobName, after: minute }))

const isComplete = (jobs: ReadonlyArray<string>, now: number, ...runs: ReadonlyArray<CiRun.CiRun>) =>
  FailureSummary.isComplete(expected(...jobs), [unit], now * minute, runs)

describe("runs that the CI system reports", () => {
  it("a missing job is waited for until its run is over, and ten minutes for its report", () => {
    assert.isTrue(isComplete(["unit", "e2e"], 60), "without a word of the CI system")
    assert.isFalse(isComplete(["unit", "e2e"], 60, run()))
    const over = run({ state: "over", at: 60 * minute })
    assert.isFalse(isComplete(["unit", "e2e"], 9, { ...over, at: 0 }))
    assert.isTrue(isComplete(["unit", "e2e"], 70, over))
    assert.isTrue(isComplete(["unit", "e2e"], 360, run()), "jobs end after six hours at the latest")
  })

  it("a run whose known jobs have all reported is complete, and one without known jobs when it is over", () => {
    assert.isTrue(isComplete(["unit"], 1, run()))
    assert.isTrue(isComplete([], 1))
    assert.isFalse(isComplete([], 1, run()))
    assert.isTrue(isComplete([], 10, run({ state: "over" })))
  })

  it("a new attempt is waited for until one of its jobs has reported", () => {
    assert.isFalse(isComplete(["unit"], 1, run({ attempt: 2 })))
    const again = { ...unit, runAttempt: 2 }
    assert.isTrue(FailureSummary.isComplete(expected("unit"), [unit, again], minute, [run({ attempt: 2 })]))
  })

  it("runs of other pipelines are not waited for, and a renamed one is known by its id", () => {
    assert.isTrue(isComplete([], 1, run({ runId: "8", pipelineName: "Deploy" })))
    assert.isFalse(isComplete([], 1, run({ pipelineName: "Tests" })))
  })

  it("a commit is complete when each of its pipelines is", () => {
    const e2e = { ...unit, pipelineName: "Nightly", runId: "9" }
    const of = (...jobs: ReadonlyArray<string>) =>
      FailureSummary.isComplete(
        [...expected(...jobs), { pipelineName: "Nightly", jobName: "unit", after: minute }],
        [unit, e2e],
        0,
        []
      )
    assert.deepStrictEqual([of("unit"), of("unit", "e2e")], [true, false])
  })

  it("the later attempt counts, of one attempt its end, and of one state the later report", () => {
    const later = (a: Partial<CiRun.CiRun>, b: Partial<CiRun.CiRun>) => {
      const { at, attempt, state } = CiRun.later(run(a), run(b))
      return [attempt, state, at]
    }
    assert.deepStrictEqual(later({ attempt: 2 }, { attempt: 1, state: "over", at: 9 }), [2, "running", 0])
    assert.deepStrictEqual(later({ state: "over" }, { at: 9 }), [1, "over", 0])
    assert.deepStrictEqual(later({ at: 8 }, { at: 9 }), [1, "running", 9])
  })

  it("the latest state of a run does not depend on the order in which its states are reported", () => {
    const states = fc.array(
      fc.record({
        attempt: fc.integer({ min: 1, max: 3 }),
        state: fc.constantFrom("running", "over"),
        at: fc.integer({ min: 0, max: 3 })
      }),
      { minLength: 1, maxLength: 6 }
    )
    fc.assert(
      fc.property(states, fc.infiniteStream(fc.nat()), (parts, keys) => {
        const all = parts.map((each) => run(each))
        const shuffled = all
          .map((each) => ({ each, key: keys.next().value }))
          .sort((a, b) => a.key - b.key)
          .map(({ each }) => each)
        assert.deepStrictEqual(all.reduce(CiRun.later), shuffled.reduce(CiRun.later))
      }),
      { numRuns: 200 }
    )
  })
})

describe("CiRun.later", () => {
  it("of two equal states the first stays", () => {
    const first = { ...run(), commit: "first" }
    assert.strictEqual(CiRun.later(first, run()), first)
  })
})

describe("CiRun.standing", () => {
  const hour = 60 * minute

  const standing = (runs: ReadonlyArray<CiRun.CiRun>, now: number, reported: ReadonlyArray<CiRun.Reported> = [unit]) =>
    CiRun.standing("CI", runs, reported, now)

  const later = 100 * hour

  it("a run counts as running for less than six hours after its report", () => {
    const of = (after: number) => standing([run({ at: later })], later + after)
    assert.deepStrictEqual([of(6 * hour - 1), of(6 * hour)], ["running", "unknown"])
  })

  it("the reports of a run that is over arrive within ten minutes", () => {
    const of = (after: number) => standing([run({ state: "over", at: later })], later + after)
    assert.deepStrictEqual([of(10 * minute - 1), of(10 * minute)], ["running", "over"])
  })

  it("nothing is known without a report of the CI system, or with a run whose end was not reported", () => {
    const over = run({ state: "over" })
    assert.strictEqual(standing([], later), "unknown")
    assert.strictEqual(standing([over, run({ runId: "8", state: "over" })], later), "over")
    assert.strictEqual(standing([over, run({ runId: "8" })], later), "unknown")
  })

  it("an attempt is a rerun while no job of it has reported, and a run without any report is not", () => {
    const second = run({ attempt: 2 })
    const other = { ...unit, runId: "8", runAttempt: 3 }
    assert.strictEqual(standing([second], 0, [unit, other]), "rerunning")
    assert.strictEqual(standing([second], 0, [unit, { ...unit, runAttempt: 2 }]), "running")
    assert.strictEqual(standing([second], 0, [other]), "running")
  })

  it("a run of another pipeline counts where a job of this pipeline reported by its id, among others", () => {
    const renamed = run({ pipelineName: "Tests" })
    const other = { ...unit, runId: "8" }
    assert.strictEqual(standing([renamed], 0, [other, unit]), "running")
    assert.strictEqual(standing([renamed], 0, [other]), "unknown")
    assert.strictEqual(standing([renamed], 0, [other, { ...unit, pipelineName: "Deploy" }]), "unknown")
  })
})
