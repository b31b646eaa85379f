/** One example of each body of the overview, in the words of the wire. */
import type { Schema } from "effect"
import type * as Overview from "./Overview.ts"

type Encoded<S extends Schema.Top> = S["Encoded"]

const tests: Encoded<typeof Overview.TestListPage> = {
  size: 1,
  per_page: 10,
  offset: 0,
  total: 1,
  tests: [
    {
      test_id: "0e4fc8a5-37ff-5a0b-9c6d-1f2f4f3a9a55",
      test_name: "cart > pays with a card",
      pipeline_name: "CI",
      job_name: "unit",
      health_status: "flaky",
      health_confidence: "medium",
      failed_executions_impact: "low",
      failure_ratio: 0.03,
      executions_count: 412,
      failed_count: 12,
      mean_duration: 0.8,
      first_seen_at: "2025-11-03T09:00:00.000Z",
      last_failure_at: "2026-01-31T11:40:00.000Z",
      since: "2026-01-28T16:05:00.000Z",
      failures_in_a_row: 0,
      is_quarantined: false,
      file: "src/cart.test.ts",
      owners: ["@acme/checkout"]
    }
  ],
  facets: {
    health_status: [
      { value: "healthy", count: 310 },
      { value: "flaky", count: 1 }
    ],
    pipeline_name: [{ value: "CI", count: 1 }],
    job_name: [{ value: "unit", count: 1 }],
    quarantined: [{ value: false, count: 1 }]
  }
}

const summary: Encoded<typeof Overview.RepositorySummary> = {
  owner: "acme",
  repository: "widgets",
  tests: { healthy: 310, flaky: 1, broken: 0 },
  quarantines: 0,
  last_upload_at: "2026-01-31T12:00:00.000Z",
  links: {
    commit: "https://github.com/acme/widgets/commit/{commit}",
    comparison: "https://github.com/acme/widgets/compare/{base}...{head}",
    pull_request: "https://github.com/acme/widgets/pull/{number}",
    file: "https://github.com/acme/widgets/blob/{commit}/{path}"
  },
  has_queue: false
}

const trend: Encoded<typeof Overview.RepositoryTrend> = {
  executions: 12_400,
  failed_executions: 31,
  days: [
    {
      start: "2026-01-31T00:00:00.000Z",
      flaky_tests: 1,
      broken_tests: 0,
      quarantines: 0,
      failed_executions: 2,
      job_runs: 40,
      red_job_runs: 2,
      outages: 0,
      flaky_job_runs: 2,
      flaky_job_run_seconds: 1284.5
    }
  ]
}

const ownerList: Encoded<typeof Overview.OwnerList> = {
  source: "platform",
  owners: [
    { owner: "@acme/checkout", healthy: 120, flaky: 1, broken: 0, quarantined: 0 },
    { owner: "no-owner", healthy: 190, flaky: 0, broken: 0, quarantined: 0 }
  ]
}

const owners: Encoded<typeof Overview.TestOwners> = {
  source: "platform",
  file: "src/cart.test.ts",
  owners: ["@acme/checkout"]
}

const branchTests: Encoded<typeof Overview.BranchTestsPage> = {
  size: 1,
  per_page: 10,
  total: 1,
  tests: [
    {
      test_id: "6f9d2c1e-84b7-5f0a-9d3e-2b1c4a5f6e7d",
      test_name: "cart > takes a voucher",
      pipeline_name: "CI",
      job_name: "unit",
      passed: 1,
      failed: 2,
      branches: 1,
      last_run: {
        pipeline_name: "CI",
        job_name: "unit",
        branch: "add-vouchers",
        base_branch: "main",
        commit: "9f2c1ab07f4d5e6c8b9a0d1e2f3a4b5c6d7e8f90",
        run_id: "4712",
        finished_at: "2026-01-31T12:10:00.000Z",
        conclusion: "passed"
      }
    }
  ]
}

const outages: Encoded<typeof Overview.OutagesPage> = {
  size: 1,
  per_page: 10,
  total: 1,
  outages: [
    {
      pipeline_name: "CI",
      job_name: "unit",
      run_id: "812",
      run_attempt: 1,
      commit: "4f1c2a30b7d94e5f8a6b1c2d3e4f5a6b7c8d9e0f",
      finished_at: "2026-01-31T11:40:00.000Z",
      failed: 26,
      passed_before: 29,
      excused: true,
      sentence: "CI / unit, run 812: 26 of 29 tests failed that passed before."
    }
  ]
}

/** The examples of the operations that look over a repository. */
export const overviewExamples = {
  listTests: { response: tests },
  getSummary: { response: summary },
  getTrend: { response: trend },
  listOwners: { response: ownerList },
  getTestOwners: { response: owners },
  listBranchTests: { response: branchTests },
  listOutages: { response: outages }
}
