/** The beginning of a session, however the browser has signed in. */
import type { Credential } from "@lazaret/domain"
import { actorOf, type Audits, type Sessions } from "@lazaret/services"
import { Effect, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpConfig } from "../request/HttpConfig.ts"
import * as SessionCookie from "./SessionCookie.ts"

/** The use cases of a sign-in. */
export interface Uses {
  readonly audits: Audits["Service"]
  readonly sessions: Sessions["Service"]
}

/** A signed-in caller, and the request that signed in. */
export interface Who {
  readonly principal: Credential.Principal
  readonly request: HttpServerRequest.HttpServerRequest
}

/**
 * Begins a session, records it in the audit log, and sets its cookie.
 *
 * The secret is new, whatever the browser sent before, and the earlier session of the browser ends: so nobody can be signed in to
 * a session that somebody else knows.
 */
export const begin = Effect.fnUntraced(function* ({ audits, sessions }: Uses, { principal, request }: Who) {
  const { publicUrl } = yield* HttpConfig
  const address = Option.getOrNull(request.remoteAddress)
  const action = {
    actor: actorOf(principal),
    address,
    action: "signIn",
    owner: principal.key?.owner ?? null,
    repository: null,
    target: {}
  }
  const earlier = SessionCookie.secretOf(request, publicUrl)
  const agent = request.headers["user-agent"] ?? null
  const begun = yield* audits.record(action, sessions.begin({ principal, address, agent }, earlier))
  yield* SessionCookie.set(begun.secret)
})
