/** The actions of the hosting platform GitLab: merge requests, commit statuses, notes, reruns. */
import type { Repository } from "@lazaret/domain"
import { Forge, type ForgeError } from "@lazaret/services"
import { Effect, Schema } from "effect"
import * as GitLabClient from "./GitLabClient.ts"
import * as GitLabReruns from "./GitLabReruns.ts"
import * as GitLabSources from "./GitLabSources.ts"
import * as GitLabStatuses from "./GitLabStatuses.ts"

type Client = GitLabClient.GitLabClient
type Ref = Repository.RepositoryRef

/** The actions with a client; `statuses` makes verdicts commit statuses, too. */
export const make = (client: Client, { statuses }: Pick<GitLabClient.Connection, "statuses">) =>
  Forge.of({
    repository: (ref) =>
      Effect.map(client.ask("repository", ref, { path: "" }, Project), ({ body }) => ({
        defaultBranch: body.default_branch ?? "main"
      })),

    pullsAt: (ref, commit) =>
      Effect.flatMap(mergeRequestsAt("pullsAt", client, { ref, commit }), (found) =>
        Effect.forEach(found, (each) =>
          Effect.map(GitLabSources.of(client, ref, each), (source) => ({
            number: each.iid,
            head: commit,
            base: each.target_branch,
            source
          }))
        )
      ),

    openPulls: (ref) =>
      Effect.map(
        client.ask("openPulls", ref, { path: "/merge_requests", query: lastChanged }, MergeRequests),
        ({ body }) =>
          body.flatMap(({ iid, sha, target_branch: base }) =>
            sha === null ? [] : [{ number: iid, head: sha, base, source: null }]
          )
      ),

    publish: (ref, report) => (statuses ? GitLabStatuses.publish(client, ref, report) : Effect.void),

    notes: (ref, pull, marker) => notes(client, ref, { pull, marker }),

    createNote: (ref, pull, body) =>
      client.write("createNote", ref, { method: "POST", path: notesOf(pull), body: { body } }),

    editNote: (ref, pull, { body, id }) =>
      gone(client.write("editNote", ref, { method: "PUT", path: `${notesOf(pull)}/${id}`, body: { body } })),

    removeNote: (ref, pull, id) =>
      gone(client.write("removeNote", ref, { method: "DELETE", path: `${notesOf(pull)}/${id}` })),

    rerunFailedJobs: (ref, commit) =>
      Effect.flatMap(mergeRequestsAt("rerunFailedJobs", client, { ref, commit }), (mergeRequests) =>
        GitLabReruns.ofCommit(client, ref, { commit, mergeRequests })
      )
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

/** The open merge requests with this head. */
const mergeRequestsAt = (
  operation: string,
  client: Client,
  { commit, ref }: { readonly ref: Ref; readonly commit: string }
) =>
  client.ask(operation, ref, { path: `${at(commit)}/merge_requests`, query: opened }, MergeRequests).pipe(
    Effect.map(({ body }) => body.filter(({ sha, state }) => state === "opened" && sha === commit)),
    unless(isUnknownCommit, () => [])
  )

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

/** The head of a merge request from a fork may be unknown to the project. */
const isUnknownCommit = ({ message, status }: ForgeError): boolean =>
  status === 404 && /commit not found/iu.test(message)

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
    .filter(({ author, body, system }) => !system && author?.id === me.id && body.startsWith(marker))
    .map(({ body, id }) => ({ id, body }))
})
