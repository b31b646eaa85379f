/** The handlers of the routes about the server itself. */
import { Api, Principal, Problem } from "@lazaret/api"
import { KeyRegistry, SignInCodes, Upkeep } from "@lazaret/services"
import { Clock, Effect, Fiber, Layer, Redacted } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { HttpConfig } from "../request/HttpConfig.ts"
import * as Links from "../response/Links.ts"
import * as ServiceErrors from "../response/ServiceErrors.ts"
import * as Application from "../access/Application.ts"

const ok = { status: "ok" } as const

/** A question to the store that is always answered "no", and cheap. */
const nobody = Redacted.make("")

/** For how many milliseconds after its latest answer a storage that is late is ready. */
const trust = 5000

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
    let answeredAt = -Infinity
    const question = Effect.gen(function* () {
      yield* keys.authenticate(nobody)
      yield* takesWrites
      answeredAt = yield* Clock.currentTimeMillis
    })
    /** A database that is frozen does not even let go of a question: the next probe waits for the same one. */
    const asked = Effect.gen(function* () {
      if (probe === undefined || probe.pollUnsafe() !== undefined) probe = yield* Effect.forkIn(question, scope)
      return yield* Fiber.join(probe)
    })
    /** A process that is only busy is late now and then. */
    const late = Effect.flatMap(Clock.currentTimeMillis, (now) =>
      now - answeredAt <= trust ? Effect.void : Effect.fail(Problem.unavailable)
    )
    const storage = asked.pipe(
      Effect.mapError(() => Problem.unavailable),
      Effect.timeoutOrElse({ duration: "1 second", orElse: () => late }),
      Effect.as(ok)
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
