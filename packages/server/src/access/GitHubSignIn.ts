/**
 * People sign in with GitHub, by the OAuth client of the GitHub App.
 *
 * See https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-user-access-token-for-a-github-app.
 */
import { GitHubClient, GitHubManifest } from "@lazaret/forge-github"
import type { SignInChecks, SignInProvider } from "@lazaret/services"
import { Duration, Effect, Redacted } from "effect"
import * as Client from "openid-client"
import * as BoundedFetch from "./BoundedFetch.ts"
import { attempt, failed } from "./SignInFaults.ts"

/** The OAuth client of an app. */
export interface Options extends GitHubManifest.OAuthClient {
  readonly apiUrl: string
}

/**
 * The provider.
 *
 * **Details**
 *
 * The library checks `state` and PKCE. The token of the person is used for one question, who it belongs to, and not kept: roles by
 * permission are asked for with the credentials of the app (`GitHubRoles`). The id of a person holds GitHub's number of the
 * account, which stays when the login changes.
 */
export const make = (options: Options): SignInProvider => {
  const { apiUrl, clientId } = options
  const configuration = configurationOf(options)

  const begin = Effect.fnUntraced(function* (callback: string) {
    const checks: SignInChecks = { state: Client.randomState(), verifier: Client.randomPKCECodeVerifier() }
    const challenge = yield* attempt(() => Client.calculatePKCECodeChallenge(checks.verifier))
    const url = Client.buildAuthorizationUrl(configuration, {
      client_id: clientId,
      redirect_uri: callback,
      code_challenge: challenge,
      code_challenge_method: "S256",
      state: checks.state
    })
    return { url: url.href, checks }
  })

  const complete = Effect.fnUntraced(function* (answer: URL, { state, verifier }: SignInChecks) {
    const tokens = yield* attempt(() =>
      Client.authorizationCodeGrant(configuration, answer, { expectedState: state, pkceCodeVerifier: verifier })
    )
    const { id, login } = yield* accountOf(apiUrl, tokens.access_token)
    return { id: `${GitHubManifest.webUrlOf(apiUrl)}#${id}`, login, provider: "github" as const, grants: [] }
  })

  return { kind: "github", title: "GitHub", begin, complete }
}

/** GitHub publishes no description of its OAuth endpoints where the library would look for one. */
const configurationOf = ({ apiUrl, clientId, clientSecret }: Options): Client.Configuration => {
  const issuer = `${GitHubManifest.webUrlOf(apiUrl)}/login/oauth`
  const configuration = new Client.Configuration(
    { issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/access_token` },
    clientId,
    undefined,
    Client.ClientSecretPost(Redacted.value(clientSecret))
  )
  configuration[Client.customFetch] = withStatus
  configuration.timeout = Duration.toSeconds(timeout)
  if (isLocal(new URL(issuer))) Client.allowInsecureRequests(configuration)
  return configuration
}

const timeout = Duration.seconds(10)

const bounded = BoundedFetch.within(timeout)

const isLocal = ({ hostname, protocol }: URL): boolean =>
  protocol === "http:" && ["127.0.0.1", "[::1]", "localhost"].includes(hostname)

/** GitHub answers a refused code with the status 200 and an `error`; the standard says 400, and the library reads it so. */
const withStatus: Client.CustomFetch = (url, options) =>
  bounded(url, options).then((response) =>
    response.text().then((text) => {
      const { headers, status } = response
      return new Response(text, { status: status === 200 && isError(text) ? 400 : status, headers })
    })
  )

const isError = (text: string): boolean => /"error"\s*:/u.test(text) && !/"access_token"\s*:/u.test(text)

/** The account that a token belongs to. */
const accountOf = (apiUrl: string, token: string) =>
  Effect.tryPromise({
    try: (signal) =>
      GitHubClient.bare(apiUrl).request("GET /user", {
        headers: { authorization: `Bearer ${token}` },
        request: { signal, fetch: bounded }
      }),
    // The error holds the request with the token.
    catch: () => failed("unavailable", "GitHub does not say who you are. Try again later.")
  }).pipe(
    Effect.timeoutOrElse({
      duration: timeout,
      orElse: () => Effect.fail(failed("unavailable", "GitHub does not answer in time. Try again later."))
    }),
    Effect.map(({ data }) => data)
  )
