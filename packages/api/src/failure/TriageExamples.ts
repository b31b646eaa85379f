/** Examples of the verdicts on failures. */
import type { Example } from "../definition/openapi/Operation.ts"
import type * as Commit from "./Commit.ts"
import type * as Triage from "./Triage.ts"

const failure: (typeof Triage.JudgedFailure)["Encoded"] = {
  execution_id: "7c3d9e10-2b4f-5a6c-8d1e-0f9a8b7c6d5e.0",
  test_id: "0e4fc8a5-37ff-5a0b-9c6d-1f2f4f3a9a55",
  test_name: "cart > pays with a card",
  pipeline_name: "CI",
  job_name: "unit",
  verdict: "flaky",
  cause: "flake",
  causes: { flake: 0.97, change: 0, base: 0, environment: 0.03, dependency: 0 },
  probability_flaky: 0.99,
  score: 39.9,
  title: "flaky (99 %)",
  reason: "passed on this commit in job unit; failed and passed on 3 commits in 14 days",
  evidence: [
    {
      kind: "passed_on_rerun",
      weight: 39.9,
      causes: { flake: 0, change: -39.9, base: -39.9, environment: 0, dependency: -39.9 },
      sentence: "passed on this commit in job unit",
      rests_on: [{ kind: "execution", id: "3b1e8a52-9c0d-5f1e-8f6a-2d1c3b4a5e6f.0" }]
    }
  ],
  quarantined: false,
  is_blocking: true,
  gate_reason: "the gate does not let flaky failures pass",
  message: "no answer after 5000 ms",
  exception_type: "TimeoutError",
  file: "test/cart.test.ts",
  job_url: "https://ci.example/acme/widgets/runs/812",
  owners: ["@acme/payments"],
  shared_cause: {
    id: "6b1f8e2a-3c4d-5e6f-8a9b-0c1d2e3f4a5b",
    name: "TimeoutError: no answer after <*>, 12 tests of tests/net",
    tests: 12,
    failed_here: 9,
    sentence: "one of 12 tests with this cause, 9 failed in this run"
  },
  mark: null,
  line:
    "cart > pays with a card: flaky (99 %): passed on this commit in job unit; failed and passed on 3 commits in 14 days; " +
    "owned by @acme/payments"
}

const summary: (typeof Triage.TriageSummary)["Encoded"] = {
  conclusion: "failure",
  complete: true,
  sentence: "1 failure: 1 flaky; it blocks.",
  unjudged: 0,
  blocking: 1,
  counts: { flaky: 1, broken_on_base: 0, outage: 0, new_failure: 0, new_test: 0, undecided: 0 }
}

const page: (typeof Triage.TriagePage)["Encoded"] = {
  size: 1,
  per_page: 10,
  total: 1,
  ...summary,
  commit: "4f1c2a",
  runs: [
    {
      pipeline_name: "CI",
      job_name: "unit",
      run_id: "812",
      run_attempt: 2,
      commit: "4f1c2a",
      branch: "pay-with-a-card",
      base_branch: "main",
      finished_at: "2026-01-31T11:40:00.000Z",
      passed: 411,
      failed: 1
    }
  ],
  fork_runs: [],
  missing: [],
  failures: [failure]
}

const question: (typeof Triage.AskTriage)["Encoded"] = {
  pipeline_name: "CI",
  job_name: "unit",
  commit: "4f1c2a",
  branch: "pay-with-a-card",
  base_branch: "main",
  run_id: "812",
  passed: 411,
  failures: [
    { test_name: "cart > pays with a card", message: "no answer after 5000 ms", exception_type: "TimeoutError" }
  ]
}

const answer: (typeof Triage.AskedTriage)["Encoded"] = { ...summary, missing: [], failures: [failure] }

const marked: (typeof Triage.MarkedFailure)["Encoded"] = {
  test_id: "0e4fc8a5-37ff-5a0b-9c6d-1f2f4f3a9a55",
  execution_id: "7c3d9e10-2b4f-5a6c-8d1e-0f9a8b7c6d5e.0",
  test_name: "cart > pays with a card",
  pipeline_name: "CI",
  job_name: "unit",
  commit: "4f1c2a",
  verdict: "flaky",
  probability_flaky: 0.93,
  truth: "real",
  marked_by: "release team",
  marked_at: "2026-01-31T12:05:00.000Z"
}

const precision: (typeof Triage.VerdictPrecision)["Encoded"] = {
  known: 43,
  right: 41,
  precision: 0.953,
  calibration_error: 0.021,
  days: 30,
  least_precision: 0.9,
  least_outcomes: 20,
  marked_flaky: 1,
  marked_real: 2,
  real_job_runs: 61,
  retried_real_job_runs: 1,
  retry_sentence:
    "a retry exit code would have run 1 of 61 job runs with a real failure again in the last 30 days (2 %)",
  excuses: "on",
  suspended_since: null,
  sentence: "flaky was right in 41 of 43 known cases of the last 30 days (95 %)",
  learning: [
    { from: 1, to: 20, until: "2026-01-12T09:30:00.000Z", error: 0.17, uncalibrated: 0.19 },
    { from: 21, to: 40, until: "2026-01-24T16:10:00.000Z", error: 0.09, uncalibrated: 0.16 }
  ]
}

const commits: (typeof Commit.CommitsPage)["Encoded"] = {
  size: 1,
  per_page: 10,
  total: 1,
  commits: [
    {
      commit: "4f1c2a9be07d",
      branch: "pay-with-a-card",
      base_branch: "main",
      is_fork: false,
      pull_request: { number: 42, title: "Pay with a card", author: "octocat" },
      conclusion: "failure",
      finished_at: "2026-01-31T12:00:00.000Z",
      run_ids: ["812"],
      jobs: 3,
      failed_jobs: 1,
      passed: 1211,
      failed: 1
    }
  ]
}

/** The examples by operation. */
export const triageExamples = {
  listCommits: { response: commits },
  listFailures: { response: page },
  askTriage: { request: { "application/json": question }, response: answer },
  markFailure: { request: { "application/json": { truth: "real" } }, response: marked },
  getVerdictPrecision: { response: precision }
} satisfies { readonly [operation: string]: Example }
