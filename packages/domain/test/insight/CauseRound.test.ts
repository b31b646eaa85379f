import { type CauseFacts, CausePolicy, CauseRecord, CauseRound, Steps } from "@lazaret/domain"
import { causeRecord } from "@lazaret/domain/testing"
import { assert, describe, it } from "@effect/vitest"

const run = (number: number, testNames: ReadonlyArray<string>): CauseFacts.FailedRun => ({
  key: `${number}`,
  at: number,
  pipelineName: "CI",
  jobName: "unit",
  branch: "main",
  commit: `c${number}`,
  ordinal: 2 * number,
  isOnDefault: true,
  isExcused: false,
  failed: testNames.map((testName) => ({ testName, signature: testName, frame: null }))
})

const stepsOf = (runs: ReadonlyArray<CauseFacts.FailedRun>, before: ReadonlyArray<CauseRecord.CauseRecord> = []) =>
  CauseRound.found({ facts: { runs, exceptions: new Map() }, before, now: 10_000 }, CausePolicy.defaults)

describe("CauseRound.found", () => {
  it("causes that no record would be kept of are left out, unless a record of before has one of their tests", () => {
    const runs = Array.from({ length: CauseRecord.mostCauses + 50 }, (_, number) => run(number, [`d${number}/x`]))
    const names = (before: ReadonlyArray<CauseRecord.CauseRecord>) =>
      new Set(Steps.finish(stepsOf(runs, before)).causes.flatMap(({ tests }) => tests.map(({ testName }) => testName)))
    const [latest, known] = [names([]), names([causeRecord(["d0/x"], 0)])]
    assert.isAtMost(latest.size, CauseRecord.mostCauses + 1)
    assert.deepStrictEqual([latest.has("d0/x"), latest.has("d2040/x")], [false, true])
    assert.deepStrictEqual([known.has("d0/x"), known.has("d1/x")], [true, false])
  })

  it("a round that finds later failures of a closed cause reopens it", () => {
    const runs = [10, 12, 14, 16, 18, 20].map((number) => run(number, ["a"]))
    const reopens = (closedAt: number | null) => {
      const before = [{ ...causeRecord(["a"], 0), closedAt }]
      return CauseRound.reopens(Steps.finish(stepsOf(runs, before)), before, 10_000)
    }
    assert.deepStrictEqual([reopens(5), reopens(9000), reopens(null)], [true, false, false])
  })

  it("the work is done in steps, of which each failure adds some", () => {
    const count = (runs: number): number => {
      const failing = Array.from({ length: runs }, (_, number) =>
        run(
          number,
          Array.from({ length: 100 }, (__, test) => `d${test}/x${(number * 7 + test) % 90}`)
        )
      )
      const steps = stepsOf(failing)
      let taken = 0
      while (steps.next().done !== true) taken += 1
      return taken
    }
    assert.isAtLeast(count(400) - count(100), 6)
  })
})
