/** The routes that sign a browser in and out. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
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
}).annotateMerge(
  OpenApi.annotations({
    summary: "Sign a browser in",
    description:
      "Takes an application key, or the code of a sign-in link, and sets a cookie that scripts cannot read. Requests of " +
      "the same site that carry it need no Authorization header; where there is one, it counts alone. Pages of other " +
      "sites are refused."
  })
)

const signOut = HttpApiEndpoint.delete("signOut", "/session", {
  success: HttpApiSchema.NoContent.annotate({ description: "The cookie is gone." })
}).annotateMerge(OpenApi.annotations({ summary: "Sign a browser out", description: "Removes the cookie." }))

/** The group of the session. */
export class SessionApi extends HttpApiGroup.make("session", { topLevel: true })
  .add(signIn, signOut)
  .middleware(RequestErrors)
  .annotateMerge(OpenApi.annotations({ description: "Signing in to the dashboard." })) {}
