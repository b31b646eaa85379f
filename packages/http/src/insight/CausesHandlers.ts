/** The handlers of the routes of causes: one use case each. */
import { Api, Principal } from "@lazaret/api"
import { Causes } from "@lazaret/services"
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as Parameter from "../request/Parameter.ts"
import * as Links from "../response/Links.ts"
import * as ServiceErrors from "../response/ServiceErrors.ts"
import * as Cause from "./Cause.ts"

/** A client that goes away must not cut a write in two. */
const options = { uninterruptible: true }

/** The handlers over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "causes",
  Effect.fnUntraced(function* (handlers) {
    const causes = yield* Causes

    return handlers.handleAll({
      listCauses: ({ params, query, request }) => {
        const list = Cause.requestOf(query)
        return causes.list(params, list).pipe(
          Effect.flatMap((found) =>
            Links.paged(request, () => Cause.pageOf(found, list.perPage))(Effect.succeed(found.listing))
          ),
          ServiceErrors.toProblem
        )
      },
      getCause: ({ params }) =>
        causes.get(params, params.cause_id).pipe(Effect.map(Cause.causeOf), ServiceErrors.toProblem),
      listCauseTests: ({ params, query, request }) => {
        const list = Parameter.pageOf(query)
        const page = Cause.testsOf(list.perPage)
        return causes.tests(params, params.cause_id, list).pipe(Links.paged(request, page), ServiceErrors.toProblem)
      },
      changeCause: {
        handler: ({ params, payload }) =>
          Effect.flatMap(Effect.all([Principal, Clock.currentTimeMillis]), ([{ subject }, now]) =>
            causes
              .decide(params, params.cause_id, { change: Cause.changeOf(payload, now), by: subject })
              .pipe(Effect.map(Cause.causeOf), ServiceErrors.toProblem)
          ),
        options
      },
      quarantineCause: {
        handler: ({ params, payload: { branch = null, reason = null } }) =>
          Effect.flatMap(Principal, ({ subject }) =>
            ServiceErrors.toProblem(causes.quarantine(params, params.cause_id, { branch, reason, by: subject }))
          ),
        options
      }
    })
  })
)
