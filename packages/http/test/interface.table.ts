/**
 * Sections 2, 4.1, 5 and 8 of the interface as a table, written by hand from the document.
 *
 * A type reads: `string 1..40`, `integer 1..100`, `X | null`, `X[]`, `X[] (255)` for at most 255 items, `a, b` for an
 * enumeration, or the name of a resource. A `?` after a name means that it may be absent.
 */
import { queueResources, queueRoutes } from "./interface.queues.table.ts"

/** A route of the interface. */
export interface Route {
  readonly section: string
  readonly method: "get" | "post" | "put" | "delete"
  readonly path: string
  readonly ci: boolean
  readonly params?: Fields
  readonly query?: Fields
  readonly body?: string
  readonly success: { readonly [status: string]: string | null }
}

/** Names with their types. */
export type Fields = { readonly [name: string]: string }

const health = "healthy, flaky, broken"
const level = "low, medium, high"
const names = "string 1..255[] (255)"
const uuid5 = "uuid5"

const prefix = "/v1/ci/{owner}/repositories/{repository}"
const test = { test_id: uuid5 }
const window = { "start?": "date-time", "end?": "date-time" }
const page = { "cursor?": "string", "per_page?": "integer 1..100" }

const nameFilters = {
  "test_name?": names,
  "test_name_exclude?": names,
  "pipeline_name?": names,
  "pipeline_name_exclude?": names,
  "job_name?": names,
  "job_name_exclude?": names
}

const levelFilters = {
  "health_confidence?": `${level}[]`,
  "health_confidence_exclude?": `${level}[]`,
  "failed_executions_impact?": `${level}[]`,
  "failed_executions_impact_exclude?": `${level}[]`
}

/** Section 2.1: of every route. */
export const repository: Fields = {
  owner: "string 1..40 ^[a-zA-Z0-9-]+$",
  repository: "string 1..100 ^[\\w.-]+$"
}

/** Section 4. */
export const routes: ReadonlyArray<Route> = [
  ...queueRoutes,
  {
    section: "4.1.1",
    method: "get",
    path: `${prefix}/search/tests`,
    ci: true,
    query: {
      ...nameFilters,
      "health_status?": `${health}[]`,
      "health_status_exclude?": `${health}[]`,
      ...levelFilters,
      "sort?":
        "executions_count, test_name, pipeline_name, job_name, health_status, health_confidence, " +
        "failed_executions_impact, failed_executions_ratio",
      "direction?": "asc, desc",
      ...page
    },
    success: { 200: "SearchPage" }
  },
  {
    section: "4.1.2",
    method: "get",
    path: `${prefix}/tests/{test_id}`,
    ci: true,
    params: test,
    success: { 200: "TestDetails" }
  },
  {
    section: "4.1.3",
    method: "get",
    path: `${prefix}/tests/{test_id}/stats/{stat}`,
    ci: true,
    params: { ...test, stat: "success_count, failure_count, flaky_count, mean_duration" },
    query: window,
    success: { 200: "CountStatistic | DurationStatistic" }
  },
  {
    section: "4.1.4",
    method: "get",
    path: `${prefix}/tests/{test_id}/health-transitions`,
    ci: true,
    params: test,
    query: window,
    success: { 200: "HealthTransitions" }
  },
  {
    section: "4.1.5",
    method: "get",
    path: `${prefix}/tests/{test_id}/failures`,
    ci: true,
    params: test,
    success: { 200: "TestFailures" }
  },
  {
    section: "4.1.6",
    method: "get",
    path: `${prefix}/tests/{test_id}/failures/{failure_id}`,
    ci: true,
    params: { ...test, failure_id: uuid5 },
    success: { 200: "TestFailureDetail" }
  },
  {
    section: "4.1.7",
    method: "get",
    path: `${prefix}/tests/{test_id}/executions`,
    ci: true,
    params: test,
    query: {
      "sort?": "executions_count, pipeline_name, job_name",
      "direction?": "asc, desc",
      ...page,
      ...window
    },
    success: { 200: "ExecutionsPage" }
  },
  {
    section: "4.1.8",
    method: "get",
    path: `${prefix}/quarantines`,
    ci: true,
    query: { "branch?": "string 1..255", "test_id?": "uuid", "source?": "manual, auto", ...page },
    success: { 200: "QuarantinesPage" }
  },
  {
    section: "4.1.9",
    method: "post",
    path: `${prefix}/quarantines`,
    ci: true,
    body: "CreateQuarantine",
    success: { 201: "CreatedQuarantine" }
  },
  {
    section: "4.1.10",
    method: "get",
    path: `${prefix}/quarantines/{quarantine_id}`,
    ci: true,
    params: { quarantine_id: "uuid" },
    success: { 200: "QuarantinedTest" }
  },
  {
    section: "4.1.11",
    method: "delete",
    path: `${prefix}/quarantines/{quarantine_id}`,
    ci: true,
    params: { quarantine_id: "uuid" },
    success: { 204: null }
  },
  {
    section: "4.1.12",
    method: "get",
    path: `${prefix}/tests/stats/{stat}`,
    ci: false,
    params: { stat: "total_tests, healthy_tests, broken_tests, flaky_tests, failed_executions" },
    query: { ...nameFilters, ...levelFilters },
    success: { 200: "RepositoryStatistic" }
  }
]

