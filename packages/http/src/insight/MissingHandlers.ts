/** The handler of the route of losses. */
import { Api } from "@lazaret/api"
import { Missing } from "@lazaret/services"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as Links from "../response/Links.ts"
import * as ServiceErrors from "../response/ServiceErrors.ts"
import * as Loss from "./Missing.ts"

/** The handler over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "missing",
  Effect.fnUntraced(function* (handlers) {
    const missing = yield* Missing

    return handlers.handleAll({
      listLosses: ({ params, query, request }) => {
        const list = Loss.requestOf(query)
        return missing.list(params, list).pipe(
          Effect.flatMap((found) =>
            Links.paged(request, () => Loss.pageOf(found, list.perPage))(Effect.succeed(found.listing))
          ),
          ServiceErrors.toProblem
        )
      }
    })
  })
)
