/** The handlers of the routes of pins. */
import { Api, Principal } from "@lazaret/api"
import { OriginPins } from "@lazaret/services"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ServiceErrors from "../response/ServiceErrors.ts"
import * as OriginPin from "./OriginPin.ts"

/** The handlers over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "pins",
  Effect.fnUntraced(function* (handlers) {
    const pins = yield* OriginPins

    return handlers.handleAll({
      listPins: () =>
        Effect.flatMap(Principal, (caller) =>
          pins.list(caller).pipe(Effect.map(OriginPin.listOf), ServiceErrors.toProblem)
        ),
      removePin: {
        handler: ({ params }) =>
          Effect.flatMap(Principal, (caller) => ServiceErrors.toProblem(pins.remove(caller, params.pin_id))),
        // A client that goes away must not cut a write in two.
        options: { uninterruptible: true }
      }
    })
  })
)
