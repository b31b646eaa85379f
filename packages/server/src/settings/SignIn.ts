/** The provider that people sign in with, from its settings. */
import { Result } from "effect"
import type { Options } from "../oidc/OidcSignIn.ts"
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
  if (publicUrl === null || clientId === null || clientSecret === null || roles === null) {
    return Result.fail(
      "LAZARET_SIGN_IN_ISSUER is set: set LAZARET_PUBLIC_URL, LAZARET_SIGN_IN_CLIENT_ID, LAZARET_SIGN_IN_CLIENT_SECRET " +
        "and LAZARET_SIGN_IN_ROLES, too."
    )
  }
  return Result.succeed({
    issuer: signInIssuer,
    title: values.signInTitle,
    clientId,
    clientSecret,
    scopes: values.signInScopes,
    groupsClaim: values.signInGroups,
    roles,
    domains: values.signInDomains
  })
}
