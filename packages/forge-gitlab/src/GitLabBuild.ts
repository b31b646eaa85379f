/**
 * Batches of a driven merge queue, built at GitLab without a clone.
 *
 * **Details**
 *
 * GitLab's interface merges no commits, but it picks one onto a branch (`POST …/cherry_pick`), which is a merge of three trees: that of
 * the branch, that of the commit, and that of its parent. So the change of a member is one commit whose tree is that of the head and
 * whose parent is the last common ancestor: picking it gives the tree of a merge. The commits of the batch are written here, over these
 * trees, and pushed. Why: `docs/decisions/0104-a-driven-queue-at-gitlab.md`.
 */
import type { Repository } from "@lazaret/domain"
import type { CommitMessage } from "@lazaret/queue"
import type { Build, BuildMember, Built, ForgeError } from "@lazaret/services"
import { Clock, Effect, Option, Schema } from "effect"
import * as GitLabClient from "./GitLabClient.ts"
import * as GitLabCommits from "./GitLabCommits.ts"
import * as GitObject from "./GitObject.ts"

type Client = GitLabClient.GitLabClient
type Ref = Repository.RepositoryRef
type Step = Pick<Built["steps"][number], "commit" | "tree">

/** Builds on a branch of its own. One that an earlier try left behind is removed first. */
export const build = Effect.fnUntraced(function* (client: Client, ref: Ref, asked: Build) {
  const { members, onto, scratch } = asked
  yield* GitLabCommits.removeBranch(client, ref, scratch)
  const trees = yield* treesOf(client, ref, [onto, ...members.map(({ head }) => head)])
  const base = trees.get(onto)
  if (base === undefined || members.some(({ head }) => !trees.has(head))) return Option.none()
  const inPlace = yield* inPlaceOf(client, ref, asked, trees)
  if (inPlace !== null) return Option.some(inPlace)
  const bench = yield* benchOf(client, ref, asked, trees)
  const built = yield* merged(bench, asked, { commit: onto, tree: base })
  yield* GitLabCommits.removeBranch(client, ref, scratch)
  return Option.some(built)
})

type Trees = ReadonlyMap<string, string>

/** The trees of the commits that exist. */
const treesOf = (client: Client, ref: Ref, commits: ReadonlyArray<string>) =>
  Effect.map(
    Effect.forEach(new Set(commits), (sha) =>
      Effect.map(GitLabCommits.tree(client, ref, sha), (tree) =>
        Option.match(tree, { onNone: () => [], onSome: (name) => [[sha, name] as const] })
      )
    ),
    (found): Trees => new Map(found.flat())
  )

/** A single head that descends from the commit under it needs no commit of its own. */
const inPlaceOf = Effect.fnUntraced(function* (client: Client, ref: Ref, asked: Build, trees: Trees) {
  const { inPlace, members, onto } = asked
  const [member] = members
  if (!inPlace || member === undefined || members.length > 1 || member.head === onto) return null
  if (!(yield* GitLabCommits.contains(client, ref, member.head, onto))) return null
  const step = { number: member.number, commit: member.head, tree: trees.get(member.head) ?? "" }
  return { steps: [step], conflicts: [], contained: [] } satisfies Built
})

/** The means of a build: the scratch branch, at `tip` once it exists, and the account that commits. */
interface Bench {
  readonly client: Client
  readonly ref: Ref
  readonly scratch: string
  readonly trees: Trees
  readonly committer: CommitMessage.Author
  readonly at: number
  tip: string | null
}

const benchOf = Effect.fnUntraced(function* (client: Client, ref: Ref, { scratch }: Build, trees: Trees) {
  const at = yield* Clock.currentTimeMillis
  const { email, id, name } = yield* client.me("build", ref)
  const committer = { name, email: email ?? `${id}@users.noreply.gitlab.invalid` }
  return { client, ref, scratch, trees, committer, at, tip: null } satisfies Bench as Bench
})

