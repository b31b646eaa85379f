/** The connection to GitHub itself: what the app was granted, which events it gets, and where its owner changes that. */
import type { Repository } from "@lazaret/domain"
import { Readiness } from "@lazaret/queue"
import { type ForgeError, PlatformSetup } from "@lazaret/services"
import { RequestError } from "@octokit/request-error"
import { Effect, Schema } from "effect"
import * as GitHubAppRequest from "./GitHubAppRequest.ts"
import * as GitHubChecks from "./GitHubChecks.ts"
import type * as GitHubClient from "./GitHubClient.ts"
import * as GitHubManifest from "./GitHubManifest.ts"

type Client = GitHubClient.GitHubClient
type Ref = Repository.RepositoryRef
type Access = "read" | "write"

/** A permission, and what it is for. `isNeeded`: a gate does not work without it. */
interface Need {
  readonly permission: string
  readonly access: Access
  readonly purpose: string
  readonly isNeeded: boolean
}

/**
 * The permissions by operation, as GitHub publishes them (docs.github.com, "Permissions required for GitHub Apps").
 *
 * **Details**
 *
 * GitHub publishes none for `enqueuePullRequest` and `dequeuePullRequest`. People who queue pull requests with an app report
 * "Resource not accessible by integration" without Contents: write, and that it works with it
 * (github.com/cli/cli/issues/8352, github.com/github/gh-stack/issues/497).
 */
const needs: ReadonlyArray<Need> = [
  { permission: "metadata", access: "read", purpose: "reads the repository", isNeeded: true },
  { permission: "checks", access: "write", purpose: "writes the checks of reports and of the queue", isNeeded: true },
  { permission: "statuses", access: "read", purpose: "reads required checks that are statuses", isNeeded: true },
  { permission: "pull_requests", access: "write", purpose: "reads pull requests, writes comments", isNeeded: true },
  { permission: "actions", access: "write", purpose: "runs failed jobs again, cancels runs", isNeeded: true },
  { permission: "merge_queues", access: "read", purpose: "reads the merge queue, gets its event", isNeeded: true },
  {
    permission: "contents",
    access: "read",
    purpose: "reads CODEOWNERS, queue.yml and the base branch",
    isNeeded: true
  },
  { permission: "contents", access: "write", purpose: "queues pull requests again, takes them out", isNeeded: true },
  {
    permission: "workflows",
    access: "write",
    purpose: "pushes queue branches that hold changed workflows, if the queue is driven",
    isNeeded: false
  },
  { permission: "issues", access: "write", purpose: "writes the issues of tests, if they are on", isNeeded: false }
]

/** The setup at a connection. */
export const make = ({ apiUrl, credentials }: GitHubClient.Connection, client: Client) =>
  PlatformSetup.of({
    platform: Effect.succeed("github"),
    read: (ref) =>
      credentials._tag === "App"
        ? ofApp(apiUrl, credentials, ref)
        : Effect.succeed({ ...Readiness.noSetup, steps: [noApp], pages: pagesOf(apiUrl, ref, null) }),
    forget: client.forget,
    commitOf: (ref) =>
      Effect.map(
        Effect.flatMap(repository(client, ref), (branch) => tip(client, ref, branch)),
        ({ data }) => data.commit.sha
      ),
    isShown: (ref, commit, name) =>
      Effect.map(GitHubChecks.ofCommit(client, ref, commit), (checks) => checks.some((check) => check.name === name))
  })

const repository = (client: Client, { owner, repository: repo }: Ref): Effect.Effect<string, ForgeError> =>
  Effect.map(
    client.ask("repository", { owner, repository: repo }, (kit, options) =>
      kit.request("GET /repos/{owner}/{repo}", { owner, repo, ...options })
    ),
    ({ data }) => data.default_branch
  )

const tip = (client: Client, ref: Ref, branch: string) =>
  client.ask("tip", ref, (kit, options) =>
    kit.request("GET /repos/{owner}/{repo}/branches/{branch}", {
      owner: ref.owner,
      repo: ref.repository,
      branch,
      ...options
    })
  )

// --- the app -----------------------------------------------------------------------------------------------------

const Registered = Schema.Struct({
  slug: Schema.optionalKey(Schema.String),
  owner: Schema.optionalKey(
    Schema.NullOr(Schema.Struct({ login: Schema.optionalKey(Schema.String), type: Schema.optionalKey(Schema.String) }))
  ),
  permissions: Schema.Record(Schema.String, Schema.UndefinedOr(Schema.String)),
  events: Schema.Array(Schema.String)
})

const Installed = Schema.Struct({
  id: Schema.Int,
  html_url: Schema.optionalKey(Schema.String),
  suspended_at: Schema.optionalKey(Schema.NullOr(Schema.String)),
  permissions: Schema.Record(Schema.String, Schema.UndefinedOr(Schema.String)),
  events: Schema.Array(Schema.String)
})

/** The decoded answer; without one, the status of the failed request, null where GitHub did not answer or not as expected. */
type Answer<A> = { readonly found: A } | { readonly status: number | null }

