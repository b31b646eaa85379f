/** The implementation of the authentication middleware: a bearer token becomes a principal, or the answer is 403. */
import { Authentication, Operation, Principal, Problem } from "@lazaret/api"
import { Credential, Repository } from "@lazaret/domain"
import { Access, Audits, hashOf, Repositories } from "@lazaret/services"
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { HttpRouter, HttpServerRespondable } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import * as Auditing from "./Auditing.ts"
import { keyOf, RateLimit } from "../request/RateLimit.ts"
import * as ServiceErrors from "../response/ServiceErrors.ts"

/** Authentication over the access service; it also takes the request from the caller's rate limit. */
export const layer = Layer.effect(
  Authentication,
  Effect.gen(function* () {
    const access = yield* Access
    const rateLimit = yield* RateLimit
    const audits = yield* Audits
    const repositories = yield* Repositories

    const principal = Effect.fnUntraced(function* (credential: Redacted.Redacted, endpoint: HttpApiEndpoint.Top) {
      const declared = Operation.demandOf(endpoint)
      if (Option.isNone(declared)) return Option.none()
      const demand = declared.value
      const { params } = yield* HttpRouter.RouteContext
      if (params["owner"] === undefined) return yield* access.application(credential, demand)
      const ref = { owner: params["owner"], repository: params["repository"] ?? "" }
      return yield* access.principal(credential, ref, isRepository(ref) ? demand : withoutPlatform(demand))
    })

    /** The answer to a write that would create the repository, where uploads alone may do that. */
    const missing = Effect.fnUntraced(function* (endpoint: HttpApiEndpoint.Top) {
      const { params } = yield* HttpRouter.RouteContext
      const demand = Operation.demandOf(endpoint)
      if (params["owner"] === undefined || Option.isNone(demand) || !isCreating(demand.value)) return null
      const ref = { owner: params["owner"], repository: params["repository"] ?? "" }
      if (!isRepository(ref) || (yield* repositories.admits(ref))) return null
      const detail =
        `The server has no data of the repository ${ref.owner}/${ref.repository}, and only test reports create repositories on ` +
        "this server. Check the name, or upload a report first."
      return new Problem.NotFound({ detail })
    })

    return Authentication.of({
      bearer: (handler, { credential, endpoint }) =>
        Effect.gen(function* () {
          const hash = () => hashOf(Redacted.value(credential))
          const find = ServiceErrors.toProblem(principal(credential, endpoint))
          const found = yield* rateLimit.lookUp(hash, find, (caller) => callerOf(caller) ?? `token:${hash()}`)
          if (Option.isNone(found)) {
            const { params } = yield* HttpRouter.RouteContext
            return yield* params["owner"] === undefined ? Problem.forbiddenHere : Problem.forbidden
          }
          const unknown = yield* ServiceErrors.toProblem(missing(endpoint))
          if (unknown !== null) return yield* Effect.orDie(HttpServerRespondable.toResponse(unknown))
          const authenticated = Effect.provideService(handler, Principal, found.value)
          return yield* Auditing.record(audits, { endpoint, principal: found.value }, authenticated)
        })
    })
  })
)

/** The bucket of a caller, where it is not that of the token: those who upload as forks of a repository share one. */
const callerOf = ({ key, origin }: Credential.Principal): string | null => {
  if (key !== null) return keyOf(key.id)
  return origin?.code._tag === "unproven" ? `forks:${Repository.key(origin.repository)}` : null
}

/** Uploads are the writes that a key of scope `upload` may send. */
const isCreating = (demand: Credential.Demand): boolean =>
  demand.permission === "write" && !Credential.accepts(demand, "upload")

const isRepository = Schema.is(Schema.Struct({ owner: Repository.Owner, repository: Repository.RepositoryName }))

/** The hosting platform is never asked about a name that no repository can have. */
const withoutPlatform = (demand: Credential.Demand): Credential.Demand => ({
  kinds: demand.kinds.filter((kind) => kind !== "platform"),
  permission: demand.permission
})
