import { assert, describe, it } from "@effect/vitest"
import { EngineProjection, MergeQueue } from "@lazaret/queue"
import { check, count, drive, outcome, rounds, wait, work } from "./support/Scenario.ts"

describe("scenarios of flaky failures", () => {
  it("(61) the third of three unrelated rounds that fail alike is held, and lands when the incident is over", () => {
    const trace = drive(3, { flakes: 3, flakeIs: "infrastructure", perRound: 0, incident: "hold" })
    for (let number = 1; number <= 3; number++) {
      work(trace)
      check(trace, number, true)
    }
    assert.deepStrictEqual([count(trace, "dequeued"), wait(trace, 3)], [2, "incident"])
    assert.deepStrictEqual(outcome(trace).landed, [3])
  })

  it("(62) a flaky failure is run again and lands; the first attempt stays in the log", () => {
    const trace = drive(1, { flakes: 1 })
    work(trace)
    check(trace, 1, true)
    assert.deepStrictEqual(outcome(trace), { landed: [1], left: [] })
    assert.deepStrictEqual([count(trace, "round_rerun"), rounds(trace)], [1, 1])
  })

  it("(63) flaky failures end with the budget of the round", () => {
    const trace = drive(1, { flakes: 3 })
    for (let attempt = 1; attempt <= 3; attempt++) {
      work(trace)
      check(trace, 1, true)
    }
    assert.deepStrictEqual([count(trace, "round_rerun"), outcome(trace).left], [2, ["#1 checks_failed"]])
  })

  it("while an unknown failure runs again, those behind are built without it, and do not wait for it", () => {
    const trace = drive(2, { parallel: 2, bad: [1], realIs: "unknown" })
    work(trace)
    check(trace, 1)
    work(trace)
    assert.deepStrictEqual(
      trace.machine.state.batches.map(({ foundation, phase }) => [phase, foundation?.under.length]),
      [
        ["testing", 0],
        ["testing", 0]
      ]
    )
    check(trace, 2)
    assert.deepStrictEqual(outcome(trace), { landed: [2], left: ["#1 checks_failed"] })
    assert.deepStrictEqual([count(trace, "round_rerun"), rounds(trace)], [1, 3])
  })

  it("when that rerun passes it lands first, and those behind are tested on it", () => {
    const trace = drive(2, { parallel: 2, flakes: 1, flakeIs: "unknown" })
    work(trace)
    check(trace, 1, true)
    work(trace)
    check(trace, 2)
    work(trace)
    assert.strictEqual(wait(trace, 2), "ahead")
    assert.deepStrictEqual(outcome(trace), { landed: [1, 2], left: [] })
    assert.deepStrictEqual([count(trace, "round_rerun"), rounds(trace)], [1, 4])
  })

  it("a part that fails as its batch did is not run again, and one that fails otherwise is", () => {
    const alike = drive(2, { batchSize: 2, bad: [1], realIs: "unknown" })
    assert.deepStrictEqual(outcome(alike), { landed: [2], left: ["#1 checks_failed"] })
    assert.strictEqual(count(alike, "round_rerun"), 0)
    const other = drive(2, { batchSize: 2, flakes: 2, flakeIs: "unknown" })
    for (let failed = 1; failed <= 2; failed++) {
      work(other)
      check(other, 1, true)
    }
    assert.deepStrictEqual(outcome(other), { landed: [1, 2], left: [] })
    assert.strictEqual(count(other, "round_rerun"), 1)
  })

  it("a queue that acts is shown by the mirror with the same pull requests", () => {
    const trace = drive(4, { batchSize: 2, parallel: 2, bad: [3] })
    const shown = () =>
      MergeQueue.fold(EngineProjection.project(trace.machine.log, "main")).queue.branches[0]?.pullRequests.map(
        ({ number }) => number
      ) ?? []
    work(trace)
    assert.deepStrictEqual(shown(), [1, 2, 3, 4])
    check(trace, 1)
    work(trace)
    assert.deepStrictEqual(shown(), [3, 4])
    outcome(trace)
    assert.deepStrictEqual(shown(), [])
  })
})
