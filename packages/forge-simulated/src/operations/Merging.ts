/** Commits, trees and merges of repositories with a history. */
import type { Commit, History } from "../History.ts"
import * as Hub from "../Hub.ts"
import { isObject, type JsonObject } from "../Json.ts"
import * as MergeQueue from "../MergeQueue.ts"
import { notFound, object, onRepository, type Operations, refusal, type Reply, text } from "./Operation.ts"

const write = { permission: "contents", access: "write" } as const
const read = { permission: "pull_requests", access: "read" } as const

/** A commit, as the platform shows it. */
export const commitJson = (sha: string, { author, message, parents, tree }: Commit): JsonObject => {
  const by = { name: "ada", email: "ada@example.com", date: "2026-01-01T00:00:00Z", ...author }
  return {
    sha,
    message,
    author: by,
    committer: by,
    tree: { sha: tree },
    parents: parents.map((each) => ({ sha: each }))
  }
}

const inHistory =
  (run: (history: History, repository: Hub.Repository, call: Call) => Reply) =>
  (repository: Hub.Repository, call: Call): Reply =>
    repository.history === undefined ? notFound : run(repository.history, repository, call)

type Call = Parameters<Parameters<typeof onRepository>[1]>[1]

/** The commits that a head has and a base has not, oldest first, along first parents. */
const commitsBetween = (history: History, base: string, head: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (let at = head; at !== "" && !history.contains(base, at); at = history.commit(at)?.parents[0] ?? "")
    found.push(at)
  return found.toReversed()
}

/** The operations. */
export const operations: Operations = {
  "repos/merge": onRepository(
    write,
    inHistory((history, repository, { body, hub }) => {
      const branch = text(body, "base")
      const ours = Hub.branchesOf(repository).get(branch)
      const theirs = text(body, "head")
      if (ours === undefined) return refusal(404, "Base does not exist")
      if (history.commit(theirs) === null) return refusal(404, "Head does not exist")
      if (history.contains(ours, theirs)) return { status: 204 }
      const tree = history.merge(ours, theirs)
      if (tree === null) return refusal(409, "Merge conflict")
      const message = text(body, "commit_message") || `Merge ${theirs} into ${branch}`
      const made = { tree, parents: [ours, theirs], message, author: null }
      const sha = history.write(made)
      Hub.moveBranch(hub, repository, branch, { from: ours, to: sha })
      return { status: 201, members: { sha, commit: commitJson(sha, made), parents: [{ sha: ours }, { sha: theirs }] } }
    })
  ),

  "git/create-tree": onRepository(
    write,
    inHistory((history, _, { body }) => {
      const entries = Array.isArray(body["tree"]) ? body["tree"].filter(isObject) : []
      const files = Object.fromEntries(entries.map((entry) => [text(entry, "path"), text(entry, "content")]))
      const sha = history.tree(text(body, "base_tree") || null, files)
      return { status: 201, members: { sha, tree: [], truncated: false } }
    })
  ),

  "git/create-commit": onRepository(
    write,
    inHistory((history, _, { body }) => {
      const parents = Array.isArray(body["parents"]) ? body["parents"].map(String) : []
      if (parents.some((parent) => history.commit(parent) === null)) return refusal(422, "Parent SHA does not exist")
      const by = object(body, "author")
      const author = "author" in body ? { name: text(by, "name"), email: text(by, "email") } : null
      const made = { tree: text(body, "tree"), parents, message: text(body, "message"), author }
      const sha = history.write(made)
      return { status: 201, members: commitJson(sha, made) }
    })
  ),

  "pulls/list-commits": onRepository(
    read,
    inHistory((history, repository, { path }) => {
      const pull = repository.pulls.find(({ number }) => number === Number(path["pull_number"]))
      if (pull === undefined) return notFound
      const base = Hub.branchesOf(repository).get(pull.base.ref) ?? ""
      const members = commitsBetween(history, base, pull.head.sha).map((sha) => {
        const made = history.commit(sha)
        return { sha, commit: made === null ? {} : commitJson(sha, made) }
      })
      return { status: 200, members }
    })
  ),

  "pulls/merge": onRepository(
    write,
    inHistory((history, repository, { body, hub, path }) => {
      const pull = repository.pulls.find(({ number }) => number === Number(path["pull_number"]))
      if (pull === undefined) return notFound
      const refused = refusalOf(repository, pull, text(body, "sha"))
      if (refused !== null) return refused
      const tip = Hub.branchesOf(repository).get(pull.base.ref) ?? ""
      const tree = history.merge(tip, pull.head.sha)
      if (tree === null) return refusal(405, "Pull Request is not mergeable")
      const parents = (text(body, "merge_method") || "merge") === "merge" ? [tip, pull.head.sha] : [tip]
      const message = `${text(body, "commit_title") || pull.title}\n\n${text(body, "commit_message")}`.trimEnd()
      const landed = repository.landsWrongly === true ? history.tree(tree, { surprise: "a wrong tree" }) : tree
      const sha = history.write({ tree: landed, parents, message, author: null })
      Hub.moveBranch(hub, repository, pull.base.ref, { from: tip, to: sha })
      Object.assign(pull, { state: "closed", mergedAt: Hub.timestamp(hub), mergeCommit: sha })
      pull.commits.add(sha)
      return { status: 200, members: { sha, merged: true, message: "Pull Request successfully merged" } }
    })
  )
}

/** The reason why a pull request cannot be merged now; null: it can. */
const refusalOf = (repository: Hub.Repository, pull: Hub.Pull, head: string): Reply | null => {
  if (pull.state !== "open" || pull.isDraft === true) return refusal(405, "Pull Request is not mergeable")
  if (head !== "" && head !== pull.head.sha) {
    return refusal(409, "Head branch was modified. Review and try the merge again.")
  }
  // The queue is that of the default branch.
  const rule = Hub.ruleAgainst(repository, "merge_queue")
  if (rule !== null && pull.base.ref === repository.defaultBranch)
    return refusal(405, "Changes must be made through the merge queue")
  const red = MergeQueue.redOf(repository, pull.head.sha)
  return red === undefined || repository.isBypassed === true
    ? null
    : refusal(405, `Required status check "${red}" is failing.`)
}
