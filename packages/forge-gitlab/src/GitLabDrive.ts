/**
 * The commits and branches of a driven merge queue at GitLab.
 *
 * **Details**
 *
 * Batches are built by the platform, without a clone; see `GitLabBuild`. A batch is published by one new branch, so that CI starts
 * once. A push over git's protocol moves the base branch by compare-and-set, which GitLab's interface cannot.
 */
import type { Repository } from "@lazaret/domain"
import { DriveForge, type Landed, type Merge } from "@lazaret/services"
import { Effect, Option } from "effect"
import * as GitLabBuild from "./GitLabBuild.ts"
import * as GitLabClient from "./GitLabClient.ts"
import * as GitLabCommits from "./GitLabCommits.ts"
import * as GitLabPulls from "./GitLabPulls.ts"
import * as GitLabRuns from "./GitLabRuns.ts"

type Client = GitLabClient.GitLabClient
type Ref = Repository.RepositoryRef

/** The port at a connection. */
export const make = ({ url }: Pick<GitLabClient.Connection, "url">, client: Client): DriveForge["Service"] =>
  DriveForge.of({
    host: Effect.succeed(new URL(url).host),

    describe: (ref, number) => GitLabCommits.describe(client, ref, number),

    build: (ref, asked) => GitLabBuild.build(client, ref, asked),

    publish: Effect.fnUntraced(function* (ref, { name, sha }) {
      const present = yield* GitLabCommits.branch(client, ref, name)
      if (present !== null) return present === sha
      yield* GitLabCommits.createBranch(client, ref, name, sha)
      return true
    }),

    branches: (ref, prefix) => GitLabCommits.branches(client, ref, prefix),

    discard: Effect.fnUntraced(function* (ref, branch) {
      yield* GitLabRuns.cancel(client, ref, { ref: branch })
      yield* GitLabCommits.removeBranch(client, ref, branch)
    }),

    land: (ref, move) => land(client, ref, move),

    merge: (ref, asked) => merge(client, ref, asked),

    close: Effect.fnUntraced(function* (ref, number) {
      const pull = yield* GitLabPulls.read(client, ref, number)
      if (Option.isNone(pull) || pull.value.state !== "opened") return
      yield* client.write("close", ref, {
        method: "PUT",
        path: GitLabPulls.pathOf(number),
        body: { state_event: "close" }
      })
    })
  })

const landedAt = (client: Client, ref: Ref, sha: string) =>
  Effect.map(GitLabCommits.tree(client, ref, sha), (tree): Landed =>
    Option.isNone(tree)
      ? { kind: "refused", detail: `the commit ${sha} does not exist` }
      : { kind: "landed", sha, tree: tree.value }
  )

// --- by compare-and-set --------------------------------------------------------------------------------------------

interface Move {
  readonly branch: string
  readonly from: string
  readonly to: string
}

const land = Effect.fnUntraced(function* (client: Client, ref: Ref, { branch, from, to }: Move) {
  const before = yield* GitLabCommits.branch(client, ref, branch)
  if (before !== null && (yield* GitLabCommits.contains(client, ref, before, to))) {
    return yield* landedAt(client, ref, to)
  }
  if (before !== from) return { kind: "moved", what: "base" } as const
  // The protocol would drop commits of a branch that is not protected.
  if (!(yield* GitLabCommits.contains(client, ref, to, from))) {
    return { kind: "refused", detail: `${to} does not descend from ${from}` } as const
  }
  const { refusal, words } = yield* client.push("land", ref, {
    change: { branch, from, to },
    commits: [],
    isQuiet: false
  })
  if (refusal === null) return yield* landedAt(client, ref, to)
  // A refusal is not believed at once: somebody may have pushed in between.
  const after = yield* GitLabCommits.branch(client, ref, branch)
  return after === from
    ? ({ kind: "refused", detail: words === "" ? refusal : words } as const)
    : ({ kind: "moved", what: "base" } as const)
})

// --- one by one ----------------------------------------------------------------------------------------------------

/**
 * Merges a merge request at its head.
 *
 * **Details**
 *
 * - The history of the project decides whether there is a merge commit (setting "Merge method"); a request can only ask to squash.
 * - 409 is another head, or another merge at work. GitLab refuses with 405, 406 or 422 for many reasons, also while it still computes
 *   whether a merge is possible. So a refusal is read again: it counts when GitLab has a reason that lasts.
 */
const merge = Effect.fnUntraced(function* (client: Client, ref: Ref, asked: Merge) {
  const { head, message, method, number } = asked
  const before = yield* GitLabPulls.read(client, ref, number)
  const known = yield* outcomeOf(client, ref, asked, Option.getOrNull(before))
  if (known !== null) return known
  if (method === "rebase") {
    return {
      kind: "refused",
      detail: "GitLab merges by the merge method of the project: set merge_method to merge"
    } as const
  }
  const text = message === null ? null : message.body === "" ? message.title : `${message.title}\n\n${message.body}`
  const isSquash = method === "squash"
  const merged = yield* Effect.result(
    client.send(
      "merge",
      ref,
      {
        method: "PUT",
        path: `${GitLabPulls.pathOf(number)}/merge`,
        body: {
          sha: head,
          squash: isSquash,
          ...(text === null ? {} : { [isSquash ? "squash_commit_message" : "merge_commit_message"]: text })
        }
      },
      GitLabPulls.MergeRequest
    )
  )
  if (merged._tag === "Success") {
    const sha = GitLabPulls.landedSha(merged.success)
    return sha === null
      ? yield* undecided(ref, "GitLab has accepted the merge, and not merged yet")
      : yield* landedAt(client, ref, sha)
  }
  const { failure } = merged
  if (failure.status === 409 && /sha/iu.test(failure.message)) return { kind: "moved", what: "head" } as const
  if (!GitLabCommits.hasStatus(400, 403, 405, 406, 422)(failure)) return yield* failure
  const pull = Option.getOrNull(yield* GitLabPulls.read(client, ref, number))
  const after = yield* outcomeOf(client, ref, asked, pull)
  if (after !== null) return after
  if (pull !== null && GitLabPulls.isChecking(pull)) {
    return yield* undecided(ref, "GitLab still checks whether the merge request can be merged")
  }
  const { detailed_merge_status: status = "" } = pull ?? {}
  return { kind: "refused", detail: status === "" ? failure.message : `${failure.message} (${status})` } as const
})

/** The outcome that follows from a merge request by itself; null for one that is open at the head. */
const outcomeOf = Effect.fnUntraced(function* (
  client: Client,
  ref: Ref,
  { head, number }: Merge,
  pull: GitLabPulls.MergeRequest | null
) {
  if (pull === null) return { kind: "refused", detail: `!${number} does not exist` } as const
  if (pull.sha !== head) return { kind: "moved", what: "head" } as const
  const sha = GitLabPulls.landedSha(pull)
  return sha === null ? null : yield* landedAt(client, ref, sha)
})

const undecided = (ref: Ref, message: string) =>
  GitLabClient.forgeError("merge", ref, { reason: "unavailable", message })
