/** One example of each body for the description of the API, in the words of the wire. */
import type { Schema } from "effect"
import type { Example } from "./definition/openapi/Operation.ts"
import type * as Application from "./access/Application.ts"
import type * as Event from "./events/Event.ts"
import type * as Explanation from "./health/Explanation.ts"
import type * as FlakyDetection from "./health/FlakyDetection.ts"
import type * as Notifier from "./events/Notifier.ts"
import type * as TestDetails from "./health/TestDetails.ts"
import type * as TestExecutions from "./health/TestExecutions.ts"
import type * as TestFailure from "./health/TestFailure.ts"
import type * as TestSearch from "./health/TestSearch.ts"
import type * as TestStatistic from "./health/TestStatistic.ts"
import type * as Transitions from "./health/Transitions.ts"
import type * as Backfill from "./report/Backfill.ts"
import type * as Upkeep from "./repository/Upkeep.ts"
import type * as Webhook from "./events/Webhook.ts"
import { triageExamples } from "./failure/TriageExamples.ts"
import { overviewExamples } from "./health/OverviewExamples.ts"
import { ownersExamples } from "./health/OwnersExamples.ts"
import { causeExamples } from "./insight/CauseExamples.ts"
import { changeExamples } from "./insight/ChangeExamples.ts"
import { costExamples } from "./insight/CostExamples.ts"
import { missingExamples } from "./insight/MissingExamples.ts"
import { shardExamples } from "./insight/ShardExamples.ts"
import { issueExamples } from "./platform/IssueExamples.ts"
import { testAliasExamples } from "./report/TestAliasExamples.ts"
import { administrationExamples } from "./access/AdministrationExamples.ts"
import { hostingPlatformExamples } from "./platform/HostingPlatformExamples.ts"
import { quarantineExamples } from "./quarantine/QuarantineExamples.ts"
import { queueExamples } from "./queue/QueueExamples.ts"
import { identity, name } from "./health/SampleTest.ts"
import { uploadExamples } from "./report/UploadExamples.ts"

type Encoded<S extends Schema.Top> = S["Encoded"]

const json = "application/json"

const pullRequest = { id: 901, number: 42, title: "Pay with a card", user: { id: 7, login: "octocat" } }

const failure = {
  id: "7f3b1d5e-90aa-5c1d-8e2b-5b6f0c9d4e21",
  exception_type: "TimeoutError",
  exception_message: "no answer after 5000 ms",
  failure_count: 3,
  first_failure_at: "2026-01-29T08:15:00.000Z",
  last_failure_at: "2026-01-31T11:40:00.000Z"
}

const hour = (start: string, end: string, value: number) => ({
  start: `2026-01-31T${start}:00:00.000Z`,
  end: `2026-01-31T${end}:00:00.000Z`,
  value
})

const searchTests: Encoded<typeof TestSearch.SearchPage> = {
  size: 1,
  per_page: 10,
  tests: [
    {
      ...identity,
      metrics: { health_status: "flaky", health_confidence: "medium", failed_executions_impact: "low" }
    }
  ],
  total: 1
}

const getTest: Encoded<typeof TestDetails.TestDetails> = {
  repository: "widgets",
  test_name: name,
  test_id: identity.test_id,
  health_status: "flaky",
  last_conclusion: "passed",
  failure_ratio: 0.03,
  flakiness_ratio: 0.05,
  success_ratio: 0.97,
  flaky_detection_enabled: true,
  first_failure_at: "2026-01-29T08:15:00.000Z",
  first_failure_commit: "3f786850e387550fdab836ed7e6dc881de23001b",
  first_failure_pull: pullRequest,
  last_failure_at: "2026-01-31T11:40:00.000Z",
  last_success_at: "2026-01-31T11:55:00.000Z",
  test_framework: "vitest",
  test_framework_version: "5.1.1",
  test_programming_language: "typescript",
  test_filepath: "test/cart.test.ts",
  test_function_name: null
}

const getTestStatistic: Encoded<typeof TestStatistic.TestStatistic> = {
  value: 3,
  value_over_time: [hour("10", "11", 1), hour("11", "12", 2)],
  stat: "failure_count"
}

const getHealthTransitions: Encoded<typeof Transitions.HealthTransitions> = {
  transitions: [
    { at: "2026-01-30T00:00:00.000Z", health_status: "healthy", exception_type: null, pull_request: null },
    {
      at: "2026-01-31T08:00:00.000Z",
      health_status: "broken",
      exception_type: "TimeoutError",
      pull_request: pullRequest
    }
  ],
  first_activity_at: "2026-01-30T00:00:00.000Z"
}

const contradicted = {
  id: "4a1f7b1c-9f0d-5b57-8d3c-0c7a1f9b2e60.0",
  finished_at: "2026-01-31T11:40:00.000Z",
  commit: "3f786850e387550fdab836ed7e6dc881de23001b",
  conclusion: "failed",
  flaky: false,
  reruns: 0,
  exception_type: "TimeoutError",
  run_id: "812",
  job_url: "https://ci.example.com/jobs/4711"
} as const

