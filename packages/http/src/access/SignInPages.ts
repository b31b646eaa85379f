/**
 * The addresses of a sign-in with a provider: one leads the browser to it, the other takes it back.
 *
 * Each kind of provider has its own two, so that an answer of one provider is never taken for that of the other (mix-up). The
 * secrets of the attempt are in a cookie of the browser that began it, so that every server process can complete it, and
 * an answer that somebody else began signs nobody in.
 */
import { AssignedRole, Credential } from "@lazaret/domain"
import {
  Audits,
  Roles,
  Sessions,
  SignInChecks,
  SignInFailed,
  type SignInProvider,
  SignInProviders
} from "@lazaret/services"
import { Effect, Layer, Option, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpConfig } from "../request/HttpConfig.ts"
import * as Links from "../response/Links.ts"
import * as Pages from "../response/Pages.ts"
import * as ReturnPath from "./ReturnPath.ts"
import * as SessionCookie from "./SessionCookie.ts"
import * as SignedIn from "./SignedIn.ts"

/** The two addresses of each kind of provider. */
export const paths = {
  oidc: { start: Pages.paths.signInWith, callback: Pages.paths.signInCallback },
  github: { start: Pages.paths.signInWithGitHub, callback: Pages.paths.gitHubCallback }
} as const satisfies { readonly [K in AssignedRole.Provider]: unknown }

/** The routes, which ask for no credential. */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const providers = yield* SignInProviders
    const { publicUrl } = yield* HttpConfig
    const uses = { audits: yield* Audits, sessions: yield* Sessions }
    const roles = yield* Roles

    const providerOf = (kind: AssignedRole.Provider) =>
      Effect.flatMap(providers, (all): Effect.Effect<SignInProvider, SignInFailed> => {
        const found = all.find((each) => each.kind === kind)
        return found === undefined ? Effect.fail(notOffered) : Effect.succeed(found)
      })

    const callback = (kind: AssignedRole.Provider, request: HttpServerRequest.HttpServerRequest) =>
      `${Links.base(request, publicUrl)}${paths[kind].callback}`

    const start = Effect.fnUntraced(function* (
      kind: AssignedRole.Provider,
      request: HttpServerRequest.HttpServerRequest
    ) {
      const { begin } = yield* providerOf(kind)
      const { checks, url } = yield* begin(callback(kind, request))
      const attempt = { kind, checks, path: ReturnPath.safe(parametersOf(request).get("return")) }
      const away = HttpServerResponse.empty({ status: 303, headers: { ...headers, location: url } })
      return yield* withCookie(away, request, { value: encode(attempt), maxAge: "10 minutes" })
    })

    const finish = Effect.fnUntraced(function* (
      kind: AssignedRole.Provider,
      request: HttpServerRequest.HttpServerRequest
    ) {
      const attempt = Option.filter(decode(request.cookies[cookie] ?? ""), (each) => each.kind === kind)
      if (Option.isNone(attempt)) return failure(request, otherBrowser)
      const { complete } = yield* providerOf(kind)
      const answer = new URL(`${callback(kind, request)}?${parametersOf(request).toString()}`)
      const user = yield* complete(answer, attempt.value.checks)
      const { grants } = yield* roles.atSignIn(user)
      if (grants.length === 0) return yield* withoutRole
      // The session keeps the roles of the provider's groups; the others are those of each request.
      yield* SignedIn.begin(uses, { principal: Credential.ofUser(user), request })
      return back(request, attempt.value.path)
    })

    const back = (request: HttpServerRequest.HttpServerRequest, path: string) =>
      HttpServerResponse.empty({
        status: 303,
        headers: { ...headers, location: `${Links.base(request, publicUrl)}${path}` }
      })

    const failure = (request: HttpServerRequest.HttpServerRequest, message: string) =>
      back(request, `/sign-in?failure=${encodeURIComponent(message)}`)

    const withCookie = (
      response: HttpServerResponse.HttpServerResponse,
      request: HttpServerRequest.HttpServerRequest,
      { maxAge, value }: { readonly value: string; readonly maxAge: "10 minutes" | "0 seconds" }
    ) =>
      Effect.orDie(
        HttpServerResponse.setCookie(response, cookie, value, {
          ...SessionCookie.attributesOf(request, publicUrl),
          // The browser comes back from the page of another site.
          sameSite: "lax",
          maxAge
        })
      )

    const explained = (request: HttpServerRequest.HttpServerRequest) => (failed: SignInFailed) =>
      Effect.as(
        Effect.logWarning("A person was not signed in", failed.message, failed.cause).pipe(
          Effect.annotateLogs({ reason: failed.reason })
        ),
        failure(request, failed.message)
      )

    const routesOf = (kind: AssignedRole.Provider) =>
      Layer.mergeAll(
        HttpRouter.add("GET", paths[kind].start, (request) =>
          Effect.catchTag(start(kind, request), "SignInFailed", explained(request))
        ),
        HttpRouter.add("GET", paths[kind].callback, (request) =>
          // An attempt counts once: whatever comes of it, its secrets are gone.
          Effect.flatMap(Effect.catchTag(finish(kind, request), "SignInFailed", explained(request)), (response) =>
            withCookie(response, request, { value: "", maxAge: "0 seconds" })
          )
        )
      )

    return Layer.mergeAll(routesOf("oidc"), routesOf("github"))
  })
)

const notOffered = new SignInFailed({
  reason: "unavailable",
  message: "This server does not offer this way to sign in."
})

const withoutRole = new SignInFailed({
  reason: "not_allowed",
  message:
    "You have no role here. Ask the operator of this server for one, or for one of your groups; who signs in with GitHub needs " +
    "access to a repository of this server there."
})

const cookie = "lazaret_sign_in"

const otherBrowser =
  "This sign-in was not begun in this browser, was completed already, or took longer than ten minutes. Sign in again."

const headers = { "referrer-policy": "no-referrer", "cache-control": "no-store" }

const Attempt = Schema.fromJsonString(
  Schema.Struct({ kind: AssignedRole.Provider, checks: SignInChecks, path: Schema.String })
)

const encode = (attempt: Schema.Schema.Type<typeof Attempt>): string =>
  Buffer.from(Schema.encodeSync(Attempt)(attempt)).toString("base64url")

/** The cookie is the browser's: its path is checked once more. */
const decode = (value: string) =>
  Option.map(Schema.decodeOption(Attempt)(Buffer.from(value, "base64url").toString()), (attempt) => ({
    ...attempt,
    path: ReturnPath.safe(attempt.path)
  }))

const parametersOf = ({ url }: HttpServerRequest.HttpServerRequest): URLSearchParams =>
  new URLSearchParams(url.includes("?") ? url.slice(url.indexOf("?") + 1) : "")
