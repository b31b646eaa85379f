import { FailureCalibration, FailureFacts, Instant } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { failure } from "./support/ModelStory.ts"

const now = Date.UTC(2026, 0, 31)

const resolved = (change: Partial<FailureCalibration.Resolved> = {}): FailureCalibration.Resolved => ({
  at: now - Instant.day,
  commit: "c1",
  pipelineName: "CI",
  jobName: "unit",
  base: "passed",
  odds: -1,
  isFlaky: true,
  ...change
})

/** The offsets with three decimals: of the repository, of the states of the base, and of the job `unit`. */
const learned = (outcomes: ReadonlyArray<FailureCalibration.Resolved>, at: number = now) => {
  const { all, base, jobs } = FailureCalibration.offsets(outcomes, at, FailureCalibration.defaults)
  const rounded = (value: number | undefined) => (value === undefined ? null : Number(value.toFixed(3)) + 0)
  return [all, base.passed, base.failed, base.unknown, [...jobs.values()][0]].map(rounded)
}

/** Outcomes on commits of their own. */
const several = (count: number, change: Partial<FailureCalibration.Resolved> = {}) =>
  Array.from({ length: count }, (_, index) => resolved({ commit: `c${index}`, ...change }))

describe("FailureCalibration.offsets", () => {
  it("without an outcome before the instant there are no offsets", () => {
    assert.strictEqual(FailureCalibration.offsets([], now, FailureCalibration.defaults), FailureCalibration.none)
    assert.deepStrictEqual(learned([resolved({ at: now })]), [0, 0, 0, 0, null])
    assert.notDeepEqual(learned([resolved({ at: now - 1 })]), [0, 0, 0, 0, null])
  })

  it("failures that pass again raise the offsets of the repository, of the state of the base and of the job", () => {
    assert.deepStrictEqual(learned([resolved()]), [0.286, 1.142, 0, 0, 0.071])
    assert.deepStrictEqual(learned(several(10)), [0.763, 3.052, 0, 0, 0.191])
    assert.deepStrictEqual(learned(several(10, { isFlaky: false })), [-0.506, -2.025, 0, 0, -0.127])
    assert.deepStrictEqual(learned(several(10, { base: "failed" })), [0.763, 0, 3.052, 0, 0.191])
    assert.deepStrictEqual(learned(several(200, { base: "unknown", odds: -6 })), [3.588, 0, 0, 7.647, 0.595])
  })

  it("an outcome counts half after 120 days, and failures of one commit count less each", () => {
    assert.deepStrictEqual(learned(several(10, { at: now - 120 * Instant.day })), [0.613, 2.452, 0, 0, 0.153])
    assert.deepStrictEqual(learned([...several(5), ...several(4, { commit: "c9" })]), [0.663, 2.65, 0, 0, 0.166])
  })

  it("odds beyond eight bits count as eight", () => {
    const of = (odds: number, isFlaky: boolean) => learned(several(10, { odds, isFlaky }))
    assert.deepStrictEqual(
      [of(8, false), of(-8, true)],
      [
        [-2.07, -7.02, 0, 0, -0.443],
        [2.07, 7.02, 0, 0, 0.443]
      ]
    )
    assert.deepStrictEqual([of(20, false), of(-20, true)], [of(8, false), of(-8, true)])
    assert.notDeepEqual([of(7, false), of(-7, true)], [of(8, false), of(-8, true)])
  })

  it("the order of the outcomes makes no difference", () => {
    const mixed = [
      ...several(3),
      ...several(3, { at: now - 2 * Instant.day, base: "failed", isFlaky: false, odds: 2 }),
      ...several(3, { at: now - 2 * Instant.day, odds: 1 })
    ]
    const of = (outcomes: typeof mixed) => FailureCalibration.offsets(outcomes, now, FailureCalibration.defaults)
    assert.deepStrictEqual(of(mixed.toReversed()), of(mixed))
  })

  it("the offset of a failure is that of the repository, of its base and of its job", () => {
    const [key = ""] = FailureCalibration.offsets([resolved()], now, FailureCalibration.defaults).jobs.keys()
    const offsets = { all: 1, base: { passed: 10, failed: 20, unknown: 40 }, jobs: new Map([[key, 100]]) }
    const of = (conclusion: "passed" | "failed" | null, jobName = "unit") => {
      const row = { branch: "main", length: 1, commit: "m", at: 0, signature: null, outcomes: [] }
      const rows = conclusion === null ? [] : [{ ...row, conclusion }]
      return FailureCalibration.offsetOf(FailureFacts.of({ ...failure, jobName }, { rows }), offsets)
    }
    assert.deepStrictEqual([of("passed"), of("failed"), of(null), of("passed", "e2e")], [111, 121, 141, 11])
  })
})
