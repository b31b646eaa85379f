/** The handlers of the routes of upkeep: one use case each. */
import { Api } from "@lazaret/api"
import { Upkeep } from "@lazaret/services"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as LongAnswer from "../response/LongAnswer.ts"
import * as ServiceErrors from "../response/ServiceErrors.ts"
import * as Wire from "./Upkeep.ts"

/** The handlers over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "upkeep",
  Effect.fnUntraced(function* (handlers) {
    const upkeep = yield* Upkeep

    return handlers.handleAll({
      refoldRepository: ({ params: { owner, repository } }) =>
        upkeep
          .refold({ owner, repository })
          .pipe(Effect.as({ owner, repository }), ServiceErrors.toProblem, LongAnswer.json),
      verifyRepository: ({ params }) =>
        upkeep.verify(params).pipe(
          Effect.map((found) => Wire.of(params, found)),
          ServiceErrors.toProblem,
          LongAnswer.json
        )
    })
  })
)
