/** The handlers of the session. */
import { Access as Accepted, Api, Problem, type Schemas } from "@lazaret/api"
import { Credential } from "@lazaret/domain"
import { Access, Audits, isSessionSecret, Sessions, SignInCodes, SignInProviders } from "@lazaret/services"
import { Effect, Option, Redacted } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { HttpConfig } from "../request/HttpConfig.ts"
import * as Links from "../response/Links.ts"
import * as ServiceErrors from "../response/ServiceErrors.ts"
import * as SessionCookie from "./SessionCookie.ts"
import * as SignInPages from "./SignInPages.ts"
import * as SignedIn from "./SignedIn.ts"
import * as Application from "./Application.ts"

/** The handlers over the services. */
export const layer = HttpApiBuilder.group(
  Api,
  "session",
  Effect.fnUntraced(function* (handlers) {
    const access = yield* Access
    const codes = yield* SignInCodes
    const sessions = yield* Sessions
    const audits = yield* Audits
    const providers = yield* SignInProviders

    /** The caller with a key that signs in, or with that of a code. */
    const callerOf = Effect.fnUntraced(function* (given: typeof Schemas.SignIn.Type) {
      const demand = Accepted.applicationKey("read")
      if ("code" in given) {
        const key = yield* codes.redeem(Redacted.make(given.code))
        return Option.map(
          Option.filter(key, ({ scope }) => Credential.accepts(demand, scope)),
          Credential.ofKey
        )
      }
      const secret = Redacted.make(given.key.trim())
      // A session would live on beyond its limit if it could begin another one.
      return isSessionSecret(secret) ? Option.none() : yield* access.application(secret, demand)
    })

    const { publicUrl } = yield* HttpConfig

    const signIn = Effect.fnUntraced(function* (
      given: typeof Schemas.SignIn.Type,
      request: HttpServerRequest.HttpServerRequest
    ) {
      if (SessionCookie.isForeign(request, publicUrl)) return yield* foreignPage
      const refusal = "key" in given ? unknownKey : usedCode
      const principal = Option.getOrNull(yield* ServiceErrors.toProblem(callerOf(given)))
      if (principal === null || principal.key === null) return yield* refusal
      yield* ServiceErrors.toProblem(SignedIn.begin({ audits, sessions }, { principal, request }))
      return Application.of(principal.key)
    })

    const signOut = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      const secret = SessionCookie.secretOf(request, publicUrl)
      if (Option.isSome(secret)) yield* ServiceErrors.toProblem(sessions.end(secret.value))
      yield* SessionCookie.remove
    })

    return handlers.handleAll({
      signIn: ({ payload, request }) => signIn(payload, request),
      getSignInWays: ({ request }) =>
        Effect.map(providers, (all) => ({
          providers: all.map(({ kind, title }) => ({
            kind,
            title,
            url: `${Links.base(request, publicUrl)}${SignInPages.paths[kind].start}`
          }))
        })),
      signOut: ({ request }) => signOut(request)
    })
  })
)

/** Prevents login CSRF: a foreign page could sign a user in with the attacker's key. */
const foreignPage = new Problem.Forbidden({
  detail: "This request comes from a page of another site. Open the dashboard of this server and sign in there."
})

const unknownKey = new Problem.Forbidden({
  detail:
    "This server does not know this application key, it was revoked, or it is a narrow one: the dashboard needs a key of " +
    "scope ci or admin. Check that the whole key was pasted."
})

const usedCode = new Problem.Forbidden({
  detail: "This sign-in link was used already or is too old. Make a new one with `lazaret sign-in`, or paste a key."
})
