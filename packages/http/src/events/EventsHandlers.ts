/** The handler of the route of events. */
import { Api, Principal } from "@lazaret/api"
import { Events } from "@lazaret/services"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as Links from "../response/Links.ts"
import * as ServiceErrors from "../response/ServiceErrors.ts"
import * as Event from "./Event.ts"

/** The handler over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "events",
  Effect.fnUntraced(function* (handlers) {
    const events = yield* Events

    return handlers.handleAll({
      listEvents: ({ params, query, request }) => {
        const list = Event.requestOf(query)
        return Effect.flatMap(Principal, ({ kind }) =>
          events
            .list(params, { ...list, caller: kind })
            .pipe(Links.paged(request, Event.pageOf(list.perPage)), ServiceErrors.toProblem)
        )
      }
    })
  })
)
