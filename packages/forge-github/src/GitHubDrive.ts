/**
 * The commits and branches of a driven merge queue at GitHub.
 *
 * **Details**
 *
 * Batches are built by the platform, without a clone: `POST /merges` onto a branch of its own, which is removed again. What is built
 * is published by one new branch, so that CI starts once. `updateRefs` moves the base branch by compare-and-set.
 */
import type { Repository } from "@lazaret/domain"
import { type Build, type Built, DriveForge, type ForgeError, type Landed, type QueueForge } from "@lazaret/services"
import { Effect, Option, Schema } from "effect"
import type * as GitHubClient from "./GitHubClient.ts"
import * as GitHubCommits from "./GitHubCommits.ts"
import type { Asking } from "./GitHubGraphQl.ts"

type Client = GitHubClient.GitHubClient
type Ref = Repository.RepositoryRef

/** The port at a connection. `queue` cancels runs, and reads pull requests. */
export const make = (
  { apiUrl }: Pick<GitHubClient.Connection, "apiUrl">,
  client: Client,
  { mutate, query, queue }: Asking & { readonly queue: QueueForge["Service"] }
): DriveForge["Service"] => {
  const moveRef = Effect.fnUntraced(function* (ref: Ref, { branch, from, to }: Move) {
    const { repository } = yield* query("updateRefs", ref, { text: idText, variables: {}, answer: IdAnswer })
    const refUpdates = [{ name: `refs/heads/${branch}`, beforeOid: from, afterOid: to }]
    yield* mutate("updateRefs", ref, updateText, { repository: repository?.id ?? "", refUpdates })
  })

  const landedAt = (ref: Ref, sha: string) =>
    Effect.map(GitHubCommits.read(client, ref, sha), (made): Landed =>
      Option.isNone(made)
        ? { kind: "refused", detail: `the commit ${sha} does not exist` }
        : { kind: "landed", sha, tree: made.value.tree }
    )

  return DriveForge.of({
    host: Effect.succeed(hostOf(apiUrl)),

    describe: (ref, number) => GitHubCommits.describe(client, ref, number),

    build: (ref, asked) => build(client, ref, asked),

    publish: Effect.fnUntraced(function* (ref, { name, sha }) {
      const present = yield* GitHubCommits.branch(client, ref, name)
      if (present !== null) return present === sha
      yield* GitHubCommits.createBranch(client, ref, name, sha)
      return true
    }),

    branches: (ref, prefix) => GitHubCommits.branches(client, ref, prefix),

    discard: Effect.fnUntraced(function* (ref, branch) {
      const sha = yield* GitHubCommits.branch(client, ref, branch)
      if (sha === null) return
      yield* queue.cancel(ref, sha)
      yield* GitHubCommits.removeBranch(client, ref, branch)
    }),

    land: Effect.fnUntraced(function* (ref, move) {
      const before = yield* GitHubCommits.branch(client, ref, move.branch)
      if (before === move.to || (before !== null && (yield* GitHubCommits.contains(client, ref, before, move.to)))) {
        return yield* landedAt(ref, move.to)
      }
      if (before !== move.from) return { kind: "moved", what: "base" } as const
      const refused = yield* refusalOf(moveRef(ref, move))
      if (refused === null) return yield* landedAt(ref, move.to)
      // Read the branch again after a refusal: somebody may have pushed in between.
      const after = yield* GitHubCommits.branch(client, ref, move.branch)
      return after === move.from
        ? ({ kind: "refused", detail: refused } as const)
        : ({ kind: "moved", what: "base" } as const)
    }),

    merge: Effect.fnUntraced(function* (ref, { head, message, method, number }) {
      const pull = yield* queue.pull(ref, number)
      if (Option.isNone(pull)) return { kind: "refused", detail: `#${number} does not exist` } as const
      if (pull.value.head !== head) return { kind: "moved", what: "head" } as const
      const { landed } = pull.value
      if (landed !== null) return { kind: "landed", ...landed } as const
      const merged = yield* Effect.result(
        client.write("merge", ref, (kit, options) =>
          kit.request("PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge", {
            ...GitHubCommits.at(ref),
            pull_number: number,
            sha: head,
            merge_method: method,
            ...(message === null ? {} : { commit_title: message.title, commit_message: message.body }),
            ...options
          })
        )
      )
      if (merged._tag === "Success") return yield* landedAt(ref, merged.success.data.sha)
      const { message: detail, status } = merged.failure
      if (status === 409) return { kind: "moved", what: "head" } as const
      return status === 405 ? ({ kind: "refused", detail } as const) : yield* merged.failure
    }),

    close: (ref, number) =>
      Effect.asVoid(
        client.write("close", ref, (kit, options) =>
          kit.request("PATCH /repos/{owner}/{repo}/pulls/{pull_number}", {
            ...GitHubCommits.at(ref),
            pull_number: number,
            state: "closed",
            ...options
          })
        )
      )
  })
}