const failure = {
  id: uuid5,
  exception_type: "string",
  exception_message: "string",
  failure_count: "integer",
  first_failure_at: "date-time",
  last_failure_at: "date-time"
}

/** Section 2, and the envelopes of section 4. */
export const resources: { readonly [name: string]: Fields } = {
  ...queueResources,
  PullRef: {
    id: "integer 0..",
    number: "integer 0..",
    title: "string 0..10000",
    user: "{id: integer 0.., login: string 1..255}"
  },
  TestSearchResult: {
    test_id: uuid5,
    test_name: "string",
    pipeline_name: "string",
    job_name: "string",
    metrics: "TestSearchResultMetrics"
  },
  TestSearchResultMetrics: {
    health_status: health,
    health_confidence: level,
    failed_executions_impact: `${level} | null`
  },
  SearchPage: { size: "integer", per_page: "integer", tests: "TestSearchResult[]", total: "integer" },
  TestDetails: {
    repository: "string",
    test_name: "string",
    test_id: uuid5,
    health_status: health,
    last_conclusion: "passed, failed, skipped",
    failure_ratio: "number 0..1",
    flakiness_ratio: "number 0..1",
    success_ratio: "number 0..1",
    flaky_detection_enabled: "boolean",
    first_failure_at: "date-time | null",
    first_failure_commit: "string | null",
    first_failure_pull: "PullRef | null",
    last_failure_at: "date-time | null",
    last_success_at: "date-time | null",
    test_framework: "string | null",
    test_framework_version: "string | null",
    test_programming_language: "string | null",
    test_filepath: "string | null",
    test_function_name: "string | null"
  },
  CountBucket: { start: "date-time", end: "date-time", value: "integer" },
  DurationBucket: { start: "date-time", end: "date-time", value: "number" },
  CountStatistic: {
    value: "integer",
    value_over_time: "CountBucket[]",
    stat: "success_count, failure_count, flaky_count"
  },
  DurationStatistic: { value: "number", value_over_time: "DurationBucket[]", stat: "mean_duration" },
  HealthTransition: {
    at: "date-time",
    health_status: health,
    "exception_type?": "string | null",
    "pull_request?": "PullRef | null"
  },
  HealthTransitions: { transitions: "HealthTransition[]", first_activity_at: "date-time | null" },
  TestFailure: failure,
  TestFailures: { failures: "TestFailure[]" },
  TestFailureDetail: { ...failure, latest_events: "TestFailureEvent[]" },
  TestFailureEvent: {
    id: "string",
    failed_at: "date-time",
    exception_stacktrace: "string | null",
    test_filepath: "string | null",
    test_programming_language: "string | null",
    "job_url?": "string | null"
  },
  TestExecutionResult: {
    test_id: uuid5,
    test_name: "string",
    pipeline_name: "string",
    job_name: "string",
    executions_count: "integer"
  },
  ExecutionsPage: { size: "integer", per_page: "integer", executions: "TestExecutionResult[]" },
  QuarantinedTest: {
    id: "uuid",
    test_name: "string",
    test_id: "uuid",
    reason: "string",
    branch: "string | null",
    created_at: "date-time",
    "source?": "manual, auto",
    "created_by?": "string",
    is_recovered: "boolean"
  },
  QuarantinesPage: { size: "integer", per_page: "integer | null", quarantined_tests: "QuarantinedTest[]" },
  CreateQuarantine: { test_name: "string 1..10000", reason: "string 0..10000", "branch?": "string 1..10000 | null" },
  CreatedQuarantine: { id: "uuid" },
  RepositoryStatistic: {
    stat: "total_tests, healthy_tests, broken_tests, flaky_tests, failed_executions",
    value: "integer",
    value_over_time: "CountBucket[]"
  }
}
