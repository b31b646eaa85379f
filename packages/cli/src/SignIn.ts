/** What `lazaret sign-in` does. */
import { Effect, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import * as Session from "./Session.ts"

const Link = Schema.Struct({ url: Schema.String, expires_at: Schema.String })

/** Has the server make a link, and prints it. */
export const signIn = Effect.fn("lazaret.signIn")(function* (given: Session.Given) {
  const session = yield* Session.open(given)
  const request = HttpClientRequest.post("/v1/sign-in-links")
  const link = yield* session.call({ request, answer: Link, subject: null })
  yield* Session.print(given, link, () => link.url)
})
