/** The connection to GitLab itself: what the token may do, and which deliveries have arrived. */
import type { Repository } from "@lazaret/domain"
import { Readiness } from "@lazaret/queue"
import { ForgeError, HostingPlatform, PlatformSetup } from "@lazaret/services"
import { Effect, Redacted, Schema } from "effect"
import type * as GitLabClient from "./GitLabClient.ts"
import * as GitLabGroups from "./GitLabGroups.ts"

type Ref = Repository.RepositoryRef

/** The events of a webhook that are read, as the header of a delivery names them, and the members of a webhook that send them. */
const events = {
  "Merge Request Hook": "merge_requests_events",
  "Pipeline Hook": "pipeline_events",
  "Note Hook": "note_events",
  "Push Hook": "push_events"
} as const

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
      // GitLab shows webhooks to maintainers alone.
      const hooks = client.ask("hooks", ref, { path: "/hooks", query: { per_page: 100 } }, Hooks)
      const own = Effect.map(hooks, ({ body }) => body.filter((each) => each.url.endsWith("/v1/webhooks/gitlab")))
      const shown = token === null ? Effect.succeed([]) : Effect.orElseSucceed(own, () => [])
      return Effect.map(Effect.all([granted, shown]), ([may, webhooks]) => ({
        steps: [tokenStep(may, `${page}/settings/access_tokens`)],
        events: Object.entries(events).map(([event, member]) =>
          subscription(event, webhooks.length === 0 ? null : webhooks.some((each) => each[member]), `${page}/hooks`)
        ),
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

const Hooks = Schema.Array(
  Schema.Struct({
    url: Schema.String,
    merge_requests_events: Schema.Boolean,
    pipeline_events: Schema.Boolean,
    note_events: Schema.Boolean,
    push_events: Schema.Boolean
  })
)

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

/** Whether an event is ticked; null where the token does not show it, or the webhook is one of the group. */
const subscription = (event: string, isSent: boolean | null, url: string): Readiness.EventStep => {
  const action = "Tick the event in the webhook, or test it there."
  const step =
    isSent === false
      ? Readiness.step(`event ${event}`, "missing", "The webhook of the project does not send it.", { action, url })
      : Readiness.step(
          `event ${event}`,
          "unverified",
          isSent === null ? "None has arrived yet." : "GitLab sends it; none has arrived yet.",
          { action, url }
        )
  return { ...step, event }
}