interface Move {
  readonly branch: string
  readonly from: string
  readonly to: string
}

/** The host whose behaviour is certified: an API has its own name at github.com alone. */
const hostOf = (apiUrl: string): string => new URL(apiUrl).host.replace(/^api\.github\.com$/u, "github.com")

/** The words of a refusal; null for what succeeded. Any other failure may have had its effect. */
const refusalOf = (effect: Effect.Effect<void, ForgeError>) =>
  effect.pipe(
    Effect.as(null),
    Effect.catchIf(
      ({ reason }) => reason === "refused",
      ({ message }) => Effect.succeed(message)
    )
  )

const idText = `query ($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { id } }`

const updateText = `mutation ($repository: ID!, $refUpdates: [RefUpdate!]!) {
  updateRefs(input: { repositoryId: $repository, refUpdates: $refUpdates }) { clientMutationId }
}`

const IdAnswer = Schema.Struct({ repository: Schema.NullOr(Schema.Struct({ id: Schema.String })) })

// --- building ----------------------------------------------------------------------------------------------------

/** Builds on a branch of its own. One that an earlier try left behind is removed first. */
const build = Effect.fnUntraced(function* (client: Client, ref: Ref, asked: Build) {
  if ((yield* GitHubCommits.branch(client, ref, asked.scratch)) !== null) {
    yield* GitHubCommits.removeBranch(client, ref, asked.scratch)
  }
  const isThere = yield* GitHubCommits.read(client, ref, asked.onto)
  if (Option.isNone(isThere)) return Option.none()
  const inPlace = yield* inPlaceOf(client, ref, asked)
  if (inPlace !== null) return Option.some(inPlace)
  yield* GitHubCommits.createBranch(client, ref, asked.scratch, asked.onto)
  const built = yield* merged(client, ref, asked, isThere.value.tree)
  yield* GitHubCommits.removeBranch(client, ref, asked.scratch)
  return built
})

/** A single head that descends from the commit under it needs no commit of its own. */
const inPlaceOf = Effect.fnUntraced(function* (client: Client, ref: Ref, { inPlace, members, onto }: Build) {
  const [member] = members
  if (!inPlace || member === undefined || members.length > 1) return null
  if (!(yield* GitHubCommits.contains(client, ref, member.head, onto))) return null
  const head = yield* GitHubCommits.read(client, ref, member.head)
  if (Option.isNone(head) || (yield* GitHubCommits.contains(client, ref, onto, member.head))) return null
  const step = { number: member.number, commit: member.head, tree: head.value.tree }
  return { steps: [step], conflicts: [], contained: [] } satisfies Built
})

const merged = Effect.fnUntraced(function* (client: Client, ref: Ref, asked: Build, tree: string) {
  const steps: Array<Built["steps"][number]> = []
  const conflicts: Array<number> = []
  const contained: Array<number> = []
  let at = { commit: asked.onto, tree }
  for (const { head, message, number } of asked.members) {
    const step = yield* GitHubCommits.merge(client, ref, { branch: asked.scratch, head, message })
    if (step === "gone") return Option.none()
    if (step === "conflict") {
      conflicts.push(number)
      continue
    }
    if (step === "contained") contained.push(number)
    else if (!asked.squash) at = step
    else {
      const commit = yield* GitHubCommits.create(client, ref, { tree: step.tree, parents: [at.commit], message })
      at = { commit, tree: step.tree }
    }
    steps.push({ number, ...at })
  }
  return Option.some<Built>({ steps, conflicts, contained })
})
