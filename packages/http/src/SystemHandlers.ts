/**
 * The handlers of the routes about the server itself.
 *
 * @since 0.1.0
 */
import { Keys, Principal } from "@lazaret/services"
import { Effect, Layer, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "./Api.ts"
import * as Problem from "./Problem.ts"
import * as Application from "./wire/Application.ts"

const ok = { status: "ok" } as const

/** A question to the store that is always answered "no", and cheap. */
const nobody = Redacted.make("")

const health = HttpApiBuilder.group(
  Api,
  "health",
  Effect.fnUntraced(function* (handlers) {
    const keys = yield* Keys
    return handlers.handleAll({
      getLiveness: () => Effect.succeed(ok),
      getReadiness: () =>
        keys.authenticate(nobody).pipe(
          Effect.as(ok),
          Effect.mapError(() => Problem.unavailable)
        )
    })
  })
)

const application = HttpApiBuilder.group(Api, "application", (handlers) =>
  handlers.handle("getApplication", () =>
    Effect.flatMap(Principal, ({ key }) =>
      key === null ? Effect.fail(Problem.forbidden) : Effect.succeed(Application.of(key))
    )
  )
)

/**
 * The handlers over the services.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = Layer.mergeAll(health, application)
