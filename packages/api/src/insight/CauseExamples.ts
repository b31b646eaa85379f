/** The examples of the operations on causes, checked against the definition by a test. */
import { TestId } from "@lazaret/domain"
import type { Schema } from "effect"
import type * as Cause from "./Cause.ts"

type Encoded<S extends Schema.Top> = S["Encoded"]

const cause: Encoded<typeof Cause.SharedCause> = {
  id: "6b1f8e2a-3c4d-5e6f-8a9b-0c1d2e3f4a5b",
  name: "TimeoutError: no answer after <*>, 2 tests of tests/net",
  kind: "tests",
  state: "open",
  tests: 2,
  test_names: ["tests/net/client.spec > connects", "tests/net/server.spec > answers"],
  test_ids: [TestId.of("tests/net/client.spec > connects"), TestId.of("tests/net/server.spec > answers")],
  exception_type: "TimeoutError",
  message: "no answer after <*>",
  first_at: "2026-01-05T10:00:00.000Z",
  last_at: "2026-01-30T16:40:00.000Z",
  job_runs: 14,
  share: 0.28,
  weeks: [0, 0, 0, 0, 0, 0, 0, 0, 2, 3, 4, 5],
  jobs: [{ pipeline_name: "CI", job_name: "unit", job_runs: 14 }],
  examples: [
    {
      finished_at: "2026-01-30T16:40:00.000Z",
      pipeline_name: "CI",
      job_name: "unit",
      commit: "5f2c1d0",
      branch: "main",
      test_name: "tests/net/client.spec > connects",
      failed: 2
    }
  ],
  from: [],
  owner: "@acme/net",
  ticket: null,
  silenced_until: null,
  closed_at: null,
  changed_by: "ada",
  changed_at: "2026-01-20T09:00:00.000Z"
}

const page: Encoded<typeof Cause.CausesPage> = {
  size: 1,
  per_page: 10,
  total: 1,
  computed_at: "2026-01-31T12:00:00.000Z",
  red_job_runs: 50,
  missing_job_runs: 0,
  sentence: "1 cause from 50 job runs with failures",
  causes: [cause]
}

const tests: Encoded<typeof Cause.CauseTestsPage> = {
  size: 1,
  per_page: 10,
  total: 1,
  tests: [
    {
      test_id: TestId.of("tests/net/client.spec > connects"),
      test_name: "tests/net/client.spec > connects",
      job_runs: 12,
      last_at: "2026-01-30T16:40:00.000Z"
    }
  ]
}

const change: Encoded<typeof Cause.ChangeCause> = { owner: "@acme/net", silenced_until: "2026-02-07T12:00:00.000Z" }

const quarantine: Encoded<typeof Cause.QuarantineCause> = { reason: "NET-17" }

const quarantined: Encoded<typeof Cause.QuarantinedCause> = {
  quarantined: ["tests/net/client.spec > connects"],
  already: ["tests/net/server.spec > answers"]
}

/** The examples of the operations on causes. */
export const causeExamples = {
  listCauses: { response: page },
  getCause: { response: cause },
  listCauseTests: { response: tests },
  changeCause: { request: { "application/json": change }, response: cause },
  quarantineCause: { request: { "application/json": quarantine }, response: quarantined }
}
