/** Answers that may take minutes, through proxies that give up a connection on which nothing comes. */
import { Effect, Fiber, Option, type Scope, Stream } from "effect"
import { HttpServerResponse } from "effect/http"

/** How long a connection may be silent: proxies give up after 30 to 60 seconds at the earliest. */
const silence = "10 seconds"

/**
 * The outcome of an effect when it comes within {@link silence}; else a response that begins at once.
 *
 * **Details**
 *
 * JSON may begin with white space: a line break is sent at first and then in each interval of {@link silence}, and the value
 * at the end. The status is 200, because it is sent before the outcome. When the effect fails, the response ends without
 * JSON, and clients fail to parse it. A client that goes away interrupts the effect.
 */
export const json = <A extends object, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A | HttpServerResponse.HttpServerResponse, E, R | Scope.Scope> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkScoped(effect)
    const early = yield* Effect.timeoutOption(Fiber.join(fiber), silence)
    if (Option.isSome(early)) return early.value
    const value = Effect.map(
      Effect.tapCause(Fiber.join(fiber), (cause) => Effect.logError("A long answer has failed", cause)),
      (each) => JSON.stringify(each)
    )
    const text = Stream.merge(beats, Stream.fromEffect(value), { haltStrategy: "right" })
    return HttpServerResponse.stream(Stream.encodeText(text), { contentType: "application/json" })
  })

const beats = Stream.map(Stream.tick(silence), () => "\n")
