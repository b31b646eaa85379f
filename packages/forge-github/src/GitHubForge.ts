/** The actions of the hosting platform GitHub: pull requests, check runs, comments, reruns. */
import { createHash } from "node:crypto"
import type { Repository } from "@lazaret/domain"
import { type Annotation, type CommitReport, Forge, type OpenPull } from "@lazaret/services"
import { Effect } from "effect"
import type * as GitHubClient from "./GitHubClient.ts"
import type { GitHubCredentials } from "./GitHubCredentials.ts"
import * as GitHubReruns from "./GitHubReruns.ts"

type Client = GitHubClient.GitHubClient
type Ref = Repository.RepositoryRef

/** The actions at a connection: an app publishes check runs, a token commit statuses. */
export const make = ({ credentials }: GitHubClient.Connection, client: Client) =>
  Forge.of({
    repository: (ref) =>
      Effect.map(
        client.ask("repository", ref, (kit, options) =>
          kit.request("GET /repos/{owner}/{repo}", { ...named(ref), ...options })
        ),
        ({ data }) => ({ defaultBranch: data.default_branch })
      ),

    pullsAt: (ref, commit) =>
      Effect.map(
        client.ask("pullsAt", ref, (kit, options) =>
          kit.request("GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls", {
            ...named(ref),
            commit_sha: commit,
            ...options
          })
        ),
        ({ data }) => data.filter(({ head, state }) => state === "open" && head.sha === commit).map(pullOf)
      ),

    openPulls: (ref) =>
      Effect.map(
        client.ask("openPulls", ref, (kit, options) =>
          kit.request("GET /repos/{owner}/{repo}/pulls", {
            ...named(ref),
            state: "open",
            sort: "updated",
            direction: "desc",
            per_page: 100,
            ...options
          })
        ),
        ({ data }) => data.map(pullOf)
      ),

    publish: (ref, report) =>
      credentials._tag === "App"
        ? publishCheck(client, ref, report, credentials.appId)
        : publishStatus(client, ref, report),

    notes: (ref, pull, marker) =>
      Effect.flatMap(authorOf(client, ref, credentials), (isOurs) => notes(client, ref, { pull, marker, isOurs })),

    createNote: (ref, pull, body) =>
      Effect.asVoid(
        client.write("createNote", ref, (kit, options) =>
          kit.request("POST /repos/{owner}/{repo}/issues/{issue_number}/comments", {
            ...named(ref),
            issue_number: pull,
            body,
            ...options
          })
        )
      ),

    editNote: (ref, _, { body, id }) =>
      gone(
        client.write("editNote", ref, (kit, options) =>
          kit.request("PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}", {
            ...named(ref),
            comment_id: id,
            body,
            ...options
          })
        )
      ),

    removeNote: (ref, _, id) =>
      gone(
        client.write("removeNote", ref, (kit, options) =>
          kit.request("DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}", {
            ...named(ref),
            comment_id: id,
            ...options
          })
        )
      ),

    rerunFailedJobs: (ref, commit) => GitHubReruns.ofCommit(client, ref, commit)
  })

const named = ({ owner, repository }: Ref) => ({ owner, repo: repository })

interface PullAnswer {
  readonly number: number
  readonly head: { readonly sha: string; readonly repo: RepositoryAnswer | null }
  readonly base: { readonly ref: string; readonly repo: RepositoryAnswer }
}

interface RepositoryAnswer {
  readonly id: number | bigint
  readonly owner: { readonly login: string }
}

const pullOf = ({ base, head, number }: PullAnswer): OpenPull => ({
  number,
  head: head.sha,
  base: base.ref,
  source: head.repo === null ? null : { owner: head.repo.owner.login, isFork: head.repo.id !== base.repo.id }
})

/** Succeeds when the subject does not exist: that needs no change. */
const gone = <A, R>(effect: Effect.Effect<A, ForgeError, R>): Effect.Effect<void, ForgeError, R> =>
  Effect.catchIf(
    Effect.asVoid(effect),
    ({ status }) => status === 404,
    () => Effect.void
  )

type ForgeError = Effect.Error<ReturnType<Client["write"]>>

// --- check runs --------------------------------------------------------------------------------------------------

/** The most annotations that one request may have. */
const mostAnnotations = 50

/**
 * Publishes a check run.
 *
 * **Details**
 *
 * GitHub adds the annotations of an update to the earlier ones. So a report with other annotations is a new check run, which
 * replaces the earlier one with its name in what people see; `external_id` says which annotations a run has.
 */
