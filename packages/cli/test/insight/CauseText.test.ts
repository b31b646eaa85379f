import type { Schemas } from "@lazaret/api"
import { assert, describe, it } from "@effect/vitest"
import * as ChangeText from "../../src/health/tests/ChangeText.ts"
import * as CauseText from "../../src/insight/CauseText.ts"

const noon = Date.UTC(2026, 0, 31, 12)

const cause: typeof Schemas.SharedCause.Type = {
  id: "6b1f8e2a-3c4d-5e6f-8a9b-0c1d2e3f4a5b",
  name: "Timeout, 12 tests of net",
  kind: "tests",
  state: "silenced",
  tests: 12,
  test_names: ["net > a", "net > \u001b[31mb"],
  test_ids: [],
  exception_type: "Timeout",
  message: "no answer\nat all",
  first_at: noon,
  last_at: noon,
  job_runs: 9,
  share: 0.18,
  weeks: [0, 0, 9],
  jobs: [{ pipeline_name: "CI", job_name: "unit", job_runs: 9 }],
  examples: [],
  from: [],
  owner: "@acme/net",
  ticket: null,
  silenced_until: noon,
  closed_at: null,
  changed_by: "ada",
  changed_at: noon
}

describe("lazaret causes", () => {
  it("a cause is shown line by line, with its decisions, and without control characters", () => {
    assert.deepStrictEqual(CauseText.detailsOf(cause).split("\n"), [
      "Timeout, 12 tests of net",
      "id        6b1f8e2a-3c4d-5e6f-8a9b-0c1d2e3f4a5b",
      "state     silenced, silenced until 2026-01-31 12:00 UTC, owned by @acme/net",
      "since     2026-01-31 12:00 UTC, last 2026-01-31 12:00 UTC",
      "red runs  9, 18 % of those with failures; by week 0 0 9",
      String.raw`message   no answer\nat all`,
      "job       CI / unit: 9",
      "test      net > a",
      String.raw`test      net > \u001b[31mb`,
      "          and 10 more"
    ])
  })

  it("the quarantine of a cause says which tests got one, and how many had one", () => {
    assert.strictEqual(
      CauseText.quarantinedOf({ quarantined: ["net > a"], already: ["net > b"] }),
      "1 test is quarantined\n1 had such a quarantine before\n  net > a"
    )
  })

  it("the change of a cause names the commits of each level, with the comparison where it is known", () => {
    const interval = {
      level: 0.9,
      probability: 0.94,
      after: "a".repeat(40),
      last: "b".repeat(40),
      commits: 2,
      url: null
    }
    const change = { sentence: "with 94 % …", runs: 40, failed_runs: 9, missing_runs: 0, first_failure: null }
    assert.deepStrictEqual(
      ChangeText.linesOf({
        ...change,
        intervals: [
          interval,
          { ...interval, level: 0.99, after: null },
          { ...interval, commits: 1, url: "https://x/1" }
        ]
      }),
      [
        "with 94 % …",
        "90 %: 2 commits, aaaaaaaaaaaa...bbbbbbbbbbbb",
        "99 %: 2 commits, bbbbbbbbbbbb or before",
        "90 %: 1 commit, https://x/1"
      ]
    )
  })
})
