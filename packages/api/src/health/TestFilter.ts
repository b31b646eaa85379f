/** The filters of the search and of repository statistics on the wire (interface 4.1.1, 4.1.12). */
import { Confidence, HealthStatus, Impact, TestFilter } from "@lazaret/domain"
import { Schema } from "effect"

const many = <S extends Schema.Constraint>(value: S, description: string) =>
  Schema.optionalKey(Schema.Array(value).annotate({ description }))

const patterns = (what: string) => ({
  include: Schema.optionalKey(
    TestFilter.Patterns.annotate({
      description: `Only ${what} that match one of these patterns: \`*\` stands for any text, \`?\` for one character.`
    })
  ),
  exclude: Schema.optionalKey(
    TestFilter.Patterns.annotate({ description: `No ${what} that match one of these patterns.` })
  )
})

const testName = patterns("test names")
const pipelineName = patterns("pipeline names")
const jobName = patterns("job names")

/** Filters by name: patterns with `*` and `?`. */
export const names = {
  test_name: testName.include,
  test_name_exclude: testName.exclude,
  pipeline_name: pipelineName.include,
  pipeline_name_exclude: pipelineName.exclude,
  job_name: jobName.include,
  job_name_exclude: jobName.exclude
}

/** Filters by confidence and impact. */
export const levels = {
  health_confidence: many(Confidence.Confidence, "Only tests with one of these confidences."),
  health_confidence_exclude: many(Confidence.Confidence, "No tests with one of these confidences."),
  failed_executions_impact: many(Impact.Impact, "Only tests with one of these impacts; healthy tests have none."),
  failed_executions_impact_exclude: many(Impact.Impact, "No tests with one of these impacts.")
}

/** Filters by health status. */
export const statuses = {
  health_status: many(HealthStatus.HealthStatus, "Only tests with one of these statuses."),
  health_status_exclude: many(HealthStatus.HealthStatus, "No tests with one of these statuses.")
}

/** Every filter of the search. */
export const TestFilterQuery = { ...names, ...levels, ...statuses }
