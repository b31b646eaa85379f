/**
 * The filters of the search and of repository statistics on the wire (interface 4.1.1, 4.1.12).
 *
 * @since 0.1.0
 */
import { Confidence, HealthStatus, Impact, TestFilter } from "@lazaret/domain"
import { Schema } from "effect"

const many = <S extends Schema.Constraint>(value: S) => Schema.optionalKey(Schema.Array(value))

const patterns = Schema.optionalKey(TestFilter.Patterns)

/**
 * Filters by name: patterns with `*` and `?`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const names = {
  test_name: patterns,
  test_name_exclude: patterns,
  pipeline_name: patterns,
  pipeline_name_exclude: patterns,
  job_name: patterns,
  job_name_exclude: patterns
}

/**
 * Filters by confidence and impact.
 *
 * @category schemas
 * @since 0.1.0
 */
export const levels = {
  health_confidence: many(Confidence.Confidence),
  health_confidence_exclude: many(Confidence.Confidence),
  failed_executions_impact: many(Impact.Impact),
  failed_executions_impact_exclude: many(Impact.Impact)
}

/**
 * Filters by health status.
 *
 * @category schemas
 * @since 0.1.0
 */
export const statuses = {
  health_status: many(HealthStatus.HealthStatus),
  health_status_exclude: many(HealthStatus.HealthStatus)
}

const Query = Schema.Struct({ ...names, ...levels, ...statuses })

/**
 * The filter that a query asks for.
 *
 * @category conversions
 * @since 0.1.0
 */
export const of = (query: typeof Query.Type): TestFilter.TestFilter =>
  TestFilter.make({
    testName: clause(query.test_name, query.test_name_exclude),
    pipelineName: clause(query.pipeline_name, query.pipeline_name_exclude),
    jobName: clause(query.job_name, query.job_name_exclude),
    healthStatus: clause(query.health_status, query.health_status_exclude),
    healthConfidence: clause(query.health_confidence, query.health_confidence_exclude),
    failedExecutionsImpact: clause(query.failed_executions_impact, query.failed_executions_impact_exclude)
  })

const clause = <A>(include: ReadonlyArray<A> = [], exclude: ReadonlyArray<A> = []): TestFilter.Clause<A> => ({
  include,
  exclude
})
