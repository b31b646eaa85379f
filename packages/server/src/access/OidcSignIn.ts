/** People sign in with a provider of OpenID Connect. */
import { type Credential, RoleMapping } from "@lazaret/domain"
import type { SignInChecks, SignInFailed, SignInProvider } from "@lazaret/services"
import { Cache, Effect, Exit, Redacted, Schema } from "effect"
import * as Client from "openid-client"
import { attempt, failed } from "./SignInFaults.ts"

/** The settings of the provider. */
export interface Options {
  readonly issuer: string
  readonly title: string
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
  readonly scopes: string
  readonly groupsClaim: string
  readonly roles: ReadonlyArray<RoleMapping.GroupRole>
  /** The domains of verified e-mail addresses that may sign in; null: all. */
  readonly domains: ReadonlyArray<string> | null
}

/**
 * The provider.
 *
 * **Details**
 *
 * The library checks the signature, the issuer (of the token, and of the answer: mix-up), the audience, the times, `state`,
 * `nonce` and PKCE. The description of the provider is read at the first sign-in and kept for an hour; a failure is not kept.
 */
export const make = Effect.fnUntraced(function* (options: Options) {
  const described = yield* Cache.makeWith<string, Client.Configuration, SignInFailed>(
    () => attempt(() => describe(options)),
    { capacity: 1, timeToLive: (exit) => (Exit.isSuccess(exit) ? "1 hour" : "0 seconds") }
  )
  const configuration = Cache.get(described, "")

  const begin = Effect.fnUntraced(function* (callback: string) {
    const provider = yield* configuration
    const checks = {
      state: Client.randomState(),
      nonce: Client.randomNonce(),
      verifier: Client.randomPKCECodeVerifier()
    } satisfies SignInChecks
    const challenge = yield* attempt(() => Client.calculatePKCECodeChallenge(checks.verifier))
    const url = Client.buildAuthorizationUrl(provider, {
      redirect_uri: callback,
      scope: options.scopes,
      code_challenge: challenge,
      code_challenge_method: "S256",
      state: checks.state,
      nonce: checks.nonce
    })
    return { url: url.href, checks }
  })

  const complete = Effect.fnUntraced(function* (answer: URL, { nonce = "", state, verifier }: SignInChecks) {
    const provider = yield* configuration
    const tokens = yield* attempt(() =>
      Client.authorizationCodeGrant(provider, answer, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true
      })
    )
    return yield* personOf(tokens.claims() ?? {}, options)
  })

  return { kind: "oidc", title: options.title, begin, complete } satisfies SignInProvider
})

const describe = ({ clientId, clientSecret, issuer }: Options) =>
  Client.discovery(
    new URL(issuer),
    clientId,
    undefined,
    Client.ClientSecretBasic(Redacted.value(clientSecret)),
    // The schema of the setting lets only this machine be reached without https.
    {
      timeout: 10,
      execute: [
        // Without it the library relies on TLS, and does not check the signature of an ID token.
        Client.enableNonRepudiationChecks,
        ...(issuer.startsWith("http:") ? [Client.allowInsecureRequests] : [])
      ]
    }
  )

const Claims = Schema.Struct({
  iss: Schema.String,
  sub: Schema.String,
  preferred_username: Schema.optionalKey(Schema.String),
  email: Schema.optionalKey(Schema.String),
  email_verified: Schema.optionalKey(Schema.Boolean)
})

const Groups = Schema.Union([Schema.Array(Schema.String), Schema.String])

/** The person whom verified claims name, with the roles of the groups in them. */
const personOf = Effect.fnUntraced(function* (
  given: { readonly [claim: string]: unknown },
  { domains, groupsClaim, roles }: Options
) {
  const claims = yield* Effect.mapError(Schema.decodeUnknownEffect(Claims)(given), (cause) =>
    failed("invalid", "The provider did not say who you are.", cause)
  )
  const email = claims.email_verified === true ? (claims.email ?? null) : null
  if (domains !== null && !domains.includes(email?.split("@").at(-1)?.toLowerCase() ?? "")) {
    const which = domains.join(", ")
    return yield* failed("not_allowed", `Only people with a verified e-mail address of ${which} may sign in here.`)
  }
  const named = Schema.decodeUnknownOption(Groups)(given[groupsClaim])
  const groups = named._tag === "None" ? [] : [named.value].flat()
  const user: Credential.User = {
    id: `${claims.iss}#${claims.sub}`,
    login: claims.preferred_username ?? claims.email ?? claims.sub,
    provider: "oidc",
    grants: RoleMapping.grantsOf(roles, groups)
  }
  return user
})
