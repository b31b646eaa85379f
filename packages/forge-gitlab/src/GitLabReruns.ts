/** Runs the failed jobs of pipelines again. */
import type { Repository } from "@lazaret/domain"
import { ForgeError } from "@lazaret/services"
import { Effect, Schema } from "effect"
import type * as GitLabClient from "./GitLabClient.ts"
import * as GitLabPipelines from "./GitLabPipelines.ts"

type Client = GitLabClient.GitLabClient
type Ref = Repository.RepositoryRef

const Pipelines = Schema.Array(
  Schema.Struct({
    id: Schema.Int,
    project_id: Schema.Int,
    sha: Schema.String,
    ref: Schema.String,
    status: Schema.String
  })
)

type Pipeline = (typeof Pipelines.Type)[number]

/** A merge request, as far as its pipelines need it. */
export interface MergeRequest {
  readonly iid: number
  readonly target_project_id: number
}

/**
 * Runs the failed jobs of a commit again; yields in how many pipelines.
 *
 * **Details**
 *
 * The pipelines are those of exactly this commit, and the newest ones of its merge requests, whose merged results and trains have the
 * commit of a merge. A pipeline that runs in a fork is not ours to run.
 */
export const ofCommit = Effect.fnUntraced(function* (
  client: Client,
  ref: Ref,
  { commit, mergeRequests }: { readonly commit: string; readonly mergeRequests: ReadonlyArray<MergeRequest> }
) {
  const query = { sha: commit, status: "failed", per_page: 100 }
  const { body } = yield* client.ask("rerunFailedJobs", ref, { path: "/pipelines", query }, Pipelines)
  const merged = yield* Effect.forEach(mergeRequests, (each) => failedOf(client, ref, { commit, mergeRequest: each }))
  const ids = new Set([...body, ...merged.flat()].map(({ id }) => id))
  yield* Effect.forEach(ids, (id) => retry(client, ref, id), { discard: true })
  if (ids.size === 0) yield* Effect.logInfo(`No failed pipeline of ${commit} was found, so none runs again`)
  return ids.size
})

const retry = (client: Client, ref: Ref, id: number) =>
  client
    .write("rerunFailedJobs", ref, { method: "POST", path: `/pipelines/${id}/retry` })
    .pipe(Effect.mapError((error) => (error.status === 403 ? refused(error, id) : error)))

const refused = (error: ForgeError, id: number): ForgeError =>
  new ForgeError({
    ...error,
    message: `${error.message}: the token may not run pipeline ${id} again; a protected ref needs the role Maintainer`
  })

/** The failed pipelines of a merge request that test a head: the newest one of each of its refs. */
const failedOf = Effect.fnUntraced(function* (
  client: Client,
  ref: Ref,
  { commit, mergeRequest }: { readonly commit: string; readonly mergeRequest: MergeRequest }
) {
  const { iid, target_project_id: project } = mergeRequest
  const path = `/merge_requests/${iid}/pipelines`
  const { body } = yield* client.ask("rerunFailedJobs", ref, { path, query: { per_page: 100 } }, Pipelines)
  const own = body.filter((each) => each.project_id === project && each.ref.startsWith(`refs/merge-requests/${iid}/`))
  const newest = own.filter(({ id, ref: of }) => !own.some((each) => each.ref === of && each.id > id))
  return yield* Effect.filter(
    newest.filter(({ status }) => status === "failed"),
    (each) => Effect.map(headOf(client, ref, each), (head) => head === commit)
  )
})

const headOf = (client: Client, ref: Ref, pipeline: Pipeline) =>
  pipeline.ref.endsWith("/head") ? Effect.succeed(pipeline.sha) : GitLabPipelines.headOf(client, ref, pipeline.sha)
