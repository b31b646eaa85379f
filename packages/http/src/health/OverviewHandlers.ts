/** The handlers of the routes that look over a repository: one use case each. */
import { Api, Principal } from "@lazaret/api"
import { Overviews } from "@lazaret/services"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as Links from "../response/Links.ts"
import * as ServiceErrors from "../response/ServiceErrors.ts"
import * as Overview from "./Overview.ts"
import * as Parameter from "../request/Parameter.ts"

/** The handlers over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "overview",
  Effect.fnUntraced(function* (handlers) {
    const overviews = yield* Overviews

    return handlers.handleAll({
      listTests: ({ params, query, request }) => {
        const list = Overview.requestOf(query)
        return overviews.tests(params, list).pipe(
          Effect.flatMap((found) =>
            Links.paged(request, () => Overview.pageOf(found, list.perPage))(Effect.succeed(found))
          ),
          ServiceErrors.toProblem
        )
      },
      getSummary: ({ params }) =>
        Effect.flatMap(Principal, ({ kind }) =>
          overviews.summary(params).pipe(
            Effect.map((summary) => Overview.summaryOf(summary, kind !== "ci")),
            ServiceErrors.toProblem
          )
        ),
      listBranchTests: ({ params, query, request }) => {
        const list = Overview.branchRequestOf(query)
        const page = Overview.branchTestsOf(list.perPage)
        return overviews.branchTests(params, list).pipe(Links.paged(request, page), ServiceErrors.toProblem)
      },
      listOutages: ({ params, query, request }) => {
        const list = Parameter.pageOf(query)
        const page = Overview.outagesOf(list.perPage)
        return overviews.outages(params, list).pipe(Links.paged(request, page), ServiceErrors.toProblem)
      },
      listOwners: ({ params }) =>
        overviews.ownership(params).pipe(Effect.map(Overview.ownersOf), ServiceErrors.toProblem),
      getTestOwners: ({ params }) => overviews.owners(params, params.test_id).pipe(ServiceErrors.toProblem),
      getTrend: ({ params }) => overviews.trend(params).pipe(Effect.map(Overview.trendOf), ServiceErrors.toProblem)
    })
  })
)
