/** The handlers of the administration routes: one use case each. */
import { ApplicationKeys, Principal, Repositories, Retention } from "@lazaret/services"
import type { ApplicationKey as Domain } from "@lazaret/domain"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "./Api.ts"
import * as Links from "./Links.ts"
import * as LongAnswer from "./LongAnswer.ts"
import * as Problem from "./Problem.ts"
import * as ApplicationKey from "./wire/ApplicationKey.ts"
import * as Parameter from "./wire/Parameter.ts"
import * as Repository from "./wire/Repository.ts"
import * as Retained from "./wire/Retention.ts"

/** A client that goes away must not cut a write in two. */
const options = { uninterruptible: true }

/** The key of the request; `AccessTable` lets nothing else get here. */
const caller = Effect.flatMap(Principal, ({ key }): Effect.Effect<Domain.ApplicationKey, Problem.Forbidden> =>
  key === null ? Effect.fail(Problem.forbidden) : Effect.succeed(key)
)

/** The handlers over the services. */
export const layer = HttpApiBuilder.group(
  Api,
  "administration",
  Effect.fnUntraced(function* (handlers) {
    const repositories = yield* Repositories
    const keys = yield* ApplicationKeys
    const retention = yield* Retention

    return handlers.handleAll({
      listRepositories: ({ query, request }) => {
        const list = Parameter.pageOf(query)
        return Effect.flatMap(caller, (key) =>
          repositories.list(key, list).pipe(Links.paged(request, Repository.pageOf(list.perPage)), Problem.fromService)
        )
      },
      getSettings: ({ params }) =>
        repositories.settings(params).pipe(Effect.map(Repository.settingsOf), Problem.fromService),
      changeSettings: {
        handler: ({ params, payload }) =>
          repositories
            .change(params, Repository.changeOf(payload))
            .pipe(Effect.map(Repository.settingsOf), Problem.fromService),
        options
      },
      listApplicationKeys: ({ query, request }) => {
        const list = Parameter.pageOf(query)
        return Effect.flatMap(caller, (key) =>
          keys.list(key, list).pipe(Links.paged(request, ApplicationKey.pageOf(list.perPage)), Problem.fromService)
        )
      },
      createApplicationKey: {
        handler: ({ payload }) =>
          Effect.flatMap(caller, (key) =>
            keys
              .issue(key, ApplicationKey.newOf(payload))
              .pipe(Effect.map(ApplicationKey.issuedOf), Problem.fromService)
          ),
        options
      },
      revokeApplicationKey: {
        handler: ({ params }) => Effect.flatMap(caller, (key) => Problem.fromService(keys.revoke(key, params.key_id))),
        options
      },
      runRetention: () => retention.run.pipe(Effect.map(Retained.of), Problem.fromService, LongAnswer.json)
    })
  })
)
