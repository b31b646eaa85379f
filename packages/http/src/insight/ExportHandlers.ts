/** The handler of the route that exports executions. */
import { Api, type Schemas } from "@lazaret/api"
import { TestId } from "@lazaret/domain"
import { type ExportedTest, Exports, type Listing } from "@lazaret/services"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as Parameter from "../request/Parameter.ts"
import * as Links from "../response/Links.ts"
import * as ServiceErrors from "../response/ServiceErrors.ts"

/** The handler over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "export",
  Effect.fnUntraced(function* (handlers) {
    const exports = yield* Exports

    return handlers.handleAll({
      exportExecutions: ({ params, query, request }) => {
        const page = Parameter.pageOf(query)
        const bounds = { start: query.start, end: query.end }
        return exports
          .executions(params, { ...page, bounds })
          .pipe(Links.paged(request, pageOf(page.perPage)), ServiceErrors.toProblem)
      }
    })
  })
)

const pageOf =
  (perPage: number) =>
  ({ rows, total }: Listing.Listing<ExportedTest>): typeof Schemas.ExportedExecutions.Type => ({
    size: rows.length,
    per_page: perPage,
    total,
    executions: rows.flatMap(executionsOf)
  })

const executionsOf = ({ executions, file, identity }: ExportedTest) =>
  executions.map((each) => ({
    execution_id: each.id,
    test_id: TestId.of(identity.testName),
    test_name: identity.testName,
    pipeline_name: identity.pipelineName,
    job_name: identity.jobName,
    file,
    run_id: each.runId,
    commit: each.commit,
    finished_at: each.at,
    conclusion: each.conclusion,
    flaky: each.flaky,
    reruns: each.reruns,
    duration_seconds: each.durationMs / 1000,
    exception_type: each.exceptionType,
    excused: each.excused
  }))
