/**
 * The two addresses of a sign-in with a provider: one leads the browser to it, the other takes it back.
 *
 * The secrets of the attempt are in a cookie of the browser that began it, so that every server process can complete it, and
 * an answer that somebody else began signs nobody in.
 */
import { Credential } from "@lazaret/domain"
import { Audits, Sessions, SignInChecks, type SignInFailed, SignInProvider } from "@lazaret/services"
import { Effect, Layer, Option, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpConfig } from "./HttpConfig.ts"
import * as Links from "./Links.ts"
import * as Pages from "./Pages.ts"
import * as ReturnPath from "./ReturnPath.ts"
import * as SessionCookie from "./SessionCookie.ts"
import * as SignedIn from "./SignedIn.ts"

/** The routes, which ask for no credential. */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const provider = yield* SignInProvider
    if (Option.isNone(provider)) return Layer.empty
    const { begin, complete } = provider.value
    const { publicUrl } = yield* HttpConfig
    const uses = { audits: yield* Audits, sessions: yield* Sessions }

    const callback = (request: HttpServerRequest.HttpServerRequest) =>
      `${Links.base(request, publicUrl)}${Pages.paths.signInCallback}`

    const start = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      const { checks, url } = yield* begin(callback(request))
      const attempt = { checks, path: ReturnPath.safe(parametersOf(request).get("return")) }
      const away = HttpServerResponse.empty({ status: 303, headers: { ...headers, location: url } })
      return yield* withCookie(away, request, { value: encode(attempt), maxAge: "10 minutes" })
    })

    const finish = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      const attempt = decode(request.cookies[cookie] ?? "")
      if (Option.isNone(attempt)) return failure(request, otherBrowser)
      const answer = new URL(`${callback(request)}?${parametersOf(request).toString()}`)
      const user = yield* complete(answer, attempt.value.checks)
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

    return Layer.mergeAll(
      HttpRouter.add("GET", Pages.paths.signInWith, (request) =>
        Effect.catchTag(start(request), "SignInFailed", explained(request))
      ),
      HttpRouter.add("GET", Pages.paths.signInCallback, (request) =>
        // An attempt counts once: whatever comes of it, its secrets are gone.
        Effect.flatMap(Effect.catchTag(finish(request), "SignInFailed", explained(request)), (response) =>
          withCookie(response, request, { value: "", maxAge: "0 seconds" })
        )
      )
    )
  })
)

const cookie = "lazaret_sign_in"

const otherBrowser =
  "This sign-in was not begun in this browser, was completed already, or took longer than ten minutes. Sign in again."

const headers = { "referrer-policy": "no-referrer", "cache-control": "no-store" }

const Attempt = Schema.fromJsonString(Schema.Struct({ checks: SignInChecks, path: Schema.String }))

const encode = (attempt: Schema.Schema.Type<typeof Attempt>): string =>
  Buffer.from(Schema.encodeSync(Attempt)(attempt)).toString("base64url")

/** The cookie is the browser's: its path is checked once more. */
const decode = (value: string) =>
  Option.map(Schema.decodeOption(Attempt)(Buffer.from(value, "base64url").toString()), ({ checks, path }) => ({
    checks,
    path: ReturnPath.safe(path)
  }))

const parametersOf = ({ url }: HttpServerRequest.HttpServerRequest): URLSearchParams =>
  new URLSearchParams(url.includes("?") ? url.slice(url.indexOf("?") + 1) : "")
