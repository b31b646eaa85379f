/** The handlers of the routes of aliases of tests: one use case each. */
import { Api, Principal, type Schemas } from "@lazaret/api"
import { TestId } from "@lazaret/domain"
import { type ListedAlias, TestAliases } from "@lazaret/services"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ServiceErrors from "../response/ServiceErrors.ts"

/** A client that goes away must not cut a write in two. */
const options = { uninterruptible: true }

/** The handlers over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "testAliases",
  Effect.fnUntraced(function* (handlers) {
    const aliases = yield* TestAliases

    return handlers.handleAll({
      listTestAliases: ({ params, query: { revoked, test_id: testId = null } }) =>
        aliases
          .list(params, { testId, isRevoked: revoked === "true" })
          .pipe(Effect.map(listOf), ServiceErrors.toProblem),
      createTestAliases: {
        handler: ({ params, payload }) =>
          Effect.flatMap(Principal, ({ subject }) =>
            aliases
              .create(params, payload.test_aliases.map(linkOf), subject)
              .pipe(Effect.map(listOf), ServiceErrors.toProblem)
          ),
        options
      },
      revokeTestAlias: {
        handler: ({ params }) =>
          Effect.flatMap(Principal, ({ subject }) =>
            ServiceErrors.toProblem(aliases.revoke(params, params.alias_id, subject))
          ),
        options
      },
      listTestRenames: ({ params }) =>
        aliases.renames(params).pipe(
          Effect.map((all): typeof Schemas.TestRenameList.Type => ({
            size: all.length,
            test_renames: all.map(({ at, from, sharedBy, to }) => ({
              from,
              to,
              first_seen_at: at,
              shared_by: sharedBy
            }))
          })),
          ServiceErrors.toProblem
        )
    })
  })
)

/** Without a kind it is a name, and a mask stands for itself where no other name is given. */
const linkOf = ({ from, kind = "name", to = from }: typeof Schemas.NewTestAlias.Type) => ({ kind, from, to })

const listOf = (all: ReadonlyArray<ListedAlias>): typeof Schemas.TestAliasList.Type => ({
  size: all.length,
  test_aliases: all.map((alias) => ({
    id: alias.id,
    kind: alias.kind,
    from: alias.from,
    to: alias.to,
    stands_for: alias.standsFor,
    test_id: TestId.of(alias.standsFor),
    created_at: alias.createdAt,
    created_by: alias.createdBy,
    revoked_at: alias.revokedAt,
    revoked_by: alias.revokedBy
  }))
})
