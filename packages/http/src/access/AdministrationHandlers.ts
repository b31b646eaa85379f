/** The handlers of the administration routes: one use case each. */
import { Api, Principal, Schemas } from "@lazaret/api"
import { KeyAdministration, Repositories, Retention } from "@lazaret/services"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as Links from "../response/Links.ts"
import * as LongAnswer from "../response/LongAnswer.ts"
import * as ServiceErrors from "../response/ServiceErrors.ts"
import * as ApplicationKey from "./ApplicationKey.ts"
import * as Parameter from "../request/Parameter.ts"
import * as Repository from "../repository/Repository.ts"
import * as Retained from "../repository/Retention.ts"

/** A client that goes away must not cut a write in two. */
const options = { uninterruptible: true }

/** The handlers over the services. */
export const layer = HttpApiBuilder.group(
  Api,
  "administration",
  Effect.fnUntraced(function* (handlers) {
    const repositories = yield* Repositories
    const keys = yield* KeyAdministration
    const retention = yield* Retention

    return handlers.handleAll({
      listRepositories: ({ query, request }) => {
        const list = Parameter.pageOf(query)
        return Effect.flatMap(Principal, (caller) =>
          repositories
            .list(caller, list)
            .pipe(Links.paged(request, Repository.pageOf(list.perPage)), ServiceErrors.toProblem)
        )
      },
      getSettings: ({ params }) =>
        repositories.settings(params).pipe(Effect.map(Schemas.settingsOf), ServiceErrors.toProblem),
      changeSettings: {
        handler: ({ params, payload }) =>
          repositories
            .change(params, Schemas.changeOf(payload))
            .pipe(Effect.map(Schemas.settingsOf), ServiceErrors.toProblem),
        options
      },
      removeRepository: {
        handler: ({ params, payload }) => ServiceErrors.toProblem(repositories.remove(params, payload.confirm)),
        options
      },
      removeTest: {
        handler: ({ params, payload }) =>
          ServiceErrors.toProblem(repositories.removeTest(params, params.test_id, payload.confirm)),
        options
      },
      listApplicationKeys: ({ query, request }) => {
        const list = Parameter.pageOf(query)
        return Effect.flatMap(Principal, (caller) =>
          keys
            .list(caller, list)
            .pipe(Links.paged(request, ApplicationKey.pageOf(list.perPage)), ServiceErrors.toProblem)
        )
      },
      createApplicationKey: {
        handler: ({ payload }) =>
          Effect.flatMap(Principal, (caller) =>
            keys
              .issue(caller, ApplicationKey.newOf(payload))
              .pipe(Effect.map(ApplicationKey.issuedOf), ServiceErrors.toProblem)
          ),
        options
      },
      revokeApplicationKey: {
        handler: ({ params }) =>
          Effect.flatMap(Principal, (caller) => ServiceErrors.toProblem(keys.revoke(caller, params.key_id))),
        options
      },
      runRetention: () => retention.run.pipe(Effect.map(Retained.of), ServiceErrors.toProblem, LongAnswer.json)
    })
  })
)
