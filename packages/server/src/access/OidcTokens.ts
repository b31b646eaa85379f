/** The tokens that CI systems issue for their jobs, verified with the keys of their issuers (OpenID Connect). */
import type { GitLabGroups } from "@lazaret/forge-gitlab"
import { IssuerUnavailable, TokenRefused, UploadTokens } from "@lazaret/services"
import { Cache, Clock, Data, Duration, Effect, Exit, Layer, Option, Redacted, Result, Schema } from "effect"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import {
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  errors,
  type JWTPayload,
  jwtVerify,
  type JWTVerifyGetKey
} from "jose"
import * as BoundedFetch from "./BoundedFetch.ts"
import * as GitHubClaims from "./GitHubClaims.ts"
import * as GitLabClaims from "./GitLabClaims.ts"
import * as Trust from "./Trust.ts"

/** The times of the keys of an issuer, in milliseconds where they go to the library. */
const limits = {
  /** How long a request to an issuer may take. */
  timeout: Duration.seconds(5),
  /** How long the address of the keys is kept, and how long a failure to find it. */
  discovery: Duration.hours(1),
  afterFailure: Duration.seconds(5),
  /** How long keys are kept; how soon they are read again for a token whose key is unknown. */
  keys: Duration.minutes(10),
  cooldown: Duration.seconds(5),
  /** How far the clock of an issuer may be off. */
  tolerance: Duration.seconds(30),
  /** Characters of a token. */
  longest: 16_384
}

/**
 * The options of the tokens that the server accepts.
 *
 * `audience` is its public address, `groups` are the owners with a group of another name at GitLab.
 */
export interface Options {
  readonly trusts: ReadonlyArray<Trust.Trust>
  readonly audience: string
  readonly groups: GitLabGroups.GitLabGroups
  readonly cooldown?: Duration.Duration
}

/**
 * Verifies tokens of the trusted issuers.
 *
 * **Details**
 *
 * - Only signatures of key pairs are accepted: `none` and signatures with a shared secret are refused, whatever the keys.
 * - The issuer is asked for the address of its keys. Keys are kept, and read again for an unknown key, at most every five seconds.
 * - No message holds a token. Messages quote its issuer and audience.
 */
export const layer = (options: Options): Layer.Layer<never, never, HttpClient.HttpClient> =>
  Layer.effect(
    UploadTokens,
    Effect.gen(function* () {
      const keys = yield* keysOf(options.cooldown ?? limits.cooldown)

      const originOf = Effect.fn("OidcTokens.originOf")(function* (token: Redacted.Redacted) {
        const text = Redacted.value(token)
        const issuer = yield* Effect.fromResult(issuerOf(text, options.trusts))
        const payload = yield* verified(text, { issuer, audience: options.audience, key: yield* keys(issuer) })
        const origin = Trust.isGitHub(issuer)
          ? GitHubClaims.originOf(payload, issuer)
          : GitLabClaims.originOf(payload, issuer, options.groups)
        if (Option.isNone(origin))
          return yield* refused("Its claims are not those of a job of GitHub Actions or GitLab.")
        const { owner } = origin.value.repository
        if (!options.trusts.some((trust) => trust.issuer === issuer && Trust.covers(trust, owner))) {
          return yield* refused(`This server accepts no tokens of ${issuer} for the owner ${owner}.`)
        }
        return origin
      })

      return { originOf }
    })
  )

const refused = (reason: string) => new TokenRefused({ reason })

/** The issuer that a token names, before anything of the token is verified: a trusted one. */
const issuerOf = (text: string, trusts: ReadonlyArray<Trust.Trust>): Result.Result<string, TokenRefused> => {
  const payload = text.length > limits.longest ? Result.fail(null) : Result.try(() => decodeJwt(text))
  if (Result.isFailure(payload)) return Result.fail(refused("It is not a signed token."))
  const { iss } = payload.success
  return trusts.some(({ issuer }) => issuer === iss)
    ? Result.succeed(`${iss}`)
    : Result.fail(refused(`This server does not trust its issuer ${quoted(iss)} (LAZARET_OIDC_ISSUERS).`))
}

