/** Merge requests, as a merge queue reads them. */
import type { Repository } from "@lazaret/domain"
import type { PullSnapshot } from "@lazaret/services"
import { Effect, Option, Schema } from "effect"
import type * as GitLabClient from "./GitLabClient.ts"
import * as GitLabCommits from "./GitLabCommits.ts"

type Client = GitLabClient.GitLabClient
type Ref = Repository.RepositoryRef

const Sha = Schema.NullOr(Schema.String)

/** A merge request with the fields that are read. */
export const MergeRequest = Schema.Struct({
  iid: Schema.Int,
  state: Schema.String,
  draft: Schema.optionalKey(Schema.Boolean),
  labels: Schema.optionalKey(Schema.Array(Schema.String)),
  sha: Sha,
  target_branch: Schema.String,
  merge_commit_sha: Sha,
  squash_commit_sha: Sha,
  detailed_merge_status: Schema.optionalKey(Schema.String)
})

/** A merge request with the fields that are read. */
export type MergeRequest = typeof MergeRequest.Type

/** The path of a merge request. */
export const pathOf = (number: number): string => `/merge_requests/${number}`

/** The merge request with a number; none when no merge request has it. */
export const read = (client: Client, ref: Ref, number: number) =>
  Effect.map(
    GitLabCommits.orNone(client.ask("pull", ref, { path: pathOf(number) }, MergeRequest)),
    Option.map(({ body }) => body)
  )

/**
 * Whether GitLab still computes if a merge request can be merged.
 *
 * **Details**
 *
 * It computes that in a job of its own after each push, and refuses merges until then.
 */
export const isChecking = ({ detailed_merge_status: status = "" }: MergeRequest): boolean => checking.has(status)

const checking: ReadonlySet<string> = new Set(["unchecked", "checking", "preparing", "approvals_syncing"])

/** The reasons for which reviews keep a merge request from being merged. */
const unapproved: ReadonlySet<string> = new Set(["not_approved", "requested_changes"])

/** The commit on the target branch that holds a merged merge request. */
export const landedSha = (pull: MergeRequest): string | null =>
  pull.state === "merged" ? (pull.merge_commit_sha ?? pull.squash_commit_sha ?? pull.sha) : null

/** A merge request, as a merge queue sees it. */
export const snapshotOf = (client: Client, ref: Ref, pull: MergeRequest) => {
  const landed = landedSha(pull)
  const tree = landed === null ? Effect.succeedNone : GitLabCommits.tree(client, ref, landed)
  return Effect.map(tree, (found): PullSnapshot => {
    const { detailed_merge_status: status = "" } = pull
    return {
      number: pull.iid,
      // A merge request is locked while it is being merged.
      state: pull.state === "merged" || pull.state === "closed" ? pull.state : "open",
      draft: pull.draft === true,
      labels: pull.labels ?? [],
      head: pull.sha ?? "unknown",
      base: pull.target_branch,
      mergeable: isChecking(pull) ? null : status !== "conflict" && status !== "broken_status",
      approved: !unapproved.has(status),
      landed: landed === null || Option.isNone(found) ? null : { sha: landed, tree: found.value },
      removal: null
    }
  })
}
