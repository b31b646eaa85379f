/** The handlers of the routes of changes: one use case each. */
import { Api } from "@lazaret/api"
import { Changes } from "@lazaret/services"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ServiceErrors from "../response/ServiceErrors.ts"
import * as Change from "./Change.ts"

/** The handlers over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "changes",
  Effect.fnUntraced(function* (handlers) {
    const changes = yield* Changes

    return handlers.handleAll({
      getTestChange: ({ params }) =>
        changes.ofTest(params, params.test_id).pipe(Effect.map(Change.of), ServiceErrors.toProblem),
      getCauseChange: ({ params }) =>
        changes.ofCause(params, params.cause_id).pipe(Effect.map(Change.of), ServiceErrors.toProblem)
    })
  })
)
