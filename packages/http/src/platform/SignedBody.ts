/** The body of a delivery of a hosting platform, whose sender may be unknown until all of it has been read. */
import { isUtf8 } from "node:buffer"
import { Problem } from "@lazaret/api"
import { Effect, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"
import { orRefuse } from "../request/BodyBudget.ts"
import type * as GitHubSignature from "./GitHubSignature.ts"
import type * as InFlight from "../request/InFlight.ts"
import { delivery } from "../request/Limits.ts"

/** The smallest reservation: it bounds how many deliveries are read at the same time. */
const smallest = 65_536

/**
 * Reads a body and hashes it while it arrives.
 *
 * **Details**
 *
 * Its bytes are reserved before it is read, as many as its headers announce, and the most that GitHub sends when they
 * announce none. A body that is longer than announced is read no further than that.
 */
export const read = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  check: GitHubSignature.Check,
  reservation: InFlight.Reservation
) {
  const most = delivery.bytes
  const announced = Number(request.headers["content-length"] ?? most)
  if (announced > most) return yield* tooLarge
  yield* Effect.flatMap(reservation.grow(Math.max(smallest, announced)), orRefuse)
  const pieces: Array<Uint8Array> = []
  let length = 0
  yield* Stream.runForEach(
    Stream.mapError(request.stream, () => unreadable),
    (piece) => {
      length += piece.length
      if (length > Math.max(smallest, announced)) return Effect.fail(tooLarge)
      check.update(piece)
      pieces.push(piece)
      return Effect.void
    }
  ).pipe(Effect.timeoutOrElse({ duration: `${delivery.seconds} seconds`, orElse: () => Effect.fail(unreadable) }))
  if (!check.isRight()) return yield* unsigned
  return Buffer.concat(pieces, length)
})

/** The text of a body, which must be UTF-8. */
export const textOf = (body: Uint8Array) =>
  isUtf8(body)
    ? Effect.succeed(new TextDecoder().decode(body))
    : Effect.fail(Problem.unprocessable([{ location: "body", message: "must be UTF-8" }]))

/** The value of a text, which must be JSON. */
export const jsonOf = (text: string) =>
  Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: () => Problem.unprocessable([{ location: "body", message: "must be valid JSON" }])
  })

/** The answer to a delivery without a valid signature. */
export const unsigned = new Problem.Forbidden({
  detail: "Send the header `X-Hub-Signature-256` with the signature of the body under the secret of this server."
})

const tooLarge = new Problem.ContentTooLarge({
  detail: `A delivery may have ${delivery.bytes} bytes: that is what GitHub and GitLab send at most.`
})

const unreadable = Problem.unprocessable([
  { location: "body", message: `The body cannot be read to its end within ${delivery.seconds} seconds: send it whole.` }
])
