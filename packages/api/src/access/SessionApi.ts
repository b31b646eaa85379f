/** The operations that sign a browser in and out (beyond the interface). */
import { ByteSize } from "effect"
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { BodyLimit } from "../definition/BodyLimit.ts"
import * as Access from "../definition/Access.ts"
import * as Operation from "../definition/Operation.ts"
import * as Problem from "../definition/Problem.ts"
import { RequestErrors } from "../definition/RequestErrors.ts"
import { Application } from "./Application.ts"
import * as Parameter from "../definition/Parameter.ts"
import { SessionsList, SignIn, SignInWays } from "./Session.ts"

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
        "Accepts an application key, or the code of a sign-in link, begins a session, and sets its cookie, which scripts cannot read. " +
        "An earlier session of this browser ends. Requests of the " +
        "same site with this cookie need no Authorization header; if there is one, the cookie is ignored. Requests from pages " +
        "of other sites are refused."
    })
  )

const signOut = HttpApiEndpoint.delete("signOut", "/session", {
  success: HttpApiSchema.NoContent.annotate({ description: "The session has ended, and the cookie is removed." }),
  error: Problem.Unavailable
}).pipe(
  Operation.isPublic,
  Operation.documented({
    summary: "Sign a browser out",
    description: "Ends the session on the server, and removes the cookie."
  })
)

const getSignInWays = HttpApiEndpoint.get("getSignInWays", "/session", { success: SignInWays }).pipe(
  Operation.isPublic,
  Operation.documented({
    summary: "Get the ways to sign in",
    description:
      "Names the providers that sign people in, and the addresses that lead to them. A parameter `return` is the page to go on with."
  })
)

/** The group of the session. */
export class SessionApi extends Operation.open(
  "session",
  { description: "Signing in to the dashboard." },
  getSignInWays,
  signIn,
  signOut
).middleware(RequestErrors) {}

const listSessions = HttpApiEndpoint.get("listSessions", "/v1/sessions", {
  success: SessionsList,
  error: Problem.Unavailable
}).pipe(
  Operation.demands(Access.withinReach("read")),
  Operation.documented({
    summary: "List open sessions",
    description:
      "Lists the browsers that are signed in: those of the caller, and for an admin those with keys of the owners within reach. An " +
      "admin of all owners sees those of people, too."
  })
)

const revokeSession = HttpApiEndpoint.delete("revokeSession", "/v1/sessions/:session_id", {
  params: { session_id: Parameter.uuid("The id of a session.") },
  success: HttpApiSchema.NoContent.annotate({ description: "The session has ended." }),
  error: [Problem.NotFound, Problem.Unprocessable, Problem.Unavailable]
}).pipe(
  Operation.demands(Access.withinReach("write")),
  Operation.documented({
    summary: "End a session",
    description: "Signs a browser out at once, on every server process."
  })
)

/** The group of the operations on open sessions. */
export class SessionsApi extends Operation.guarded(
  "sessions",
  { description: "The browsers that are signed in." },
  listSessions,
  revokeSession
) {}
