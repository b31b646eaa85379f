import { assert, describe, it } from "@effect/vitest"
import type { Schemas } from "@lazaret/api"
import { columnsOn } from "../../src/health/tests/ListColumns.ts"

type Row = typeof Schemas.ListedTest.Type

const row: Row = {
  test_id: "2c35b641-07da-5c47-8ed4-c8de4d9b549f",
  test_name: "Cart.sorts",
  pipeline_name: "CI",
  job_name: "unit",
  health_status: "flaky",
  health_confidence: "low",
  failed_executions_impact: "low",
  failure_ratio: 0.25,
  executions_count: 4,
  failed_count: 1,
  mean_duration: 1.5,
  first_seen_at: Date.UTC(2026, 0, 2, 3, 4),
  last_failure_at: null,
  failures_in_a_row: 0,
  since: null,
  is_quarantined: false,
  file: null,
  owners: []
}

const terminal = { columns: null, hasColours: false }

const shown = (sort: Parameters<typeof columnsOn>[2], of = row): ReadonlyArray<string> =>
  columnsOn(terminal, [of], sort).map(({ cell, heading }) => `${heading} ${cell(of)}`)

describe("the columns of the list of tests", () => {
  it("a sort by a figure without a column adds the column of the figure", () => {
    assert.include(shown("mean_duration"), "duration 1.500 s")
    assert.include(shown("mean_duration", { ...row, mean_duration: null }), "duration unknown")
    assert.include(shown("first_seen_at"), "first seen 2026-01-02 03:04 UTC")
    assert.include(shown("last_failure_at"), "last failure never")
    assert.deepStrictEqual(
      shown("attention").map((each) => each.split(" ")[0]),
      ["health", "failed", "runs", "retested", "test", "pipeline", "job", "id"]
    )
  })

  it("a broken test shows how often it failed in a row, and a share when its latest run passed", () => {
    const broken: Row = { ...row, health_status: "broken", failures_in_a_row: 28 }
    assert.include(shown("attention", broken), "failed 28 in a row")
    assert.include(shown("attention", { ...broken, failures_in_a_row: 0 }), "failed 25.0 %")
    assert.include(shown("attention", { ...row, failures_in_a_row: 2 }), "failed 25.0 %")
  })
})
