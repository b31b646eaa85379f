/** The operations on aliases of tests (beyond the interface). */
import { HttpApi, HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import * as Access from "../definition/Access.ts"
import * as Operation from "../definition/Operation.ts"
import { repositoryPath } from "../definition/paths.ts"
import * as Problem from "../definition/Problem.ts"
import * as Parameter from "../definition/Parameter.ts"
import { CreateTestAliases, TestAliasList, TestAliasQuery, TestRenameList } from "./TestAlias.ts"

const path = `${repositoryPath}/test-aliases` as const

const listTestAliases = HttpApiEndpoint.get("listTestAliases", path, {
  params: Parameter.repository,
  query: TestAliasQuery,
  success: TestAliasList,
  error: Problem.ofRepository
}).pipe(
  Operation.demands(Access.readsTests),
  Operation.documented({
    summary: "List aliases of tests",
    description: "Lists the aliases that hold, oldest first: which names in reports are which test."
  })
)

const createTestAliases = HttpApiEndpoint.post("createTestAliases", path, {
  params: Parameter.repository,
  payload: CreateTestAliases,
  success: TestAliasList.pipe(HttpApiSchema.status(201)),
  error: Problem.ofRepositoryBody
})
  .annotate(HttpApi.PayloadParseOptions, Operation.strict)
  .pipe(
    Operation.demands(Access.anyCredential("write")),
    Operation.documented({
      summary: "Make aliases of tests",
      description:
        "Says that names in reports are one test: a renamed test, or names that change with each run. Every answer is then that of " +
        "a repository whose reports had the new name from the beginning, and the old ids of tests answer with the new test. All of " +
        "the aliases are made, or none. An alias that holds already stays as it is; one that leads in a circle is a conflict."
    })
  )

const revokeTestAlias = HttpApiEndpoint.delete("revokeTestAlias", `${path}/:alias_id`, {
  params: { ...Parameter.repository, alias_id: Parameter.uuid("The id of an alias.") },
  success: HttpApiSchema.NoContent.annotate({ description: "The alias has been revoked." }),
  error: Problem.ofRepository
}).pipe(
  Operation.demands(Access.anyCredential("write")),
  Operation.documented({
    summary: "Revoke an alias of a test",
    description: "Revokes an alias: every answer is then as if it had never been made. A revoked alias is not found."
  })
)

const listTestRenames = HttpApiEndpoint.get("listTestRenames", `${repositoryPath}/test-renames`, {
  params: Parameter.repository,
  success: TestRenameList,
  error: Problem.ofRepository
}).pipe(
  Operation.demands(Access.readsTests),
  Operation.documented({
    summary: "List proposed renames of tests",
    description:
      "Lists tests that stopped running on the default branch where others with the same title, or a similar one in the same suite, " +
      "appeared in the last 14 days. An alias accepts a proposal; nothing is renamed without one."
  })
)

/** The group of the operations on aliases of tests. */
export class TestAliasesApi extends Operation.guarded(
  "testAliases",
  { description: "Renamed tests, and names that change with each run." },
  listTestAliases,
  createTestAliases,
  revokeTestAlias,
  listTestRenames
) {}
