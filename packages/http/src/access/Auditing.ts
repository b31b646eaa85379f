/** The entry of the audit log about a request. */
import { Operation, type Problem } from "@lazaret/api"
import type { Credential } from "@lazaret/domain"
import { actorOf, type AuditedAction, type Audits, StoreError } from "@lazaret/services"
import { Effect, Option } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import * as ServiceErrors from "../response/ServiceErrors.ts"

/**
 * Runs the handler of an operation; the audit log records an operation that is audited.
 *
 * **Details**
 *
 * The address is that of the connection, or the one that a trusted proxy forwards. A response with a status from 400 is an
 * action that failed. When the entry cannot be written, the response is 503 and the handler does not run.
 */
export const record = <E, R>(
  audits: Audits["Service"],
  { endpoint, principal }: Authenticated,
  handler: Handler<E, R>
): Handler<
  E | Problem.Unavailable | Problem.Unprocessable,
  R | HttpRouter.RouteContext | HttpServerRequest.HttpServerRequest
> =>
  Operation.isAudited(endpoint)
    ? Effect.gen(function* () {
        const { params } = yield* HttpRouter.RouteContext
        const request = yield* HttpServerRequest.HttpServerRequest
        const action = actionOf(endpoint, principal, { params, request })
        return yield* Effect.catchIf(
          audits.record(action, handler, ({ status }) => status < 400),
          (error) => error instanceof StoreError,
          ServiceErrors.storeProblem
        )
      })
    : handler

type Handler<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

interface Authenticated {
  readonly endpoint: HttpApiEndpoint.Top
  readonly principal: Credential.Principal
}

interface Asked {
  readonly params: { readonly [name: string]: string | undefined }
  readonly request: HttpServerRequest.HttpServerRequest
}

const actionOf = (
  { identifier }: HttpApiEndpoint.Top,
  principal: Credential.Principal,
  { params: { owner, repository, ...target }, request }: Asked
): AuditedAction => ({
  actor: actorOf(principal),
  address: Option.getOrNull(request.remoteAddress),
  action: identifier,
  owner: owner ?? principal.key?.owner ?? null,
  repository: repository ?? null,
  target: Object.fromEntries(Object.entries(target).map(([name, value]) => [name, value ?? null]))
})
