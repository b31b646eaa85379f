/**
 * Who is calling: the credential of a request becomes a principal, or the request ends with 403 (interface 5).
 *
 * It runs before anything of the request is decoded, so that an unfit caller cannot tell a wrong request from a right
 * one, nor what exists from what does not.
 */
import { Repository } from "@lazaret/domain"
import { Access, type CredentialKind, type Demand, hashOf, Principal } from "@lazaret/services"
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import * as AccessTable from "./AccessTable.ts"
import * as Problem from "./Problem.ts"
import * as RateLimit from "./RateLimit.ts"

/** Asks for the credential that `AccessTable` demands of the operation, and provides the principal. */
export class Authentication extends HttpApiMiddleware.Service<Authentication, { provides: Principal }>()(
  "@lazaret/http/Authentication",
  {
    requiredForClient: true,
    security: { bearer: HttpApiSecurity.bearer },
    error: [Problem.Forbidden, Problem.Unavailable, Problem.Unprocessable, Problem.TooManyRequests]
  }
) {
  /** Authentication over the access service. */
  static readonly layer = Layer.effect(
    Authentication,
    Effect.gen(function* () {
      const access = yield* Access
      const rateLimit = yield* RateLimit.RateLimit

      const principal = Effect.fnUntraced(function* (credential: Redacted.Redacted, operation: string) {
        if (!AccessTable.isGuarded(operation)) return Option.none()
        const { params } = yield* HttpRouter.RouteContext
        const demand: Demand = AccessTable.demands[operation]
        if (params["owner"] === undefined) return yield* access.application(credential, demand)
        const ref = { owner: params["owner"], repository: params["repository"] ?? "" }
        return yield* access.principal(credential, ref, isRepository(ref) ? demand : withoutPlatform(demand))
      })

      return Authentication.of({
        bearer: (handler, { credential, endpoint }) =>
          Effect.gen(function* () {
            const found = yield* Problem.fromService(principal(credential, endpoint.identifier))
            yield* rateLimit.take(yield* callerOf(found, credential))
            if (Option.isNone(found)) return yield* Problem.forbidden
            return yield* Effect.provideService(handler, Principal, found.value)
          })
      })
    })
  )
}

/** Whoever tries credentials is known by the address alone: they are different each time. */
const callerOf = (found: Option.Option<Principal["Service"]>, credential: Redacted.Redacted) =>
  Effect.map(HttpServerRequest.HttpServerRequest, (request) =>
    Option.match(found, {
      onNone: () => RateLimit.addressOf(request),
      onSome: ({ key }) => (key === null ? `token:${hashOf(Redacted.value(credential))}` : `key:${key.id}`)
    })
  )

const isRepository = Schema.is(Schema.Struct({ owner: Repository.Owner, repository: Repository.RepositoryName }))

/** The hosting platform is never asked about a name that cannot be a repository's. */
const withoutPlatform = (demand: Demand): Demand => ({
  kinds: demand.kinds.filter((kind: CredentialKind) => kind !== "platform"),
  permission: demand.permission
})
