/** The handler of the route that exports executions. */
import { Api, type Schemas } from "@lazaret/api"
import { type FailurePrecision, type Instant, TestId } from "@lazaret/domain"
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
        return exports.executions(params, { ...page, bounds }).pipe(
          Effect.flatMap(({ listing, nextStart }) =>
            Links.paged(request, pageOf(page.perPage, nextStart))(Effect.succeed(listing))
          ),
          ServiceErrors.toProblem
        )
      },
      exportVerdicts: ({ params, query, request }) => {
        const page = Parameter.pageOf(query)
        const bounds = { start: query.start, end: query.end }
        return exports.verdicts(params, { ...page, bounds }).pipe(
          Effect.map(({ links, verdicts }) => ({ rows: verdicts, total: verdicts.length, links })),
          Links.paged(request, ({ rows }) => ({
            size: rows.length,
            per_page: page.perPage,
            verdicts: rows.map(verdictOf)
          })),
          ServiceErrors.toProblem
        )
      }
    })
  })
)

const pageOf =
  (perPage: number, nextStart: Instant.Instant | null) =>
  ({ rows, total }: Listing.Listing<ExportedTest>): typeof Schemas.ExportedExecutions.Type => ({
    size: rows.length,
    per_page: perPage,
    total,
    next_start: nextStart,
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

const verdictOf = (each: FailurePrecision.KeptVerdict): typeof Schemas.ExportedVerdict.Type => ({
  test_id: each.testId,
  execution_id: each.executionId,
  test_name: each.testName,
  pipeline_name: each.pipelineName,
  job_name: each.jobName,
  commit: each.commit,
  run_id: each.runId,
  finished_at: each.at,
  verdict: each.verdict,
  probability_flaky: each.probability,
  outcome: each.outcome,
  marked: each.mark?.truth ?? null,
  marked_by: each.mark?.by ?? null,
  marked_at: each.mark?.at ?? null
})
