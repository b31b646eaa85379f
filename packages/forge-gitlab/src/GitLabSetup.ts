/** The connection to GitLab itself: what the token may do, and which deliveries have arrived. */
import type { Repository } from "@lazaret/domain"
import { Readiness } from "@lazaret/queue"
import { ForgeError, HostingPlatform, PlatformSetup } from "@lazaret/services"
import { Effect, Redacted, Schema } from "effect"
import type * as GitLabClient from "./GitLabClient.ts"
import * as GitLabGroups from "./GitLabGroups.ts"

type Ref = Repository.RepositoryRef

/** The events of a webhook that are read, as the header of a delivery names them. */
const events = ["Merge Request Hook", "Note Hook", "Pipeline Hook", "Push Hook"]

/** The setup at a connection; the permission of the token is that of the look-ups. */
export const make = (
  { groups, token, url }: GitLabClient.Connection,
  client: GitLabClient.GitLabClient,
  { permission }: Pick<HostingPlatform["Service"], "permission">
) =>
  PlatformSetup.of({
    platform: Effect.succeed("gitlab"),

    read: (ref) => {
      const page = `${url}/${GitLabGroups.pathOf(groups, ref)}/-`
      const granted = token === null ? Effect.succeed(null) : permission(Redacted.value(token), ref)
      return Effect.map(granted, (may) => ({
        steps: [tokenStep(may, `${page}/settings/access_tokens`)],
        events: events.map((event) => subscription(event, `${page}/hooks`)),
        pages: { deliveries: `${page}/hooks`, rules: null }
      }))
    },

    forget: () => Effect.void,

    commitOf: (ref) =>
      Effect.flatMap(
        client.ask(
          "commitOf",
          ref,
          { path: "/pipelines", query: { order_by: "id", sort: "desc", per_page: 1 } },
          Pipelines
        ),
        ({ body: [newest] }) => (newest === undefined ? Effect.fail(noPipeline(ref)) : Effect.succeed(newest.sha))
      ),

    isShown: (ref, commit, name) =>
      Effect.map(
        client.ask("isShown", ref, { path: `/repository/commits/${commit}/statuses`, query: { name } }, Statuses),
        ({ body }) => body.some((each) => each.name === name)
      )
  })

const Pipelines = Schema.Array(Schema.Struct({ sha: Schema.String }))

const Statuses = Schema.Array(Schema.Struct({ name: Schema.String }))

const noPipeline = ({ owner, repository }: Ref) =>
  new ForgeError({
    operation: "commitOf",
    owner,
    repository,
    reason: "refused",
    retryAt: null,
    message: "the project has no pipeline: a status is written only on the commit of a pipeline"
  })

const tokenStep = (may: "none" | "read" | "write" | null, url: string): Readiness.Step => {
  if (may === "write") {
    return Readiness.step("token", "ok", "It has the scope api, and the role Developer or above.", { isNeeded: true })
  }
  const message =
    may === null
      ? "The server has no token: it writes nothing."
      : `It may ${may === "read" ? "only read" : "not read"} the project.`
  return Readiness.step("token", "missing", message, {
    action:
      "Give the server a project or group token with the scope api and the role Developer (LAZARET_GITLAB_TOKEN).",
    url,
    isNeeded: true
  })
}

/** GitLab shows the events of a webhook to maintainers alone. */
const subscription = (event: string, url: string): Readiness.EventStep => ({
  ...Readiness.step(`event ${event}`, "unverified", "None has arrived yet.", {
    action: "Tick the event in the webhook, or test it there.",
    url
  }),
  event
})