const contradiction = {
  ...contradicted,
  id: "a0b3c1f2-58d4-5e0e-b8b0-6b7d3c9e1a42.0",
  finished_at: "2026-01-31T11:55:00.000Z",
  conclusion: "passed",
  exception_type: null,
  job_url: "https://ci.example.com/jobs/4712"
} as const

const explainTest: Encoded<typeof Explanation.ExplainedTest> = {
  test_id: identity.test_id,
  test_name: name,
  health_status: "flaky",
  identities: [
    {
      pipeline_name: "CI",
      job_name: "unit",
      health_status: "flaky",
      confidence: "medium",
      confidence_reason: "proven on 1 commit; 14 reruns since",
      reruns: 14,
      clean_reruns: 1,
      flake_rate_bound: 0.95,
      rule: "contradiction",
      since: "2026-01-31T11:55:00.000Z",
      changes: [
        {
          at: "2026-01-31T11:40:00.000Z",
          health_status: "broken",
          rule: "failure",
          execution_id: contradicted.id,
          commit: contradicted.commit
        },
        {
          at: "2026-01-31T11:55:00.000Z",
          health_status: "flaky",
          rule: "contradiction",
          execution_id: contradiction.id,
          commit: contradiction.commit
        }
      ],
      evidence: [contradicted, contradiction],
      evidence_total: 2,
      context: [],
      context_total: 0,
      contradictions: [],
      contradictions_total: 0,
      notes: [],
      recent: [contradicted, contradiction],
      recovery: {
        passes: 9,
        commits: 0,
        not_before: "2026-02-07T11:40:00.000Z",
        sentence:
          "Needs 9 more clean passes in a row, the last one at 2026-02-07T11:40:00.000Z or later. A failure starts the " +
          "count again."
      },
      failing: null
    }
  ],
  elsewhere: {
    passed: 1,
    failed: 1,
    forks: { passed: 0, failed: 0 },
    sentence: "It failed in 1 of 2 job runs of 1 other branch in the last 30 days.",
    latest: [
      {
        pipeline_name: "CI",
        job_name: "unit",
        branch: "add-vouchers",
        base_branch: "main",
        commit: "9f2c1ab07f4d5e6c8b9a0d1e2f3a4b5c6d7e8f90",
        run_id: "4712",
        finished_at: "2026-01-31T12:10:00.000Z",
        conclusion: "failed"
      }
    ]
  }
}

const listTestFailures: Encoded<typeof TestFailure.TestFailures> = { failures: [failure] }

const getTestFailure: Encoded<typeof TestFailure.TestFailureDetail> = {
  ...failure,
  latest_events: [
    {
      id: "4a1f7b1c-9f0d-5b57-8d3c-0c7a1f9b2e60.0",
      failed_at: "2026-01-31T11:40:00.000Z",
      exception_stacktrace: "TimeoutError: no answer after 5000 ms\n    at test/cart.test.ts:12:3",
      test_filepath: "test/cart.test.ts",
      test_programming_language: "typescript",
      job_url: "https://ci.example.com/jobs/4711"
    }
  ]
}

const listTestExecutions: Encoded<typeof TestExecutions.ExecutionsPage> = {
  size: 1,
  per_page: 10,
  executions: [{ ...identity, executions_count: 120 }]
}

const getRepositoryStatistic: Encoded<typeof TestStatistic.RepositoryStatistic> = {
  value: 4,
  value_over_time: [
    { start: "2026-01-30T00:00:00.000Z", end: "2026-01-31T00:00:00.000Z", value: 1 },
    { start: "2026-01-31T00:00:00.000Z", end: "2026-02-01T00:00:00.000Z", value: 3 }
  ],
  stat: "failed_executions"
}

const event: Encoded<typeof Event.EventBody> = {
  id: "5d0f1c1e-94b4-5f0d-8a53-2b7c9a1e6f10",
  at: "2026-01-31T11:56:00.000Z",
  type: "test.health_changed",
  actor: "auto",
  test_id: identity.test_id,
  test_name: name,
  branch: "main",
  summary: `"${name}" was broken and is flaky now (CI, unit).`,
  owners: ["@acme/checkout"],
  detail: {
    from: "broken",
    to: "flaky",
    rule: "contradiction",
    pipeline_name: "CI",
    job_name: "unit",
    commit: "3f786850e387550fdab836ed7e6dc881de23001b",
    pull_request: pullRequest
  }
}

const webhook: Encoded<typeof Webhook.Webhook> = {
  id: "0d9f6a35-6d7f-4c0e-8a67-3a8b7f1c2d40",
  url: "https://hooks.example.com/lazaret",
  events: ["test.health_changed", "quarantine.created"],
  created_at: "2026-01-31T12:00:00.000Z",
  created_by: "key d1c1b54c-3a55-4c1c-8d6c-6f6f0a1f3a6e"
}

const createWebhook: Encoded<typeof Webhook.CreateWebhook> = {
  url: webhook.url,
  secret: "a long text that cannot be guessed",
  events: webhook.events
}

