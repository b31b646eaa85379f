/** The actions of the hosting platform GitLab: merge requests, commit statuses, notes, reruns. */
import type { Repository } from "@lazaret/domain"
import { type CommitReport, Forge, type ForgeError } from "@lazaret/services"
import { Effect, Schema } from "effect"
import * as GitLabClient from "./GitLabClient.ts"
import * as GitLabSources from "./GitLabSources.ts"

type Client = GitLabClient.GitLabClient
type Ref = Repository.RepositoryRef

/** The actions with a client. */
export const make = (client: Client) =>
  Forge.of({
    repository: (ref) =>
      Effect.map(client.ask("repository", ref, { path: "" }, Project), ({ body }) => ({
        defaultBranch: body.default_branch ?? "main"
      })),

    pullsAt: (ref, commit) =>
      client.ask("pullsAt", ref, { path: `${at(commit)}/merge_requests`, query: opened }, MergeRequests).pipe(
        Effect.flatMap(({ body }) =>
          Effect.forEach(
            body.filter(({ sha, state }) => state === "opened" && sha === commit),
            (each) =>
              Effect.map(GitLabSources.of(client, ref, each), (source) => ({
                number: each.iid,
                head: commit,
                base: each.target_branch,
                source
              }))
          )
        ),
        unless(isUnknownCommit, () => [])
      ),

    openPulls: (ref) =>
      Effect.map(
        client.ask("openPulls", ref, { path: "/merge_requests", query: lastChanged }, MergeRequests),
        ({ body }) =>
          body.flatMap(({ iid, sha, target_branch: base }) =>
            sha === null ? [] : [{ number: iid, head: sha, base, source: null }]
          )
      ),

    publish: (ref, report) => unless(isUnknownCommit, () => undefined)(publish(client, ref, report)),

    notes: (ref, pull, marker) => notes(client, ref, { pull, marker }),

    createNote: (ref, pull, body) =>
      client.tell("createNote", ref, { method: "POST", path: notesOf(pull), body: { body } }),

    editNote: (ref, pull, { body, id }) =>
      gone(client.tell("editNote", ref, { method: "PUT", path: `${notesOf(pull)}/${id}`, body: { body } })),

    removeNote: (ref, pull, id) =>
      gone(client.tell("removeNote", ref, { method: "DELETE", path: `${notesOf(pull)}/${id}` })),

    rerunFailedJobs: (ref, commit) => rerunFailedJobs(client, ref, commit)
  })

const Project = Schema.Struct({ default_branch: Schema.optionalKey(Schema.NullOr(Schema.String)) })

const MergeRequests = Schema.Array(
  Schema.Struct({
    iid: Schema.Int,
    sha: Schema.NullOr(Schema.String),
    state: Schema.String,
    target_branch: Schema.String,
    ...GitLabSources.fields
  })
)

const opened = { state: "opened", per_page: 100 }

const lastChanged = { ...opened, order_by: "updated_at", sort: "desc" }

const at = (commit: string): string => `/repository/commits/${encodeURIComponent(commit)}`

const notesOf = (pull: number): string => `/merge_requests/${pull}/notes`

const unless =
  <B>(isMeant: (error: ForgeError) => boolean, instead: () => B) =>
  <A>(effect: Effect.Effect<A, ForgeError>): Effect.Effect<A | B, ForgeError> =>
    Effect.catchIf(effect, isMeant, () => Effect.sync(instead))

/** A note that does not exist needs no change. */
const gone = (effect: Effect.Effect<void, ForgeError>): Effect.Effect<void, ForgeError> =>
  unless(
    ({ reason, status }) => reason === "refused" && status === 404,
    () => undefined
  )(effect)

/** The head of a merge request from a fork lies on no branch of the project, and has no statuses there. */
const isUnknownCommit = ({ message, status }: ForgeError): boolean =>
  status === 404 && /commit not found/iu.test(message)

// --- commit statuses ---------------------------------------------------------------------------------------------

/** The most characters of the description of a commit status, and of its address. */
const mostCharacters = 255

const Statuses = Schema.Array(
  Schema.Struct({
    id: Schema.Int,
    name: Schema.String,
    status: Schema.String,
    description: Schema.NullOr(Schema.String)
  })
)

/**
 * Publishes a commit status, when the latest one with its name says something else.
 *
 * **Details**
 *
 * A status is a job of the pipeline of its commit, and a running one keeps the pipeline running: merges that wait for it
 * would wait for jobs that never report. So a report without a conclusion publishes nothing. Each conclusion is a new
 * status, which replaces the earlier one with its name.
 */
const publish = Effect.fnUntraced(function* (client: Client, ref: Ref, report: CommitReport) {
  const { commit, conclusion, name, title, url } = report
  if (conclusion === null) return
  const state = conclusion === "failure" ? "failed" : "success"
  const characters = Array.from(title)
  const description =
    characters.length > mostCharacters ? `${characters.slice(0, mostCharacters - 1).join("")}…` : title
  const query = { name, per_page: 100 }
  const { body } = yield* client.ask("publish", ref, { path: `${at(commit)}/statuses`, query }, Statuses)
  const latest = body.filter((each) => each.name === name).reduce<Status | null>(newer, null)
  if (latest?.status === state && latest.description === description) return
  const address = url === null || url.length > mostCharacters ? {} : { target_url: url }
  yield* client.tell("publish", ref, {
    method: "POST",
    path: `/statuses/${encodeURIComponent(commit)}`,
    body: { name, state, description, ...address }
  })
})

type Status = (typeof Statuses.Type)[number]

const newer = (a: Status | null, b: Status): Status => (a === null || b.id > a.id ? b : a)

// --- notes -------------------------------------------------------------------------------------------------------

const Notes = Schema.Array(
  Schema.Struct({
    id: Schema.Int,
    body: Schema.String,
    system: Schema.Boolean,
    author: Schema.NullOr(Schema.Struct({ id: Schema.Int }))
  })
)

/** Our notes, oldest first; anybody can write the marker, so the account of the token tells them apart. */
const notes = Effect.fnUntraced(function* (
  client: Client,
  ref: Ref,
  { marker, pull }: { readonly pull: number; readonly marker: string }
) {
  const me = yield* client.me("notes", ref)
  const query = { sort: "asc", order_by: "created_at", activity_filter: "only_comments", per_page: 100 }
  const all = yield* GitLabClient.pages((page) =>
    client.ask("notes", ref, { path: notesOf(pull), query: { ...query, page } }, Notes)
  )
  return all
    .filter(({ author, body, system }) => !system && author?.id === me && body.startsWith(marker))
    .map(({ body, id }) => ({ id, body }))
})

// --- reruns ------------------------------------------------------------------------------------------------------

const Pipelines = Schema.Array(Schema.Struct({ id: Schema.Int }))

const rerunFailedJobs = Effect.fnUntraced(function* (client: Client, ref: Ref, commit: string) {
  const query = { sha: commit, status: "failed", per_page: 100 }
  const { body } = yield* client.ask("rerunFailedJobs", ref, { path: "/pipelines", query }, Pipelines)
  yield* Effect.forEach(
    body,
    ({ id }) => client.tell("rerunFailedJobs", ref, { method: "POST", path: `/pipelines/${id}/retry` }),
    { discard: true }
  )
  return body.length
})
