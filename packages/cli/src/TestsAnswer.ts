/** What a server answers about tests, as far as it is shown. */
import { Schema } from "effect"
import { open } from "./Answer.ts"

const text = Schema.NullOr(Schema.String)

const Row = open({
  test_id: Schema.String,
  test_name: Schema.String,
  pipeline_name: Schema.String,
  job_name: Schema.String,
  metrics: open({ health_status: Schema.String, health_confidence: Schema.String, failed_executions_impact: text })
})

/** A test in a pipeline and job. */
export type Row = typeof Row.Type

/** A page of a search. */
export const Found = Schema.Struct({ tests: Schema.Array(Row), total: Schema.Int })

/** The details of a test (interface 2.4). */
export const Details = open({
  test_id: Schema.String,
  test_name: Schema.String,
  health_status: Schema.String,
  last_conclusion: Schema.String,
  failure_ratio: Schema.Number,
  flakiness_ratio: Schema.Number,
  success_ratio: Schema.Number,
  first_failure_at: text,
  first_failure_commit: text,
  first_failure_pull: Schema.NullOr(open({ number: Schema.Int, title: Schema.String })),
  last_failure_at: text,
  last_success_at: text,
  test_framework: text,
  test_filepath: text
})

/** The details of a test. */
export type Details = typeof Details.Type

const Failure = open({
  id: Schema.String,
  exception_type: Schema.String,
  exception_message: Schema.String,
  failure_count: Schema.Int,
  last_failure_at: Schema.String
})

/** A failure of a test (interface 2.7). */
export type Failure = typeof Failure.Type

/** The failures of a test. */
export const Failures = Schema.Struct({ failures: Schema.Array(Failure) })

const Execution = open({
  id: Schema.String,
  finished_at: Schema.String,
  commit: text,
  conclusion: Schema.String,
  flaky: Schema.Boolean,
  exception_type: text,
  job_url: text
})

/** An execution behind a verdict. */
export type Execution = typeof Execution.Type

const Identity = open({
  pipeline_name: Schema.String,
  job_name: Schema.String,
  health_status: Schema.String,
  confidence: Schema.String,
  reruns: Schema.Int,
  clean_reruns: Schema.Int,
  flake_rate_bound: Schema.Number,
  rule: Schema.String,
  since: text,
  evidence: Schema.Array(Execution),
  context: Schema.Array(Execution),
  recovery: Schema.NullOr(open({ sentence: Schema.String }))
})

/** Why a test has its health in a pipeline and job. */
export type Identity = typeof Identity.Type

/** Why a test has its health. */
export const Explained = open({
  test_id: Schema.String,
  test_name: Schema.String,
  health_status: Schema.String,
  identities: Schema.Array(Identity)
})

/** Why a test has its health. */
export type Explained = typeof Explained.Type
