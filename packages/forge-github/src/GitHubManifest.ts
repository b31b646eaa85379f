/**
 * The registration of a GitHub App from a manifest: a person confirms it at GitHub, and the server exchanges a code for the
 * app's credentials.
 *
 * See https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest.
 */
import type { RegisteredApp } from "@lazaret/services"
import { RequestError } from "@octokit/request-error"
import { Effect, Redacted, Result, Schema } from "effect"
import * as GitHubAppRequest from "./GitHubAppRequest.ts"
import * as GitHubClient from "./GitHubClient.ts"
import * as GitHubCredentials from "./GitHubCredentials.ts"

/**
 * The permissions of the app: the fewest that the reports and a gate in the shadow need.
 *
 * **Details**
 *
 * A gate that queues pull requests again, or takes them out, needs Contents: write in all likelihood, which its owner grants
 * when it leaves the shadow: no app of a team that only wants reports may write code.
 */
export const permissions = {
  actions: "write",
  checks: "write",
  contents: "read",
  issues: "write",
  merge_queues: "read",
  metadata: "read",
  pull_requests: "write",
  statuses: "write"
} as const

/** The events that GitHub reports to the server. */
export const events = [
  "check_run",
  "issue_comment",
  "merge_group",
  "pull_request",
  "push",
  "repository",
  "status",
  "workflow_job",
  "workflow_run"
] as const

/** The page that answers the code of a registration, below the public address of the server. */
export const redirectPath = "/v1/github/app/created"

/** The page to which GitHub leads people back who sign in, below the public address of the server. */
export const callbackPath = "/sign-in/github/callback"

/** The manifest of an app for a server with a public address. The person can change its name at GitHub. */
export const manifestOf = (publicUrl: string): string =>
  JSON.stringify({
    name: `Lazaret ${new URL(publicUrl).hostname}`.slice(0, longestName),
    url: publicUrl,
    description: "Says on pull requests which failed tests can be trusted.",
    hook_attributes: { url: `${publicUrl}/v1/webhooks/github`, active: true },
    redirect_url: `${publicUrl}${redirectPath}`,
    callback_urls: [`${publicUrl}${callbackPath}`],
    public: false,
    default_permissions: permissions,
    default_events: events
  })

/** GitHub's limit for the name of an app. */
const longestName = 34

/** The address that takes a manifest: of an organisation, or (null) of the person who is signed in. */
export const formOf = (apiUrl: string, organization: string | null, state: Redacted.Redacted): string => {
  const owner = organization === null ? "" : `/organizations/${encodeURIComponent(organization)}`
  return `${webUrlOf(apiUrl)}${owner}/settings/apps/new?state=${encodeURIComponent(Redacted.value(state))}`
}

/** The website of an API: github.com, GitHub Enterprise Cloud (`api.` before the host), or GitHub Enterprise Server. */
export const webUrlOf = (apiUrl: string): string => {
  const { host, protocol } = new URL(apiUrl)
  return `${protocol}//${host.replace(/^api\./u, "")}`
}

/** The client that an app is for people who sign in. */
export interface OAuthClient {
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
}

/** The credentials of a registered app. */
export interface AppCredentials {
  readonly app: RegisteredApp
  readonly privateKey: Redacted.Redacted
  readonly webhookSecret: Redacted.Redacted
  readonly client: OAuthClient
}

/**
 * Why a code yields no app: a clause, without any part of the request or the answer that may be secret.
 *
 * **To do:** Show the message, and start the registration of the app again: a code is valid once.
 */
export class ManifestError extends Schema.TaggedError<ManifestError>()("ManifestError", { message: Schema.String }) {}

/** Exchanges a code for the credentials of the app, which GitHub shows this once. A code counts once, within an hour. */
export const exchange = (apiUrl: string, code: string) =>
  Effect.tryPromise({
    try: (signal) =>
      GitHubClient.bare(apiUrl).request("POST /app-manifests/{code}/conversions", { code, request: { signal } }),
    catch: (cause) => new ManifestError({ message: whyNot(cause) })
  }).pipe(
    Effect.timeoutOrElse({
      duration: GitHubClient.limits.timeout,
      orElse: () => Effect.fail(new ManifestError({ message: "GitHub does not answer in time" }))
    }),
    Effect.flatMap(({ data }) => credentialsOf(data))
  )

const whyNot = (cause: unknown): string => {
  if (!(cause instanceof RequestError)) return "the connection to GitHub failed"
  return cause.status === 404 || cause.status === 422
    ? "GitHub does not know the code: it counts once, within an hour"
    : `GitHub answers ${cause.status}`
}

const Answer = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  html_url: Schema.String,
  owner: Schema.NullOr(Schema.Struct({ login: Schema.optionalKey(Schema.String) })),
  pem: Schema.String,
  client_id: Schema.NonEmptyString,
  client_secret: Schema.NonEmptyString,
  webhook_secret: Schema.NullOr(Schema.String)
})

const decode = Schema.decodeUnknownResult(Answer)

const credentialsOf = (data: unknown): Effect.Effect<AppCredentials, ManifestError> => {
  const decoded = decode(data)
  if (Result.isFailure(decoded)) return refused("GitHub describes the app in an unknown way")
  const { client_id: clientId, client_secret: clientSecret, html_url: url, id, name, owner } = decoded.success
  const { pem, webhook_secret: secret } = decoded.success
  const key = GitHubCredentials.privateKey(pem)
  if (Result.isFailure(key)) return refused(`the private key that GitHub sent cannot be used: ${key.failure}`)
  if (secret === null || secret === "") return refused("GitHub sent no secret for the webhook")
  return Effect.succeed({
    app: { id, name, owner: owner?.login ?? "", url },
    privateKey: key.success,
    webhookSecret: Redacted.make(secret),
    client: { clientId, clientSecret: Redacted.make(clientSecret) }
  })
}

const refused = (message: string) => Effect.fail(new ManifestError({ message }))

/** The app that GitHub knows under an id, asked with its key: a wrong key or a deleted app is a failure. */
export const registered = (apiUrl: string, app: GitHubAppRequest.App): Effect.Effect<RegisteredApp, ManifestError> =>
  Effect.tryPromise({
    try: (signal) =>
      GitHubAppRequest.send(apiUrl, app, (octokit, headers) =>
        octokit.request("GET /app", { headers, request: { signal } })
      ),
    catch: (cause) =>
      new ManifestError({
        message:
          cause instanceof RequestError
            ? `GitHub does not confirm the app ${app.appId} (${cause.status}): it was deleted, or its private key is another one`
            : "the connection to GitHub failed"
      })
  }).pipe(
    Effect.timeoutOrElse({
      duration: "5 seconds",
      orElse: () => Effect.fail(new ManifestError({ message: "GitHub does not answer in time" }))
    }),
    Effect.map(({ data }) => ({
      id: data?.id ?? app.appId,
      name: data?.name ?? "",
      owner: ownerOf(data?.owner),
      url: data?.html_url ?? ""
    }))
  )

const ownerOf = (owner: object | undefined): string =>
  owner !== undefined && "login" in owner && typeof owner.login === "string" ? owner.login : ""
