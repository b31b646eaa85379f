import { assert, describe, it } from "@effect/vitest"
import * as CostText from "../../src/insight/CostText.ts"
import * as Table from "../../src/terminal/Table.ts"

const minutes = {
  failed_minutes: 96,
  run_again_minutes: 24,
  repeated_in_jobs_minutes: 2.5,
  machine_minutes: 122.5,
  waiting_minutes: 310
}

const counts = { all: 120, red: 20, by_flakes: 9, by_flakes_with_gate: 4, share: 0.075, share_with_gate: 4 / 120 }

type Figures = Parameters<typeof CostText.figuresOf>[0]

const figures: Figures = {
  from: Date.UTC(2026, 0, 26),
  time_source: "reports",
  platform_job_runs: 0,
  job_runs: counts,
  commits: counts,
  pull_requests: { ...counts, all: 0, share: null, share_with_gate: null },
  let_pass_by_gate: 0,
  job_minutes: 3840,
  ...minutes,
  judged_minutes: 8,
  waiting_commits: 1,
  outages: { job_runs: 3, minutes: 24 },
  queue: { evictions: 1, reruns: 4 },
  amount: 200.8,
  is_priced: false,
  worst: { causes: [], share: 0.61 },
  weeks: []
}

const row = {
  name: "TimeoutError: no answer, 2 tests of tests/net",
  test_id: null,
  cause_id: "6b1f8e2a-3c4d-5e6f-8a9b-0c1d2e3f4a5b",
  week: null,
  tests: 2,
  job_runs: 2.5,
  ...minutes,
  amount: 61.25,
  share: 0.61
}

const terminal = { columns: null, hasColours: false }

describe("costs as text", () => {
  it("a time is in minutes, and in hours from two hours on", () => {
    assert.deepStrictEqual([0, 0.04, 2.52, 9.96, 119, 120, 6000].map(CostText.timeOf), [
      "0 min",
      "0.0 min",
      "2.5 min",
      "10 min",
      "119 min",
      "2.0 h",
      "100.0 h"
    ])
  })

  it("the figures say how much only flakes made red, and where times come from", () => {
    const lines = CostText.figuresOf(figures).split("\n")
    assert.include(lines, "commits        9 of 120 red by flakes alone (7.5 %; 3.3 % with the gate and quarantine)")
    assert.include(lines, "pull requests  none")
    assert.include(lines, "time of jobs   2.0 h: 96 min red, 24 min run again, 2.5 min repeated in jobs")
    assert.include(lines, "waiting        5.2 h on 1 commit, from the first red to the first green")
    assert.match(lines.at(-1) ?? "", /times from the durations in the reports$/u)
  })

  it("a table has a column for prices where something has a price", () => {
    const table = (isPriced: boolean) =>
      Table.make(terminal, CostText.columnsOf({ ...figures, is_priced: isPriced }), [row]).split("\n")
    assert.match(table(false)[1] ?? "", /^ 61 % +2\.0 h +5\.2 h +2\.5 +2 +TimeoutError: no answer/u)
    assert.match(table(true)[1] ?? "", /^ 61 % +61\.25 +2\.0 h/u)
  })

  it("the last line says when costs were computed, or why there are none", () => {
    const sentence = "not computed yet: costs follow some minutes after the first report"
    assert.strictEqual(CostText.lastOf({ computed_at: null, sentence }), sentence)
    const last = CostText.lastOf({
      computed_at: Date.UTC(2026, 0, 31, 12),
      sentence: "the most expensive cause is 61 % of the cost"
    })
    assert.match(last, /^the most expensive cause is 61 % of the cost, computed at 2026-01-31 \d\d:\d\d/u)
  })
})