const quoted = (claim: unknown): string => JSON.stringify(claim ?? null).slice(0, 200)

const Discovery = Schema.Struct({ issuer: Schema.String, jwks_uri: Schema.String })

/** An issuer or a token that the library or this module rejects. */
class Rejection extends Data.TaggedError("Rejection")<{ readonly cause: unknown }> {}

/** The keys of an issuer, read when a token needs them. */
const keysOf = Effect.fnUntraced(function* (cooldown: Duration.Duration) {
  const client = yield* HttpClient.HttpClient
  const discover = Effect.fnUntraced(
    function* (issuer: string) {
      const address = `${issuer.replace(/\/$/u, "")}/.well-known/openid-configuration`
      const response = yield* client.execute(HttpClientRequest.get(address, { accept: "application/json" }))
      const found = yield* HttpClientResponse.schemaBodyJson(Discovery)(response)
      if (found.issuer !== issuer) return yield* new Rejection({ cause: `the issuer names itself ${found.issuer}` })
      return createRemoteJWKSet(new URL(found.jwks_uri), {
        [customFetch]: BoundedFetch.within(limits.timeout),
        timeoutDuration: Duration.toMillis(limits.timeout),
        cooldownDuration: Duration.toMillis(cooldown),
        cacheMaxAge: Duration.toMillis(limits.keys)
      })
    },
    Effect.scoped,
    Effect.timeout(limits.timeout)
  )
  const sets = yield* Cache.makeWith(discover, {
    capacity: 100,
    timeToLive: (exit) => (Exit.isSuccess(exit) ? limits.discovery : limits.afterFailure)
  })
  return (issuer: string) => Cache.get(sets, issuer).pipe(Effect.catch(unavailable(issuer)))
})

const unavailable = (issuer: string) => (cause: unknown) =>
  Effect.andThen(
    Effect.logWarning("An issuer of tokens does not respond with its keys", cause),
    Effect.fail(new IssuerUnavailable({ issuer, cause }))
  ).pipe(Effect.annotateLogs({ issuer }))

/** Signatures of key pairs. A shared secret would be the published key itself. */
const algorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"]

const verified = Effect.fnUntraced(function* (
  text: string,
  { audience, issuer, key }: { readonly audience: string; readonly issuer: string; readonly key: JWTVerifyGetKey }
) {
  const currentDate = new Date(yield* Clock.currentTimeMillis)
  const clockTolerance = Duration.toSeconds(limits.tolerance)
  const checks = { issuer, audience, algorithms, currentDate, clockTolerance, requiredClaims: ["exp", "iat"] }
  return yield* Effect.tryPromise({
    try: () => jwtVerify<JWTPayload>(text, key, checks).then(({ payload }) => payload),
    catch: (cause) => new Rejection({ cause })
  }).pipe(
    Effect.catch(({ cause }): Effect.Effect<never, IssuerUnavailable | TokenRefused> => {
      const reason = reasonOf(cause, audience)
      return reason === null ? unavailable(issuer)(cause) : Effect.fail(refused(reason))
    })
  )
})

/** The fault of a token; null when the keys could not be read. */
const reasonOf = (error: unknown, audience: string): string | null => {
  if (error instanceof errors.JWTExpired) return "It has expired: each job needs a token of its own."
  if (error instanceof errors.JWTClaimValidationFailed) {
    return error.claim === "aud"
      ? `Its audience is ${quoted(error.payload.aud)}: ask the CI system for a token whose audience is ${audience}.`
      : `Its claim ${error.claim} is not valid.`
  }
  const isOfToken =
    error instanceof errors.JWSSignatureVerificationFailed ||
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSEAlgNotAllowed ||
    error instanceof errors.JOSENotSupported ||
    error instanceof errors.JWSInvalid ||
    error instanceof errors.JWTInvalid
  return isOfToken ? "It is not signed with a published key of its issuer." : null
}
