/** People sign in with a provider of OpenID Connect. */
import { type Credential, RoleMapping, Text } from "@lazaret/domain"
import type { SignInChecks, SignInFailed, SignInProvider } from "@lazaret/services"
import { Cache, Duration, Effect, Exit, Redacted, Schema } from "effect"
import * as Client from "openid-client"
import * as BoundedFetch from "./BoundedFetch.ts"
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
  /** How long a request to the provider may take, with its whole answer (10 seconds). */
  readonly patience?: Duration.Duration
}

const defaultPatience = Duration.seconds(10)

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

const describe = ({ clientId, clientSecret, issuer, patience = defaultPatience }: Options) =>
  Client.discovery(
    new URL(issuer),
    clientId,
    undefined,
    Client.ClientSecretBasic(Redacted.value(clientSecret)),
    // The schema of the setting lets only this machine be reached without https.
    {
      timeout: Duration.toSeconds(patience),
      // The configuration keeps it for the requests that follow.
      [Client.customFetch]: BoundedFetch.within(patience),
      execute: [
        // Without it the library relies on TLS, and does not check the signature of an ID token.
        Client.enableNonRepudiationChecks,
        ...(issuer.startsWith("http:") ? [Client.allowInsecureRequests] : [])
      ]
    }
  )

const Claims = Schema.Struct({
  iss: Text.Storable,
  sub: Text.Storable,
  preferred_username: Schema.optionalKey(Text.Storable),
  email: Schema.optionalKey(Text.Storable),
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
    login: loginOf(claims, email),
    provider: "oidc",
    grants: RoleMapping.grantsOf(roles, groups)
  }
  return user
})

/**
 * The name that roles by hand are given to, and that people read: the user name, else the verified address, else the subject.
 *
 * **Details**
 *
 * At many providers people choose their user name and their address. A user name in the form of an e-mail address therefore
 * counts only when it is the verified address; else it is marked, so that it equals no address.
 */
const loginOf = (
  { preferred_username: name, sub }: Pick<typeof Claims.Type, "preferred_username" | "sub">,
  email: string | null
): string => {
  if (name === undefined) return email ?? sub
  const isOwn = !name.includes("@") || name.toLowerCase() === email?.toLowerCase()
  return isOwn ? name : (email ?? `${name} (unverified)`)
}