/** Writes the commits of the members, and pushes them. */
const merged = Effect.fnUntraced(function* (bench: Bench, asked: Build, base: Step) {
  const steps: Array<Built["steps"][number]> = []
  const conflicts: Array<number> = []
  const contained: Array<number> = []
  const written: Array<GitObject.Written> = []
  const heads: Array<string> = []
  let at = base
  for (const { head, message, number } of asked.members) {
    const found = yield* treeAfter(bench, { at, head, onto: asked.onto, heads })
    if (found === "conflict") {
      conflicts.push(number)
      continue
    }
    if (found === "contained") contained.push(number)
    else {
      const parents = asked.squash ? [at.commit] : [at.commit, head]
      const commit = GitObject.commit({ ...bench, tree: found, parents, message })
      written.push(commit)
      at = { commit: commit.id, tree: found }
    }
    heads.push(head)
    steps.push({ number, ...at })
  }
  if (written.length > 0) yield* pushed(bench, at.commit, written)
  return { steps, conflicts, contained } satisfies Built
})

interface Place {
  readonly at: Step
  readonly onto: string
  readonly heads: ReadonlyArray<string>
  readonly head: BuildMember["head"]
}

/** The tree of a merge of a head into what is built so far, or why there is none. */
const treeAfter = Effect.fnUntraced(function* (bench: Bench, { at, head, heads, onto }: Place) {
  const { client, ref, trees } = bench
  const base = yield* GitLabCommits.mergeBase(client, ref, head, [onto, ...heads])
  if (base === head) return "contained"
  if (base === null) return "conflict"
  const tree = trees.get(head) ?? ""
  const before = trees.get(base) ?? Option.getOrNull(yield* GitLabCommits.tree(client, ref, base))
  return before === at.tree ? tree : yield* picked(bench, at.tree, { tree, base })
})

/** A commit that only this build sees: GitLab starts no pipeline for it. */
const unseen = { title: "Lazaret builds a batch [skip ci]", body: "", author: null }

/** Picks a change onto the scratch branch, whose tree becomes `ours` first; yields the tree. */
const picked = Effect.fnUntraced(function* (
  bench: Bench,
  ours: string,
  { base, tree }: { readonly tree: string; readonly base: string }
) {
  const { client, ref, scratch } = bench
  const change = GitObject.commit({ ...bench, tree, parents: [base], message: unseen })
  const place = GitObject.commit({ ...bench, tree: ours, parents: [change.id], message: unseen })
  yield* pushed(bench, place.id, [change, place])
  const pick = client.send(
    "build",
    ref,
    {
      method: "POST",
      path: `${GitLabCommits.pathOf(change.id)}/cherry_pick`,
      body: { branch: scratch, message: unseen.title }
    },
    Schema.Struct({ id: Schema.String })
  )
  const made = yield* Effect.result(pick)
  if (made._tag === "Success") {
    bench.tip = made.success.id
    const after = yield* GitLabCommits.tree(client, ref, made.success.id)
    return Option.isNone(after) ? yield* lost(ref) : after.value
  }
  return /conflict/u.test(wordsOf(made.failure)) ? "conflict" : isEmpty(made.failure) ? ours : yield* made.failure
})

/** The code of a refused pick (`conflict` or `empty`), in the message of the error. */
const wordsOf = ({ message, status }: ForgeError): string =>
  status === 400 ? (/\((\w+)\)$/u.exec(message)?.[1] ?? "") : ""

const isEmpty = (error: ForgeError): boolean => wordsOf(error) === "empty"

const lost = (ref: Ref) =>
  GitLabClient.forgeError("build", ref, {
    reason: "unavailable",
    message: "a commit that was just made does not exist"
  })

/** Moves the scratch branch. */
const pushed = Effect.fnUntraced(function* (bench: Bench, to: string, commits: ReadonlyArray<GitObject.Written>) {
  const { client, ref, scratch, tip } = bench
  const { refusal, words } = yield* client.push("build", ref, {
    change: { branch: scratch, from: tip, to },
    commits,
    isQuiet: true
  })
  if (refusal !== null) {
    const message = words === "" ? refusal : `${refusal}: ${words}`
    return yield* GitLabClient.forgeError("build", ref, { reason: "refused", message })
  }
  bench.tip = to
})
