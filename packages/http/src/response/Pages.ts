/** Pages outside the API: the OpenAPI document, the reference for people, and the metrics. */
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { type HttpApi, type HttpApiGroup, HttpApiSwagger } from "effect/http-api"

/** The paths of the pages. */
export const paths = {
  openapi: "/openapi.json",
  docs: "/docs",
  metrics: "/metrics",
  repositoryBadge: "/badges/:owner/:file",
  testBadge: "/badges/:owner/:repository/tests/:file",
  newGitHubApp: "/v1/github/app/new",
  signInWith: "/sign-in/with-provider",
  signInCallback: "/sign-in/callback",
  signInWithGitHub: "/sign-in/with-github",
  gitHubCallback: "/sign-in/github/callback",
  createdGitHubApp: "/v1/github/app/created"
} as const

/** The reference page: whole in one answer, and forbidden to load anything from elsewhere. */
export const docs = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) =>
  HttpApiSwagger.layer(api, { path: paths.docs }).pipe(Layer.provide(offline))

const policy =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src 'self' data:; " +
  "font-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const offline = HttpRouter.middleware((app) =>
  Effect.map(app, (page) => HttpServerResponse.setHeader(page, "content-security-policy", policy))
).layer
