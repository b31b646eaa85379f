/** The handlers of the routes of the hosting platform. */
import { Api, Problem, type Schemas } from "@lazaret/api"
import { type Connected, ForgeApp } from "@lazaret/services"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as GitHubAppPages from "./GitHubAppPages.ts"
import { HttpConfig } from "../request/HttpConfig.ts"
import * as Links from "../response/Links.ts"
import * as ServiceErrors from "../response/ServiceErrors.ts"

/** The handlers over the app of the server. */
export const layer = HttpApiBuilder.group(
  Api,
  "hostingPlatform",
  Effect.fnUntraced(function* (handlers) {
    const app = yield* ForgeApp
    const { publicUrl } = yield* HttpConfig

    return handlers.handleAll({
      getGitHubApp: () => Effect.map(app.connected, connectedOf),
      createGitHubApp: ({ payload: { organization }, request }) =>
        app.begin(organization).pipe(
          Effect.map(({ state }) => ({ url: GitHubAppPages.addressOf(Links.base(request, publicUrl), state) })),
          ServiceErrors.toProblem
        ),
      deleteGitHubApp: () =>
        ServiceErrors.toProblem(app.forget).pipe(
          Effect.filterOrFail(
            (isGone) => isGone,
            () => none
          ),
          Effect.asVoid
        ),
      getRepositoryConnection: ({ params }) =>
        Effect.map(app.connectionOf(params), ({ defaultBranch, ...found }) => ({
          ...found,
          default_branch: defaultBranch
        }))
    })
  })
)

const none = new Problem.NotFound({ detail: "No GitHub App was created here." })

const connectedOf = ({ app, ...found }: Connected): typeof Schemas.GitHubApp.Type => ({
  ...found,
  app: app === null ? null : { ...app, install_url: `${app.url}/installations/new` }
})
