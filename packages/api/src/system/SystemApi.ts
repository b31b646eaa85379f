/** The operations about the server itself: liveness, readiness, and the key of a request. */
import { Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import * as Access from "../definition/Access.ts"
import * as Operation from "../definition/Operation.ts"
import * as Problem from "../definition/Problem.ts"
import { Application } from "../access/Application.ts"
import { SignInLink } from "../access/Session.ts"

const Status = Schema.Struct({ status: Schema.Literal("ok") }).annotate({
  identifier: "Status",
  description: "The check succeeded."
})

const getLiveness = HttpApiEndpoint.get("getLiveness", "/health/live", { success: Status }).pipe(
  Operation.isPublic,
  Operation.documented({ summary: "Check that the process responds" })
)

const getReadiness = HttpApiEndpoint.get("getReadiness", "/health/ready", {
  success: Status,
  error: Problem.Unavailable
}).pipe(
  Operation.isPublic,
  Operation.documented({
    summary: "Check that the storage responds within a second and the server is not stopping"
  })
)

/** The group of the health checks. */
export class HealthApi extends Operation.open(
  "health",
  { description: "Health checks of the server." },
  getLiveness,
  getReadiness
) {}

const getApplication = HttpApiEndpoint.get("getApplication", "/v1/application", { success: Application }).pipe(
  Operation.ofCaller,
  Operation.demands(Access.anyApplicationKey),
  Operation.documented({ summary: "Get the application key of the request" })
)

const createSignInLink = HttpApiEndpoint.post("createSignInLink", "/v1/sign-in-links", {
  success: SignInLink,
  error: Problem.Unavailable
}).pipe(
  Operation.demands(Access.applicationKey("read")),
  Operation.audited(true),
  Operation.documented({
    summary: "Create a sign-in link",
    description:
      "Creates a link that signs a browser in to the dashboard once, with the key of the request, within 15 minutes. Every " +
      "server process on the same store accepts it."
  })
)

/** The group of the operations on the key of the request. */
export class ApplicationApi extends Operation.guarded(
  "application",
  { description: "The application key of the request." },
  getApplication,
  createSignInLink
) {}
