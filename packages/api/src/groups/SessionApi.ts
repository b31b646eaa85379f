/** The operations that sign a browser in and out (beyond the interface). */
import { ByteSize } from "effect"
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { BodyLimit } from "../BodyLimit.ts"
import { examples } from "../examples/Examples.ts"
import * as Operation from "../Operation.ts"
import * as Problem from "../Problem.ts"
import { RequestErrors } from "../RequestErrors.ts"
import { Application } from "../wire/Application.ts"
import { SignIn } from "../wire/Session.ts"

const signIn = HttpApiEndpoint.post("signIn", "/session", {
  payload: SignIn,
  success: Application,
  error: [
    Problem.Forbidden,
    Problem.ContentTooLarge,
    Problem.UnsupportedMediaType,
    Problem.Unprocessable,
    Problem.Unavailable
  ]
})
  // Nothing is known of the caller before the body is read.
  .annotate(BodyLimit, ByteSize.kibibytes(16))
  .pipe(
    Operation.isPublic,
    Operation.documented({
      summary: "Sign a browser in",
      description:
        "Accepts an application key, or the code of a sign-in link, and sets a cookie that scripts cannot read. Requests of the " +
        "same site with this cookie need no Authorization header; if there is one, the cookie is ignored. Requests from pages " +
        "of other sites are refused.",
      example: examples.signIn
    })
  )

const signOut = HttpApiEndpoint.delete("signOut", "/session", {
  success: HttpApiSchema.NoContent.annotate({ description: "The cookie is removed." })
}).pipe(Operation.isPublic, Operation.documented({ summary: "Sign a browser out", description: "Removes the cookie." }))

/** The group of the session. */
export class SessionApi extends Operation.open(
  "session",
  { description: "Signing in to the dashboard." },
  signIn,
  signOut
).middleware(RequestErrors) {}
