/** The handlers of the routes about the server itself. */
import { Api, Principal, Problem } from "@lazaret/api"
import { KeyRegistry, SignInCodes, Upkeep } from "@lazaret/services"
import { Effect, Fiber, Layer, Redacted } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { HttpConfig } from "../request/HttpConfig.ts"
import * as Links from "../response/Links.ts"
import * as ServiceErrors from "../response/ServiceErrors.ts"
import * as Application from "../access/Application.ts"

const ok = { status: "ok" } as const

/** A question to the store that is always answered "no", and cheap. */
const nobody = Redacted.make("")

const stops = new Problem.Unavailable({ detail: "This server is stopping: send requests to another one." })

const health = HttpApiBuilder.group(
  Api,
  "health",
  Effect.fnUntraced(function* (handlers) {
    const keys = yield* KeyRegistry
    const { takesWrites } = yield* Upkeep
    const { isStopping } = yield* HttpConfig
    const scope = yield* Effect.scope
    let probe: Fiber.Fiber<unknown, unknown> | undefined
    /** A database that is frozen does not even let go of a question: the next probe waits for the same one. */
    const asked = Effect.gen(function* () {
      if (probe === undefined || probe.pollUnsafe() !== undefined) {
        probe = yield* Effect.forkIn(Effect.andThen(keys.authenticate(nobody), takesWrites), scope)
      }
      return yield* Fiber.join(probe)
    })
    const storage = asked.pipe(
      Effect.timeout("1 second"),
      Effect.as(ok),
      Effect.mapError(() => Problem.unavailable)
    )
    return handlers.handleAll({
      getLiveness: () => Effect.succeed(ok),
      getReadiness: () => Effect.flatMap(isStopping, (stopping) => (stopping ? Effect.fail(stops) : storage))
    })
  })
)

const application = HttpApiBuilder.group(
  Api,
  "application",
  Effect.fnUntraced(function* (handlers) {
    const codes = yield* SignInCodes
    return handlers.handleAll({
      getApplication: () => Effect.flatMap(Principal, (principal) => Application.ofPrincipal(principal)),
      createSignInLink: ({ request }) =>
        Effect.gen(function* () {
          // The session that the link would begin could outlive its own.
          if ((yield* Principal).sessionId !== undefined) return yield* Problem.forbiddenHere
          const { publicUrl } = yield* HttpConfig
          const { code, until } = yield* ServiceErrors.toProblem(codes.issue(secretOf(request)))
          return { url: `${Links.base(request, publicUrl)}/sign-in#${code}`, expires_at: until }
        })
    })
  })
)

/** The key of a request that has been let through. */
const secretOf = ({ headers }: HttpServerRequest.HttpServerRequest): Redacted.Redacted =>
  Redacted.make((headers["authorization"] ?? "").replace(/^bearer +/iu, ""))

/** The handlers over the services. */
export const layer = Layer.mergeAll(health, application)
