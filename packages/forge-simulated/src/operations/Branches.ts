/** Branches, commits of files on them, and pull requests from them. */
import * as Hub from "../Hub.ts"
import * as MergeQueue from "../MergeQueue.ts"
import { notFound, onRepository, type Operations, refusal, text } from "./Operation.ts"
import { pullJson } from "./Repositories.ts"

const read = { permission: "contents", access: "read" } as const
const write = { permission: "contents", access: "write" } as const
const pullsWrite = { permission: "pull_requests", access: "write" } as const

const prefix = "refs/heads/"

const refJson = (branch: string, sha: string) => ({ ref: `${prefix}${branch}`, object: { type: "commit", sha } })

const branchIn = (path: Readonly<Record<string, string>>): string => (path["ref"] ?? "").replace(/^heads\//u, "")

/** The operations. */
export const operations: Operations = {
  "git/get-ref": onRepository(read, (repository, { path }) => {
    const branch = branchIn(path)
    const sha = Hub.branchesOf(repository).get(branch)
    return sha === undefined ? notFound : { status: 200, members: refJson(branch, sha) }
  }),

  "git/create-ref": onRepository(write, (repository, { body, hub }) => {
    const branch = text(body, "ref").slice(prefix.length)
    if (!text(body, "ref").startsWith(prefix)) return refusal(422, "Reference name must start with 'refs/'.")
    if (Hub.branchesOf(repository).has(branch)) return refusal(422, "Reference already exists")
    if (repository.history !== undefined && repository.history.commit(text(body, "sha")) === null)
      return refusal(422, "Object does not exist")
    Hub.moveBranch(hub, repository, branch, { from: null, to: text(body, "sha") })
    return { status: 201, members: refJson(branch, text(body, "sha")) }
  }),

  "git/update-ref": onRepository(write, (repository, { body, hub, path }) => {
    const branch = branchIn(path)
    if (!Hub.branchesOf(repository).has(branch)) return refusal(422, "Reference does not exist")
    const at = Hub.now(hub)
    for (const { head, number, user } of repository.pulls)
      if (head.ref === branch) MergeQueue.leave(repository, number, { at, reason: "manual", by: user.login })
    Hub.moveBranch(hub, repository, branch, { from: undefined, to: text(body, "sha") })
    return { status: 200, members: refJson(branch, text(body, "sha")) }
  }),

  "git/delete-ref": onRepository(write, (repository, { hub, path }) => {
    if (!Hub.branchesOf(repository).has(branchIn(path))) return refusal(422, "Reference does not exist")
    Hub.moveBranch(hub, repository, branchIn(path), { from: undefined, to: null })
    return { status: 204 }
  }),

  "git/list-matching-refs": onRepository(read, (repository, call) => {
    const asked = branchIn(call.path)
    const found = [...Hub.branchesOf(repository)].filter(([name]) => name.startsWith(asked))
    return { status: 200, members: found.map(([name, sha]) => refJson(name, sha)) }
  }),

  "repos/create-or-update-file-contents": onRepository(write, (repository, { body, hub }) => {
    const branch = text(body, "branch") || repository.defaultBranch
    if (!Hub.branchesOf(repository).has(branch)) return notFound
    const sha = `${Hub.nextId(hub)}`.padStart(40, "0")
    Hub.moveBranch(hub, repository, branch, { from: undefined, to: sha })
    return { status: 201, members: { content: null, commit: { sha } } }
  }),

  "pulls/create": onRepository(pullsWrite, (repository, { body, hub }) => {
    const branch = text(body, "head")
    const sha = Hub.branchesOf(repository).get(branch)
    if (sha === undefined) return refusal(422, "Validation Failed: head is invalid")
    const pull: Hub.Pull = {
      id: Hub.nextId(hub),
      number: Hub.nextNumber(repository),
      title: text(body, "title"),
      user: { id: 901, login: "machine-user" },
      head: { sha, ref: branch, isFork: false },
      base: { sha: Hub.first, ref: text(body, "base") },
      state: "open",
      isDraft: body["draft"] === true,
      mergedAt: null,
      mergeCommit: null,
      commits: new Set([sha])
    }
    repository.pulls.push(pull)
    return { status: 201, members: pullJson(repository, pull) }
  }),

  "pulls/update": onRepository(pullsWrite, (repository, { body, path }) => {
    const pull = repository.pulls.find(({ number }) => number === Number(path["pull_number"]))
    if (pull === undefined) return notFound
    const state = text(body, "state")
    if (state === "closed" || state === "open") pull.state = state
    return { status: 200, members: pullJson(repository, pull) }
  })
}
