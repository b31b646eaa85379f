/** The handler of the route of events. */
import { Events } from "@lazaret/services"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "./Api.ts"
import * as Links from "./Links.ts"
import * as Problem from "./Problem.ts"
import * as Event from "./wire/Event.ts"

/** The handler over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "events",
  Effect.fnUntraced(function* (handlers) {
    const events = yield* Events

    return handlers.handleAll({
      listEvents: ({ params, query, request }) => {
        const list = Event.requestOf(query)
        return events.list(params, list).pipe(Links.paged(request, Event.pageOf(list.perPage)), Problem.fromService)
      }
    })
  })
)
