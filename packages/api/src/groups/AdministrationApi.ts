/**
 * The routes of those who run the server for others: repositories, their settings, keys, and retention (beyond the interface).
 */
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authentication } from "../Authentication.ts"
import { linked } from "../Linked.ts"
import * as Problem from "../Problem.ts"
import { RequestErrors } from "../RequestErrors.ts"
import { ApplicationKeysPage, CreateApplicationKey, IssuedApplicationKey } from "../wire/ApplicationKey.ts"
import * as Parameter from "../wire/Parameter.ts"
import { ChangeSettings, RepositoriesPage, Settings } from "../wire/Repository.ts"
import { Retained } from "../wire/Retention.ts"

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

const read = [Problem.Unprocessable, Problem.Unavailable]

const write = [Problem.ContentTooLarge, Problem.UnsupportedMediaType, Problem.Unprocessable, Problem.Unavailable]

const settings = "/v1/ci/:owner/repositories/:repository/settings"

const listRepositories = HttpApiEndpoint.get("listRepositories", "/v1/repositories", {
  query: Parameter.page,
  success: linked(RepositoriesPage),
  error: read
}).annotateMerge(
  described(
    "List repositories",
    "Lists the repositories that the key reaches, by owner and name without regard to case."
  )
)

const getSettings = HttpApiEndpoint.get("getSettings", settings, {
  params: Parameter.repository,
  success: Settings,
  error: [Problem.NotFound, ...read]
}).annotateMerge(
  described("Get the settings of a repository", "Shows what is set, and the numbers of every policy that hold.")
)

const changeSettings = HttpApiEndpoint.patch("changeSettings", settings, {
  params: Parameter.repository,
  payload: ChangeSettings,
  success: Settings,
  error: write
})
  .annotateMerge(
    described(
      "Change the settings of a repository",
      "Sets what the body names and leaves the rest; null brings a default back. Changed numbers hold for the whole kept " +
        "history at once. A repository that is not known yet comes into being."
    )
  )
  // A name that is misspelt would else change nothing, and say that it did.
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "error" })

const listApplicationKeys = HttpApiEndpoint.get("listApplicationKeys", "/v1/application-keys", {
  query: Parameter.page,
  success: linked(ApplicationKeysPage),
  error: read
}).annotateMerge(
  described(
    "List application keys",
    "Lists keys, the oldest first and revoked ones included. A key that is bound to an owner sees those of its owner."
  )
)

const createApplicationKey = HttpApiEndpoint.post("createApplicationKey", "/v1/application-keys", {
  payload: CreateApplicationKey,
  success: IssuedApplicationKey.pipe(HttpApiSchema.status(201)),
  error: [Problem.Conflict, ...write]
})
  .annotateMerge(
    described(
      "Make an application key",
      "Makes a key and shows its secret, this once. A key that is bound to an owner makes keys for that owner only."
    )
  )
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "error" })

const revokeApplicationKey = HttpApiEndpoint.delete("revokeApplicationKey", "/v1/application-keys/:key_id", {
  params: { key_id: Parameter.uuid("The identifier of a key.") },
  success: HttpApiSchema.NoContent.annotate({ description: "The key is good for nothing any more." }),
  error: [Problem.NotFound, Problem.Conflict, ...read]
}).annotateMerge(
  described(
    "Revoke an application key",
    "Revokes a key at once, also the one of the request. The last admin key that reaches all owners is kept (409)."
  )
)

const runRetention = HttpApiEndpoint.post("runRetention", "/v1/retention", {
  success: Retained,
  error: [Problem.Unavailable]
}).annotateMerge(
  described(
    "Drop what is too old",
    "Does now what the server does every day, in every repository, while uploads go on. The key must reach all owners. " +
      "An answer that takes longer than ten seconds begins with line breaks; one that breaks off has failed, and to ask " +
      "again goes on."
  )
)

/** The group of the administration routes. */
export class AdministrationApi extends HttpApiGroup.make("administration", { topLevel: true })
  .add(listRepositories, getSettings, changeSettings, listApplicationKeys, createApplicationKey, revokeApplicationKey)
  .add(runRetention)
  .middleware(RequestErrors)
  .middleware(Authentication)
  .annotateMerge(OpenApi.annotations({ description: "Repositories, their settings, keys, and retention." })) {}
