/** The handler of the route of costs. */
import { Api } from "@lazaret/api"
import { Costs } from "@lazaret/services"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as Links from "../response/Links.ts"
import * as ServiceErrors from "../response/ServiceErrors.ts"
import * as Cost from "./Cost.ts"

/** The handler over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "costs",
  Effect.fnUntraced(function* (handlers) {
    const costs = yield* Costs

    return handlers.handleAll({
      listCosts: ({ params, query, request }) => {
        const asked = Cost.requestOf(query)
        return costs.list(params, asked).pipe(
          Effect.flatMap((found) =>
            Links.paged(request, () => Cost.pageOf(found, asked))(Effect.succeed(found.listing))
          ),
          ServiceErrors.toProblem
        )
      }
    })
  })
)
