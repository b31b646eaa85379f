/** The handlers of the routes of upkeep: one use case each. */
import { Upkeep } from "@lazaret/services"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "./Api.ts"
import * as LongAnswer from "./LongAnswer.ts"
import * as Problem from "./Problem.ts"
import * as Wire from "./wire/Upkeep.ts"

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
          .pipe(Effect.as({ owner, repository }), Problem.fromService, LongAnswer.json),
      verifyRepository: ({ params }) =>
        upkeep.verify(params).pipe(
          Effect.map((found) => Wire.of(params, found)),
          Problem.fromService,
          LongAnswer.json
        )
    })
  })
)