const notifier: Encoded<typeof Notifier.Notifier> = {
  id: "2b7e1f60-4d3c-4c8e-9a11-7f0d5b6a8c21",
  channel: { kind: "slack", host: "hooks.slack.com" },
  events: ["job_run.outage", "test.health_changed"],
  owners: ["@acme/web"],
  schedule: { every: "day", hour: 9, time_zone: "Europe/Paris" },
  created_at: "2026-01-31T12:00:00.000Z",
  created_by: webhook.created_by,
  sent_at: null,
  failure: null,
  attempts: 0,
  next_at: "2026-02-01T08:00:00.000Z"
}

const createNotifier: Encoded<typeof Notifier.CreateNotifier> = {
  channel: { kind: "slack", url: "https://hooks.slack.com/services/T0/B0/0" },
  events: notifier.events,
  owners: notifier.owners,
  schedule: notifier.schedule
}

const repositories = ["acme/*"]

const wideNotifier: Encoded<typeof Notifier.WideNotifier> = { repositories, ...notifier }

const listEvents: Encoded<typeof Event.EventsPage> = {
  size: 1,
  per_page: 10,
  events: [event],
  total: 1
}

const getFlakyDetectionContext: Encoded<typeof FlakyDetection.FlakyDetectionContext> = {
  budget_ratio_for_new_tests: 0.1,
  budget_ratio_for_unhealthy_tests: 0.05,
  budget_ratio_for_test_retries: 0.05,
  existing_test_names: ["cart > adds", name],
  existing_tests_mean_duration_ms: 35.5,
  unhealthy_test_names: [name],
  flaky_test_names: [name],
  broken_test_names: [],
  max_test_execution_count: 1000,
  max_test_name_length: 10_000,
  min_budget_duration_ms: 4000,
  min_test_execution_count: 5
}

const refoldRepository: Encoded<typeof Upkeep.Refolded> = { owner: "acme", repository: "widgets" }

const backfillRepository: Encoded<typeof Backfill.BackfillStep> = {
  runs: 10,
  artifacts: 12,
  executions: { recorded: 4800, duplicates: 400 },
  problems: ["junit: unit.xml: The report is cut off."],
  next_page: 2
}

const verifyRepository: Encoded<typeof Upkeep.Verification> = {
  ...refoldRepository,
  differences: [{ kind: "health", place: "block 12" }],
  total: 1
}

const getApplication: Encoded<typeof Application.Application> = {
  id: "d1c1b54c-3a55-4c1c-8d6c-6f6f0a1f3a6e",
  name: "acme CI",
  scope: "ci",
  account_scope: { id: "acme", login: "acme" }
}

/** The examples by operation. */
export const examples: { readonly [operation: string]: Example } = {
  ...triageExamples,
  ...overviewExamples,
  ...ownersExamples,
  ...causeExamples,
  ...changeExamples,
  ...costExamples,
  ...missingExamples,
  ...shardExamples,
  ...issueExamples,
  ...testAliasExamples,
  searchTests: { response: searchTests },
  getTest: { response: getTest },
  getTestStatistic: { response: getTestStatistic },
  getHealthTransitions: { response: getHealthTransitions },
  explainTest: { response: explainTest },
  listTestFailures: { response: listTestFailures },
  getTestFailure: { response: getTestFailure },
  listTestExecutions: { response: listTestExecutions },
  getRepositoryStatistic: { response: getRepositoryStatistic },
  ...quarantineExamples,
  listEvents: { response: listEvents },
  createWebhook: { request: { [json]: createWebhook }, response: webhook },
  createNotifier: { request: { [json]: createNotifier }, response: notifier },
  listNotifiers: { response: { notifiers: [notifier] } },
  createWideNotifier: { request: { [json]: { repositories, ...createNotifier } }, response: wideNotifier },
  listWideNotifiers: { response: { notifiers: [wideNotifier] } },
  listWebhooks: { response: { webhooks: [webhook] } },
  listDeadLetters: {
    response: {
      dead_letters: [
        { event, at: "2026-01-31T21:00:00.000Z", attempts: 7, error: "the receiver answered with status 500" }
      ]
    }
  },
  ...uploadExamples,
  getFlakyDetectionContext: { response: getFlakyDetectionContext },
  ...administrationExamples,
  ...hostingPlatformExamples,
  ...queueExamples,
  refoldRepository: { response: refoldRepository },
  backfillRepository: {
    request: { "application/json": { from: "2026-06-01T00:00:00.000Z" } },
    response: backfillRepository
  },
  verifyRepository: { response: verifyRepository },
  getApplication: { response: getApplication },
  createSignInLink: {
    response: {
      url: "https://tests.example.com/sign-in#XhEm2r8Wq0cQ4kYvT1nZ6uLs9bDfJaPg",
      expires_at: "2026-01-31T12:15:00.000Z"
    }
  },
  signIn: { request: { [json]: { key: "lzr_ci_…" } }, response: getApplication },
  getLiveness: { response: { status: "ok" } },
  getReadiness: { response: { status: "ok" } }
}
