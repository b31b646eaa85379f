/** One example of each body of the operations on quarantines. */
import type { Schema } from "effect"
import type { Example } from "../definition/openapi/Operation.ts"
import type * as Quarantine from "./Quarantine.ts"
import { identity, name } from "../health/SampleTest.ts"

type Encoded<S extends Schema.Top> = S["Encoded"]

const json = "application/json"

const quarantined = {
  id: "b8c1a8f0-6f0e-4b1e-9a39-0b5b8a4d2c11",
  test_name: name,
  test_id: identity.test_id,
  reason: "Times out on slow machines, see issue 12.",
  branch: null,
  created_at: "2026-01-31T12:00:00.000Z",
  source: "manual",
  created_by: "octocat",
  is_recovered: false
} as const

const listQuarantines: Encoded<typeof Quarantine.QuarantinesPage> = {
  size: 1,
  per_page: 100,
  quarantined_tests: [quarantined]
}

const createQuarantine: Encoded<typeof Quarantine.CreateQuarantine> = {
  test_name: name,
  reason: quarantined.reason,
  branch: null
}

const getQuarantineLife: Encoded<typeof Quarantine.QuarantineLife> = {
  quarantine_id: quarantined.id,
  test_name: name,
  branch: null,
  expires_at: "2026-02-28T12:00:00.000Z",
  remind_at: "2026-02-25T12:00:00.000Z",
  owner: "@acme/web",
  ticket: "https://github.com/acme/widgets/issues/12",
  scope: "every_run"
}

const setQuarantineLife: Encoded<typeof Quarantine.SetQuarantineLife> = {
  expires_at: "2026-02-28T12:00:00.000Z",
  owner: "@acme/web",
  ticket: "https://github.com/acme/widgets/issues/12",
  scope: "every_run"
}

const changeQuarantineLife: Encoded<typeof Quarantine.ChangeQuarantineLife> = { owner: "@acme/web" }

const getQuarantineDebt: Encoded<typeof Quarantine.QuarantineDebt> = {
  total: 1,
  size: 1,
  blocked_runs: 4,
  owners: [{ owner: "@acme/web", quarantines: 1, blocked_runs: 4, oldest_created_at: quarantined.created_at }],
  quarantines: [
    {
      id: quarantined.id,
      test_name: name,
      test_id: identity.test_id,
      reason: quarantined.reason,
      branch: null,
      scope: "every_run",
      created_by: "octocat",
      source: "manual",
      created_at: quarantined.created_at,
      age_days: 12,
      expires_at: "2026-02-28T12:00:00.000Z",
      ticket: "https://github.com/acme/widgets/issues/12",
      owner: "@acme/web",
      owners: ["@acme/web"],
      health_status: "flaky",
      blocked_runs: 4,
      last_blocked_at: "2026-01-31T11:56:00.000Z",
      new_failures: 1,
      latest_failure: "TimeoutError: the page did not load within 30 s"
    }
  ]
}

const checkQuarantines: Encoded<typeof Quarantine.CheckQuarantines> = {
  tests_names: [name, "cart > adds"],
  branch: "main"
}

const checkedQuarantines: Encoded<typeof Quarantine.CheckedQuarantines> = {
  quarantined_tests_names: [name],
  non_quarantined_tests_names: ["cart > adds"]
}

/** The examples of the operations on quarantines. */
export const quarantineExamples = {
  listQuarantines: { response: listQuarantines },
  createQuarantine: { request: { [json]: createQuarantine }, response: { id: quarantined.id } },
  getQuarantine: { response: quarantined },
  getQuarantineLife: { response: getQuarantineLife },
  listQuarantineLives: { response: { size: 1, per_page: 10, lives: [getQuarantineLife] } },
  setQuarantineLife: { request: { [json]: setQuarantineLife }, response: getQuarantineLife },
  changeQuarantineLife: { request: { [json]: changeQuarantineLife }, response: getQuarantineLife },
  getQuarantineDebt: { response: getQuarantineDebt },
  checkQuarantines: { request: { [json]: checkQuarantines }, response: checkedQuarantines }
} as const satisfies { readonly [operation: string]: Example }
