/** The example of the operation on costs, checked against the definition by a test. */
import type { Schema } from "effect"
import type * as Cost from "./Cost.ts"

type Encoded<S extends Schema.Top> = S["Encoded"]

const spent = {
  failed_minutes: 96,
  run_again_minutes: 24,
  repeated_in_jobs_minutes: 2.5,
  machine_minutes: 122.5,
  waiting_minutes: 310
}

const row: Encoded<typeof Cost.CostRow> = {
  name: "TimeoutError: no answer after <*>, 2 tests of tests/net",
  test_id: null,
  cause_id: "6b1f8e2a-3c4d-5e6f-8a9b-0c1d2e3f4a5b",
  week: null,
  tests: 2,
  job_runs: 12,
  ...spent,
  amount: 122.5,
  share: 0.61
}

const page: Encoded<typeof Cost.CostsPage> = {
  size: 1,
  per_page: 10,
  total: 1,
  by: "cause",
  computed_at: "2026-01-31T12:00:00.000Z",
  missing_job_runs: 0,
  sentence: "the most expensive cause is 61 % of the cost",
  figures: {
    from: "2026-01-26T00:00:00.000Z",
    time_source: "reports",
    platform_job_runs: 0,
    job_runs: { all: 480, red: 36, by_flakes: 12, by_flakes_with_gate: 5, share: 0.025, share_with_gate: 0.0104 },
    commits: { all: 120, red: 20, by_flakes: 9, by_flakes_with_gate: 4, share: 0.075, share_with_gate: 0.0333 },
    pull_requests: { all: 40, red: 12, by_flakes: 5, by_flakes_with_gate: 2, share: 0.125, share_with_gate: 0.05 },
    let_pass_by_gate: 0,
    job_minutes: 3840,
    ...spent,
    judged_minutes: 8,
    waiting_commits: 8,
    outages: { job_runs: 3, minutes: 24 },
    queue: { evictions: 1, reruns: 4 },
    amount: 200.8,
    is_priced: false,
    worst: {
      causes: [{ name: "TimeoutError: no answer after <*>, 2 tests of tests/net", amount: 122.5, share: 0.61 }],
      share: 0.61
    },
    weeks: [
      {
        start: "2026-01-26T00:00:00.000Z",
        job_runs: 480,
        red_by_flakes: 12,
        machine_minutes: 122.5,
        waiting_minutes: 310,
        outage_minutes: 24
      }
    ]
  },
  costs: [row]
}

/** The example of the operation on costs. */
export const costExamples = { listCosts: { response: page } }