const asked = <A>(
  apiUrl: string,
  app: GitHubAppRequest.App,
  schema: Schema.Codec<A, unknown>,
  send: Parameters<typeof GitHubAppRequest.send<{ readonly data: unknown }>>[2]
): Effect.Effect<Answer<A>> =>
  Effect.tryPromise(() => GitHubAppRequest.send(apiUrl, app, send)).pipe(
    Effect.timeout("10 seconds"),
    Effect.flatMap(({ data }) => Effect.map(Schema.decodeUnknownEffect(schema)(data), (found) => ({ found }))),
    Effect.catch(({ cause }) => Effect.succeed({ status: cause instanceof RequestError ? cause.status : null }))
  )

const ofApp = Effect.fnUntraced(function* (apiUrl: string, app: GitHubAppRequest.App, ref: Ref) {
  const registered = yield* asked(apiUrl, app, Registered, (octokit, headers) =>
    octokit.request("GET /app", { headers })
  )
  if (!("found" in registered)) {
    const steps = [unconfirmed(registered.status, app.appId)]
    return { ...Readiness.noSetup, steps, pages: pagesOf(apiUrl, ref, null) }
  }
  const pages = pagesOf(apiUrl, ref, registered.found)
  const installed = yield* asked(apiUrl, app, Installed, (octokit, headers) =>
    octokit.request("GET /repos/{owner}/{repo}/installation", { owner: ref.owner, repo: ref.repository, headers })
  )
  if (!("found" in installed)) return { ...Readiness.noSetup, steps: [notInstalled(installed.status, pages)], pages }
  const asks = { registered: registered.found, installed: installed.found, pages }
  return {
    steps: [installation(installed.found), ...needs.map((need) => permission(need, asks))],
    events: GitHubManifest.events.map((event) => subscription(event, asks)),
    pages
  }
})

interface Asked {
  readonly registered: typeof Registered.Type
  readonly installed: typeof Installed.Type
  readonly pages: Pages
}

interface Pages extends Readonly<Record<"deliveries" | "rules" | "permissions" | "install", string | null>> {}

/** The pages of an app are those of its owner: a person or an organisation. */
const pagesOf = (apiUrl: string, { owner, repository: name }: Ref, app: typeof Registered.Type | null): Pages => {
  const web = GitHubManifest.webUrlOf(apiUrl)
  const rules = `${web}/${owner}/${name}/settings/rules`
  if (app?.slug === undefined) return { deliveries: null, rules, permissions: null, install: null }
  const of = app.owner?.type === "Organization" ? `/organizations/${app.owner.login ?? owner}` : ""
  const settings = `${web}${of}/settings/apps/${app.slug}`
  return {
    deliveries: `${settings}/advanced`,
    rules,
    permissions: `${settings}/permissions`,
    install: `${web}/apps/${app.slug}/installations/new`
  }
}

const noApp = Readiness.step(
  "app",
  "missing",
  "The server has a token and no app: it writes statuses without buttons.",
  { action: "Create the app on the page Administration of the dashboard.", isNeeded: true }
)

const unconfirmed = (status: number | null, appId: number): Readiness.Step =>
  status === null
    ? Readiness.step("app", "unverified", "GitHub does not answer.", { isNeeded: true })
    : Readiness.step("app", "missing", `GitHub does not confirm the app ${appId} (${status}).`, {
        action: "The app was deleted, or its private key is another one: connect the server again.",
        isNeeded: true
      })

const notInstalled = (status: number | null, { install }: Pages): Readiness.Step =>
  status === 404
    ? Readiness.step("app", "missing", "The app is not installed for the repository.", {
        action: "Install it.",
        url: install,
        isNeeded: true
      })
    : Readiness.step(
        "app",
        "unverified",
        `GitHub does not say whether the app is installed (${status ?? "no answer"}).`,
        {
          isNeeded: true
        }
      )

const installation = ({ html_url: url, suspended_at: at = null }: typeof Installed.Type): Readiness.Step =>
  at === null
    ? Readiness.step("app", "ok", "The app is installed for the repository.", { isNeeded: true })
    : Readiness.step("app", "missing", `The installation was suspended at ${at}.`, {
        action: "Unsuspend it.",
        url: url ?? null,
        isNeeded: true
      })

const reaches = (granted: string | undefined, access: Access): boolean =>
  granted === "admin" || granted === "write" || (access === "read" && granted === "read")

const permission = ({ access, isNeeded, permission: name, purpose }: Need, asks: Asked): Readiness.Step => {
  const { installed, pages, registered } = asks
  const subject = `permission ${name}: ${access}`
  if (reaches(installed.permissions[name], access)) return Readiness.step(subject, "ok", `It ${purpose}.`, { isNeeded })
  // An owner who changes an app asks each installation, whose owner has to accept.
  const isAsked = reaches(registered.permissions[name], access)
  return Readiness.step(subject, "missing", `Without it the app cannot do what it is for: it ${purpose}.`, {
    action: isAsked
      ? "Accept the new permissions of the app."
      : "Grant it to the app, then accept it for the installation.",
    url: isAsked ? (installed.html_url ?? null) : pages.permissions,
    isNeeded
  })
}

const subscription = (event: string, { installed, pages }: Asked): Readiness.EventStep => {
  const isSent = installed.events.includes(event)
  const said = isSent
    ? Readiness.step(`event ${event}`, "unverified", "GitHub sends it; none has arrived yet.")
    : Readiness.step(`event ${event}`, "missing", "The app is not subscribed to it.", {
        action: "Subscribe the app to it.",
        url: pages.permissions
      })
  return { ...said, event }
}
