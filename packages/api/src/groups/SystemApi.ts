/** Routes about the server itself: whether it lives, whether it can work, and what a token is. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication } from "../Authentication.ts"
import * as Problem from "../Problem.ts"
import { RequestErrors } from "../RequestErrors.ts"
import { Application } from "../wire/Application.ts"
import { SignInLink } from "../wire/Session.ts"

const Status = Schema.Struct({ status: Schema.Literal("ok") }).annotate({
  identifier: "Status",
  description: "All is well."
})

/** The group of the probes. */
export class HealthApi extends HttpApiGroup.make("health", { topLevel: true })
  .add(
    HttpApiEndpoint.get("getLiveness", "/health/live", { success: Status }).annotateMerge(
      OpenApi.annotations({ summary: "Whether the process answers" })
    ),
    HttpApiEndpoint.get("getReadiness", "/health/ready", { success: Status, error: Problem.Unavailable }).annotateMerge(
      OpenApi.annotations({
        summary: "Whether the storage answers within a second, and the server has not been told to stop"
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ description: "Whether the server lives, and whether it can work." })) {}

/** The group of the token check. */
export class ApplicationApi extends HttpApiGroup.make("application", { topLevel: true })
  .add(
    HttpApiEndpoint.get("getApplication", "/v1/application", { success: Application }).annotateMerge(
      OpenApi.annotations({ summary: "What the token of the request is" })
    ),
    HttpApiEndpoint.post("createSignInLink", "/v1/sign-in-links", { success: SignInLink }).annotateMerge(
      OpenApi.annotations({
        summary: "Make a sign-in link",
        description:
          "Makes a link that signs a browser in to the dashboard once, with the key of the request, within a quarter of an " +
          "hour. It is known to the process that made it."
      })
    )
  )
  .middleware(RequestErrors)
  .middleware(Authentication)
  .annotateMerge(OpenApi.annotations({ description: "The token of the request." })) {}