const publishCheck = Effect.fnUntraced(function* (client: Client, ref: Ref, report: CommitReport, appId: number) {
  const annotations = report.annotations.slice(0, mostAnnotations).map(annotationOf)
  const drawn = `lazaret:${digest(annotations)}:`
  const externalId = `${drawn}${digest(report)}`
  const { data } = yield* client.ask("publish", ref, (kit, options) =>
    kit.request("GET /repos/{owner}/{repo}/commits/{ref}/check-runs", {
      ...named(ref),
      ref: report.commit,
      check_name: report.name,
      app_id: appId,
      filter: "latest",
      ...options
    })
  )
  const [latest] = data.check_runs
  if (latest?.external_id === externalId) return
  const output = { title: report.title, summary: report.summary }
  const members = { external_id: externalId, ...stateOf(report), ...detailsOf(report) }
  if (latest?.external_id?.startsWith(drawn) === true && !isReopened(latest, report)) {
    yield* client.write("publish", ref, (kit, options) =>
      kit.request("PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}", {
        ...named(ref),
        check_run_id: latest.id,
        ...members,
        output,
        ...options
      })
    )
    return
  }
  yield* client.write("publish", ref, (kit, options) =>
    kit.request("POST /repos/{owner}/{repo}/check-runs", {
      ...named(ref),
      name: report.name,
      head_sha: report.commit,
      ...members,
      output: { ...output, ...(annotations.length === 0 ? {} : { annotations }) },
      ...options
    })
  )
})

/** A completed check run stays completed; for a job that starts later there is a new one. */
const isReopened = ({ status }: { readonly status: string }, { conclusion }: CommitReport): boolean =>
  status === "completed" && conclusion === null

const stateOf = ({ conclusion }: CommitReport) =>
  conclusion === null ? { status: "in_progress" as const } : { status: "completed" as const, conclusion }

const detailsOf = ({ actions, url }: CommitReport) => ({
  ...(url === null ? {} : { details_url: url }),
  actions: actions.map(({ description, id, label }) => ({ identifier: id, label, description }))
})

const annotationOf = ({ level, line, message, path, title }: Annotation) => ({
  path,
  start_line: line,
  end_line: line,
  annotation_level: level,
  title,
  message
})

const digest = (value: unknown): string => createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16)

// --- commit statuses ---------------------------------------------------------------------------------------------

/** The most characters of the description of a commit status. */
const mostCharacters = 140

/** Publishes a commit status, when the latest one with its name says something else. */
const publishStatus = Effect.fnUntraced(function* (client: Client, ref: Ref, report: CommitReport) {
  const { commit, conclusion, name, title, url } = report
  const state = conclusion === null ? "pending" : conclusion === "failure" ? "failure" : "success"
  const description = title.length > mostCharacters ? `${title.slice(0, mostCharacters - 1)}…` : title
  const { data } = yield* client.ask("publish", ref, (kit, options) =>
    kit.request("GET /repos/{owner}/{repo}/commits/{ref}/statuses", {
      ...named(ref),
      ref: commit,
      per_page: 100,
      ...options
    })
  )
  const latest = data.find(({ context }) => context === name)
  if (latest?.state === state && latest.description === description) return
  yield* client.write("publish", ref, (kit, options) =>
    kit.request("POST /repos/{owner}/{repo}/statuses/{sha}", {
      ...named(ref),
      sha: commit,
      context: name,
      state,
      description,
      ...(url === null ? {} : { target_url: url }),
      ...options
    })
  )
})

// --- comments ----------------------------------------------------------------------------------------------------

interface Sought {
  readonly pull: number
  readonly marker: string
  readonly isOurs: (comment: Comment) => boolean
}

interface Comment {
  readonly user: { readonly login: string } | null
  readonly performed_via_github_app?: { readonly id: number | bigint } | null
}

/** Recognises comments of ours, because anybody can write the marker: by its app, or by the owner of the token. */
const authorOf = (client: Client, ref: Ref, credentials: GitHubCredentials) =>
  credentials._tag === "App"
    ? Effect.succeed(({ performed_via_github_app: app }: Comment) => Number(app?.id) === credentials.appId)
    : Effect.map(
        client.ask("notes", ref, (kit, options) => kit.request("GET /user", { ...options })),
        ({ data: { login } }) =>
          ({ user }: Comment) =>
            user?.login === login
      )

const commentsAtOnce = 100

const notes = Effect.fnUntraced(function* (client: Client, ref: Ref, { isOurs, marker, pull }: Sought) {
  const found: Array<{ readonly id: number; readonly body: string }> = []
  for (let page = 1; ; page += 1) {
    const { data } = yield* client.ask("notes", ref, (kit, options) =>
      kit.request("GET /repos/{owner}/{repo}/issues/{issue_number}/comments", {
        ...named(ref),
        issue_number: pull,
        per_page: commentsAtOnce,
        page,
        ...options
      })
    )
    for (const comment of data) {
      const { body = "", id } = comment
      if (body.startsWith(marker) && isOurs(comment)) found.push({ id: Number(id), body })
    }
    if (data.length < commentsAtOnce) return found
  }
})
