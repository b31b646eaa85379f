/** What `lazaret retention run` does. */
import { Effect, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { open } from "./Answer.ts"
import { CommandFailure, refused } from "./CommandFailure.ts"
import * as ExitCode from "./ExitCode.ts"
import * as Session from "./Session.ts"

const Retained = open({
  days: Schema.Int,
  horizon: Schema.String,
  repositories: Schema.Int,
  failed: Schema.Int,
  reports: Schema.Int,
  identities: Schema.Int,
  events: Schema.Int,
  weeks_prepared: Schema.Int,
  weeks_released: Schema.Int,
  weeks_rewritten: Schema.Int
})

type Retained = typeof Retained.Type

/** Has the server drop what is too old. */
export const run = Effect.fn("lazaret.retention.run")(function* (given: Session.Given) {
  const session = yield* Session.open(given)
  yield* session.progress.waiting("Dropping what is too old. This may take minutes.")
  const request = HttpClientRequest.post("/v1/retention")
  const retained = yield* session
    .call({ request, answer: Retained, subject: null })
    .pipe(Effect.mapError((failure) => (failure.status === 403 ? unfit : failure)))
  yield* Session.print(given, retained, () => textOf(retained))
  if (retained.failed > 0) return yield* incomplete(retained.failed)
})

/** The key is known, or nothing would have been asked. */
const unfit = refused("The server refused the key (403): this takes an admin key that reaches all owners.", 403)

const textOf = (done: Retained): string =>
  [
    `kept for ${done.days} days: results from before ${done.horizon.slice(0, 10)} are dropped`,
    `forgotten in ${counted(done.repositories, "repository", "repositories")}: ${counted(done.reports, "report")}, ` +
      `${counted(done.identities, "test")}, ${counted(done.events, "event")}`,
    `room of results: ${counted(done.weeks_released, "week")} given back, ${done.weeks_rewritten} rewritten, ` +
      `${done.weeks_prepared} prepared`
  ].join("\n")

const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

const incomplete = (failed: number): CommandFailure =>
  new CommandFailure({
    message:
      `${counted(failed, "repository", "repositories")} could not be looked at: the log of the server says why. ` +
      "Run it again, which goes on where it stopped; the server does so every day.",
    exitCode: ExitCode.refused
  })
