/** The operations of administrators: repositories, settings, application keys and retention (beyond the interface). */
import { HttpApi, HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import * as Access from "../definition/Access.ts"
import { linked } from "../definition/Linked.ts"
import * as Operation from "../definition/Operation.ts"
import { repositoryPath } from "../definition/paths.ts"
import * as Problem from "../definition/Problem.ts"
import { ApplicationKeysPage, CreateApplicationKey, IssuedApplicationKey } from "./ApplicationKey.ts"
import * as Parameter from "../definition/Parameter.ts"
import { ChangeSettings, RemoveRepository, RemoveTest, RepositoriesPage, Settings } from "../repository/Repository.ts"
import { Retained } from "../repository/Retention.ts"

const settingsPath = `${repositoryPath}/settings` as const

const listRepositories = HttpApiEndpoint.get("listRepositories", "/v1/repositories", {
  query: Parameter.page,
  success: linked(RepositoriesPage),
  error: [Problem.Unprocessable, Problem.Unavailable]
}).pipe(
  Operation.demands(Access.withinReach("read")),
  Operation.documented({
    summary: "List repositories",
    description: "Lists the repositories within reach of the key, by owner and name without regard to case."
  })
)

const getSettings = HttpApiEndpoint.get("getSettings", settingsPath, {
  params: Parameter.repository,
  success: Settings,
  error: Problem.ofRepository
}).pipe(
  Operation.demands(Access.administrative("read")),
  Operation.documented({
    summary: "Get the settings of a repository",
    description: "Shows the settings, and for every policy the values in effect."
  })
)

const changeSettings = HttpApiEndpoint.patch("changeSettings", settingsPath, {
  params: Parameter.repository,
  payload: ChangeSettings,
  success: Settings,
  error: Problem.ofRepositoryBody
})
  .annotate(HttpApi.PayloadParseOptions, Operation.strict)
  .pipe(
    Operation.demands(Access.administrative("write")),
    Operation.documented({
      summary: "Change the settings of a repository",
      description:
        "Sets the fields of the body and keeps the others; null restores a default. A changed policy applies to the whole " +
        "stored history at once. An unknown repository is created."
    })
  )

const removeRepository = HttpApiEndpoint.delete("removeRepository", repositoryPath, {
  params: Parameter.repository,
  payload: RemoveRepository,
  success: HttpApiSchema.NoContent.annotate({ description: "The repository has been deleted." }),
  error: Problem.ofRepositoryBody
})
  .annotate(HttpApi.PayloadParseOptions, Operation.strict)
  .pipe(
    Operation.demands(Access.adminKey("write")),
    Operation.documented({
      summary: "Delete a repository",
      description:
        "Deletes a repository with everything that is stored for it: reports, tests, failures, quarantines, merge queues, " +
        "events, webhooks and settings. It cannot be undone. The body confirms the name. From the deletion on, no reader finds " +
        "the repository; its rows are deleted from the disk before the response, or by the next upkeep when the server stops " +
        "meanwhile. An upload at the same time is deleted with the repository, or creates a new one. In a cluster, another " +
        "server may not find that new repository for up to five seconds."
    })
  )

const removeTest = HttpApiEndpoint.delete("removeTest", `${repositoryPath}/tests/:test_id`, {
  params: { ...Parameter.repository, test_id: Parameter.testId },
  payload: RemoveTest,
  success: HttpApiSchema.NoContent.annotate({ description: "The test has been deleted." }),
  error: Problem.ofRepositoryBody
})
  .annotate(HttpApi.PayloadParseOptions, Operation.strict)
  .pipe(
    Operation.demands(Access.adminKey("write")),
    Operation.documented({
      summary: "Delete a test",
      description:
        "Deletes a test with everything that is stored for it on every branch: executions, health, failures, quarantines, verdicts " +
        "with their marks, and its events. It cannot be undone. The body confirms the name. Totals and outages of job runs stay as " +
        "they are. On PostgreSQL, the numbers of its executions stay on the disk, out of reach, until retention drops their week. The " +
        "same report again is a duplicate; another report that names the test makes it new."
    })
  )

const listApplicationKeys = HttpApiEndpoint.get("listApplicationKeys", "/v1/application-keys", {
  query: Parameter.page,
  success: linked(ApplicationKeysPage),
  error: [Problem.Unprocessable, Problem.Unavailable]
}).pipe(
  Operation.demands(Access.adminKey("read")),
  Operation.documented({
    summary: "List application keys",
    description: "Lists keys, oldest first and including revoked ones. A key of one owner lists the keys of that owner."
  })
)

const createApplicationKey = HttpApiEndpoint.post("createApplicationKey", "/v1/application-keys", {
  payload: CreateApplicationKey,
  success: IssuedApplicationKey.pipe(HttpApiSchema.status(201)),
  error: [
    Problem.Conflict,
    Problem.ContentTooLarge,
    Problem.UnsupportedMediaType,
    Problem.Unprocessable,
    Problem.Unavailable
  ]
})
  .annotate(HttpApi.PayloadParseOptions, Operation.strict)
  .pipe(
    Operation.demands(Access.adminKey("write")),
    Operation.documented({
      summary: "Create an application key",
      description: "Creates a key and shows its secret once. A key of one owner creates keys for that owner only."
    })
  )

const revokeApplicationKey = HttpApiEndpoint.delete("revokeApplicationKey", "/v1/application-keys/:key_id", {
  params: { key_id: Parameter.uuid("The id of a key.") },
  success: HttpApiSchema.NoContent.annotate({ description: "The key has been revoked." }),
  error: [Problem.NotFound, Problem.Conflict, Problem.Unprocessable, Problem.Unavailable]
}).pipe(
  Operation.demands(Access.adminKey("write")),
  Operation.documented({
    summary: "Revoke an application key",
    description:
      "Revokes a key at once, including the key of the request. The last admin key for all owners cannot be revoked (409)."
  })
)

const runRetention = HttpApiEndpoint.post("runRetention", "/v1/retention", {
  success: Retained,
  error: [Problem.Unavailable]
}).pipe(
  Operation.demands(Access.serverAdminKey),
  Operation.documented({
    summary: "Delete data that is older than the retention period",
    description:
      "Runs the daily retention of all repositories now, while uploads continue. The key must be for all owners. If the " +
      "operation takes longer than ten seconds, the response starts with line breaks; a response that ends early has failed, " +
      "and the next request continues where it ended."
  })
)

/** The group of the administration operations. */
export class AdministrationApi extends Operation.guarded(
  "administration",
  { description: "Repositories, their settings, application keys, and retention." },
  listRepositories,
  getSettings,
  changeSettings,
  removeRepository,
  removeTest,
  listApplicationKeys,
  createApplicationKey,
  revokeApplicationKey,
  runRetention
) {}
