/** The handlers of the routes that read tests: one use case each. */
import { Api } from "@lazaret/api"
import { FlakyDetection, Tests } from "@lazaret/services"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as FlakyDetectionContext from "./FlakyDetection.ts"
import * as Links from "../response/Links.ts"
import * as ServiceErrors from "../response/ServiceErrors.ts"
import * as Explanation from "./Explanation.ts"
import * as TestDetails from "./TestDetails.ts"
import * as TestExecutions from "./TestExecutions.ts"
import * as TestFailure from "./TestFailure.ts"
import * as TestFilter from "./TestFilter.ts"
import * as TestSearch from "./TestSearch.ts"
import * as TestStatistic from "./TestStatistic.ts"
import * as Transitions from "./Transitions.ts"

/** The handlers over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "tests",
  Effect.fnUntraced(function* (handlers) {
    const tests = yield* Tests
    const flakyDetection = yield* FlakyDetection

    return handlers.handleAll({
      searchTests: ({ params, query, request }) => {
        const search = TestSearch.requestOf(query)
        const page = TestSearch.pageOf(search.perPage)
        return tests.search(params, search).pipe(Links.paged(request, page), ServiceErrors.toProblem)
      },
      getTest: ({ params }) =>
        tests.details(params, params.test_id).pipe(Effect.map(TestDetails.of), ServiceErrors.toProblem),
      getTestStatistic: ({ params, query }) =>
        tests
          .statistic(params, params.test_id, params.stat, query)
          .pipe(Effect.map(TestStatistic.of(params.stat)), ServiceErrors.toProblem),
      getHealthTransitions: ({ params, query }) =>
        tests.transitions(params, params.test_id, query).pipe(Effect.map(Transitions.of), ServiceErrors.toProblem),
      explainTest: ({ params }) =>
        tests.explain(params, params.test_id).pipe(Effect.map(Explanation.of), ServiceErrors.toProblem),
      listTestFailures: ({ params }) =>
        tests.failures(params, params.test_id).pipe(Effect.map(TestFailure.listOf), ServiceErrors.toProblem),
      getTestFailure: ({ params }) =>
        tests
          .failure(params, params.test_id, params.failure_id)
          .pipe(Effect.map(TestFailure.detailOf), ServiceErrors.toProblem),
      listTestExecutions: ({ params, query, request }) => {
        const list = TestExecutions.requestOf(query)
        const page = TestExecutions.pageOf(list.perPage)
        return tests.executions(params, params.test_id, list).pipe(Links.paged(request, page), ServiceErrors.toProblem)
      },
      getRepositoryStatistic: ({ params, query }) =>
        tests
          .repositoryStatistic(params, params.stat, TestFilter.of(query))
          .pipe(Effect.map(TestStatistic.of(params.stat)), ServiceErrors.toProblem),
      getFlakyDetectionContext: ({ params }) =>
        flakyDetection.context(params).pipe(Effect.map(FlakyDetectionContext.of), ServiceErrors.toProblem)
    })
  })
)
