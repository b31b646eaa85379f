/** The filters of the search and of repository statistics on the wire (interface 4.1.1, 4.1.12). */
import type { Schemas } from "@lazaret/api"
import { TestFilter } from "@lazaret/domain"
import type { Schema } from "effect"

type Query = Schema.Struct.Type<typeof Schemas.TestFilterQuery>

/** The filter that a query asks for. */
export const of = (query: Query): TestFilter.TestFilter =>
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
