import { type HealthStatus, RunDay } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"

const run = (failed: number, statuses: ReadonlyArray<HealthStatus.HealthStatus>): RunDay.Run => ({
  at: 0,
  durationUs: 7,
  isOutage: false,
  failed,
  statuses
})

const flakyOf = (each: RunDay.Run) => RunDay.count([each], { first: 0, last: 0 })[0]?.flakyRuns

describe("RunDay.count", () => {
  it("flaky tests alone explain a run with at most a hundred failures", () => {
    const flaky = (count: number) =>
      run(
        count,
        Array.from({ length: count }, () => "flaky" as const)
      )
    assert.deepStrictEqual([1, 99, 100, 101].map(flaky).map(flakyOf), [1, 1, 1, 0])
    assert.strictEqual(flakyOf(run(1, [])), 0)
    assert.strictEqual(flakyOf(run(2, ["flaky", "healthy"])), 0)
  })

  it("both ends of the days are inclusive, and runs of other days are left out", () => {
    const day = 24 * 3_600_000
    const at = (index: number) => ({ ...run(1, ["flaky"]), at: index * day })
    const counted = RunDay.count([0, 1, 1, 2, 3].map(at), { first: 1, last: 2 })
    assert.deepStrictEqual(
      counted.map(({ day: of, flakyUs, runs }) => [of, runs, flakyUs]),
      [
        [1, 2, 14],
        [2, 1, 7]
      ]
    )
  })

  it("red runs and those in an outage are counted, and a green run adds to neither", () => {
    const green = { ...run(0, []), isOutage: true }
    const outage = { ...run(2, ["flaky"]), isOutage: true }
    const broken = run(1, ["broken"])
    assert.deepStrictEqual(RunDay.count([green, outage, outage, broken, run(1, ["flaky"])], { first: -1, last: 0 }), [
      { day: -1, runs: 0, red: 0, outages: 0, flakyRuns: 0, flakyUs: 0 },
      { day: 0, runs: 5, red: 4, outages: 2, flakyRuns: 1, flakyUs: 7 }
    ])
  })
})
