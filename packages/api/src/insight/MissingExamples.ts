/** The examples of the operations on losses, checked against the definition by a test. */
import type * as Missing from "./Missing.ts"

const page: (typeof Missing.LossesPage)["Encoded"] = {
  size: 1,
  per_page: 10,
  total: 1,
  computed_at: "2026-01-31T12:00:00.000Z",
  jobs: 4,
  missing_runs: 0,
  sentence: "1 loss in 4 jobs",
  losses: [
    {
      id: "2f1c5a3e-7b0d-5c1e-9a55-0d3f6c1b7e21",
      kind: "tests",
      state: "returned",
      sentence: "104 of 834 tests did not run, 4 of them skipped",
      pipeline_name: "CI",
      job_names: ["unit"],
      jobs: 1,
      run_id: "8121",
      commit: "5f2c1d0",
      finished_at: "2026-01-30T16:40:00.000Z",
      last_at: "2026-01-30T18:10:00.000Z",
      runs: 2,
      expected: 834,
      missing: 104,
      skipped: 4,
      renamed: 0,
      test_names: ["tests/net/client.spec > connects", "tests/net/client.spec > reconnects"],
      suites: [{ name: "tests/net/client.spec", tests: 61 }],
      renames: [],
      is_small: false
    }
  ]
}

/** The examples of the operations on losses. */
export const missingExamples = { listLosses: { response: page } }
