/** Pipelines of commits, as a merge queue reads, repeats and cancels them. */
import type { Repository } from "@lazaret/domain"
import { Effect, Schema } from "effect"
import * as GitLabClient from "./GitLabClient.ts"
import * as GitLabCommits from "./GitLabCommits.ts"

type Client = GitLabClient.GitLabClient
type Ref = Repository.RepositoryRef

const Pipelines = Schema.Array(
  Schema.Struct({
    id: Schema.Int,
    ref: Schema.String,
    source: Schema.String,
    status: Schema.String,
    web_url: Schema.String
  })
)

/** A pipeline of a commit. */
export type Pipeline = (typeof Pipelines.Type)[number]

/** The pipelines of a commit, or of a branch, the newest first. */
export const of = (client: Client, ref: Ref, query: { readonly sha: string } | { readonly ref: string }) =>
  GitLabClient.pages((page) =>
    client.ask(
      "pipelines",
      ref,
      { path: "/pipelines", query: { ...query, order_by: "id", sort: "desc", per_page: 100, page } },
      Pipelines
    )
  )

/** The states of a pipeline or a job that has ended. One that waits for a person (`manual`) has not. */
const ended: ReadonlySet<string> = new Set(["success", "failed", "canceled", "skipped"])

/** Whether a pipeline or a job has not ended. */
export const isActive = ({ status }: { readonly status: string }): boolean => !ended.has(status)

/** Cancels what has not ended; a pipeline that ends in the meantime needs nothing. Yields the pipelines of the query. */
export const cancel = Effect.fnUntraced(function* (
  client: Client,
  ref: Ref,
  query: { readonly sha: string } | { readonly ref: string },
  isMeant: (pipeline: Pipeline) => boolean = () => true
) {
  const meant = (yield* of(client, ref, query)).filter(isMeant)
  yield* Effect.forEach(
    meant.filter((each) => isActive(each) && each.status !== "canceling"),
    ({ id }) => GitLabCommits.orNone(client.write("cancel", ref, { method: "POST", path: `/pipelines/${id}/cancel` })),
    { discard: true }
  )
  return meant
})

/** Runs the failed jobs of a pipeline again. */
export const retry = (client: Client, ref: Ref, { id }: Pick<Pipeline, "id">) =>
  client.write("rerun", ref, { method: "POST", path: `/pipelines/${id}/retry` })
