/** The providers that people sign in with, from their settings. */
import type { GitHubManifest } from "@lazaret/forge-github"
import { Result } from "effect"
import type { Options } from "../access/OidcSignIn.ts"
import type { Values } from "./Table.ts"

/** The settings of the provider; null without one, and a sentence about what is missing. */
export const of = (values: Values): Result.Result<Options | null, string> => {
  const {
    publicUrl,
    signInClientId: clientId,
    signInClientSecret: clientSecret,
    signInIssuer,
    signInRoles: roles
  } = values
  if (signInIssuer === null) return Result.succeed(null)
  if (publicUrl === null || clientId === null || clientSecret === null) {
    return Result.fail(
      "LAZARET_SIGN_IN_ISSUER is set: set LAZARET_PUBLIC_URL, LAZARET_SIGN_IN_CLIENT_ID and " +
        "LAZARET_SIGN_IN_CLIENT_SECRET, too."
    )
  }
  return Result.succeed({
    issuer: signInIssuer,
    title: values.signInTitle,
    clientId,
    clientSecret,
    scopes: values.signInScopes,
    groupsClaim: values.signInGroups,
    roles: roles ?? [],
    domains: values.signInDomains
  })
}

/** The client of a GitHub App that people sign in with; null without one, and a sentence about what is missing. */
export const gitHubOf = ({
  gitHubClientId: clientId,
  gitHubClientSecret: clientSecret,
  publicUrl
}: Values): Result.Result<GitHubManifest.OAuthClient | null, string> => {
  if (clientId === null && clientSecret === null) return Result.succeed(null)
  if (clientId === null || clientSecret === null || publicUrl === null) {
    return Result.fail(
      "To sign people in with GitHub, set LAZARET_PUBLIC_URL, LAZARET_GITHUB_CLIENT_ID and LAZARET_GITHUB_CLIENT_SECRET."
    )
  }
  return Result.succeed({ clientId, clientSecret })
}
