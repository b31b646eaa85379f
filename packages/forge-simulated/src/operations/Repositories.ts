/** Repositories, their files, and their pull requests. */
import type { History } from "../History.ts"
import * as Hub from "../Hub.ts"
import type { JsonObject } from "../Json.ts"
import * as GraphQl from "../GraphQl.ts"
import * as MergeQueue from "../MergeQueue.ts"
import { notFound, onRepository, type Operations, paged, refusal, type Reply, text, userJson } from "./Operation.ts"

/** A repository, as the platform shows it. */
export const repositoryJson = (repository: Hub.Repository): JsonObject => ({
  id: repository.id,
  name: repository.name,
  full_name: `${repository.owner}/${repository.name}`,
  private: repository.isPrivate,
  owner: userJson({ id: 1, login: repository.owner }, "Organization"),
  default_branch: repository.defaultBranch
})

/** A pull request, as the platform shows it. */
export const pullJson = (repository: Hub.Repository, pull: Hub.Pull): JsonObject => {
  const side = ({ ref, sha }: { readonly ref: string; readonly sha: string }, repo: JsonObject | null) => ({
    ref,
    sha,
    label: `${repository.owner}:${ref}`,
    user: userJson(pull.user),
    repo
  })
  return {
    id: pull.id,
    node_id: GraphQl.idOf(pull),
    number: pull.number,
    draft: pull.isDraft === true,
    title: pull.title,
    state: pull.state,
    user: userJson(pull.user),
    merged_at: pull.mergedAt,
    merge_commit_sha: pull.mergeCommit,
    head: side(pull.head, repositoryJson(pull.head.isFork ? forkOf(repository, pull.user.login) : repository)),
    base: side(pull.base, repositoryJson(repository))
  }
}

/** The fork of an account. */
const forkOf = (repository: Hub.Repository, owner: string): Hub.Repository => ({
  ...repository,
  id: repository.id + 500_000,
  owner
})

const contents = { permission: "contents", access: "read" } as const
const pullsRead = { permission: "pull_requests", access: "read" } as const

/** A commit of the default branch and those under it; an empty list for a commit that does not exist. */
const ancestorsOf = ({ parents = new Map() }: Hub.Repository, commit: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  const isKnown = parents.has(commit) || [...parents.values()].includes(commit)
  for (let at = isKnown ? commit : undefined; at !== undefined; at = parents.get(at)) found.push(at)
  return found
}

const compare = (history: History, base: string, head: string): Reply => {
  if (history.commit(base) === null || history.commit(head) === null) return notFound
  const [isAhead, isBehind] = [history.contains(head, base), history.contains(base, head)]
  const status = isAhead && isBehind ? "identical" : isAhead ? "ahead" : isBehind ? "behind" : "diverged"
  return { status: 200, members: { status } }
}

/** The operations. */
export const operations: Operations = {
  "repos/get-branch-rules": onRepository({ permission: "metadata", access: "read" }, (repository, call) => {
    const { branchRules = [], name, owner } = repository
    const { headers, items } = paged(call, branchRules, `/repos/${owner}/${name}/rules/branches/${call.path["branch"]}`)
    return { status: 200, headers, members: [...items] }
  }),

  "repos/get-branch": onRepository(contents, (repository, { path }) => {
    const { defaultBranch, protectedBy = [] } = repository
    const name = path["branch"] ?? ""
    if (name !== defaultBranch && !Hub.branchesOf(repository).has(name))
      return { status: 404, members: { message: "Branch not found" } }
    const checks =
      name === defaultBranch ? protectedBy.map(({ app = null, context }) => ({ context, app_id: app })) : []
    const required = { contexts: checks.map(({ context }) => context), checks }
    const isProtected = checks.length > 0
    const protection = { enabled: isProtected, ...(isProtected ? { required_status_checks: required } : {}) }
    const sha = name === defaultBranch ? Hub.tipOf(repository) : (Hub.branchesOf(repository).get(name) ?? "")
    const commit = { sha, commit: { tree: { sha: MergeQueue.treeOf(repository, sha) } } }
    return { status: 200, members: { name, commit, protected: isProtected, protection } }
  }),

  "repos/compare-commits": onRepository(contents, (repository, { path }) => {
    const { base = "", head = "" } = path
    if (repository.history !== undefined) return compare(repository.history, base, head)
    const [ofBase, ofHead] = [ancestorsOf(repository, base), ancestorsOf(repository, head)]
    if (ofBase.length === 0 || ofHead.length === 0) return notFound
    const status =
      base === head ? "identical" : ofHead.includes(base) ? "ahead" : ofBase.includes(head) ? "behind" : "diverged"
    return { status: 200, members: { status } }
  }),

  "users/get-authenticated": ({ actor, hub }) =>
    actor._tag === "Person"
      ? { status: 200, members: userJson(hub.userTokens.get(actor.token) ?? { id: 901, login: "machine-user" }) }
      : refusal(403, "Resource not accessible by integration"),

  "repos/get": onRepository({ permission: "metadata", access: "read" }, (repository, { actor }) => {
    const reach = actor._tag === "Person" ? repository.tokens.get(actor.token) : undefined
    const permissions = { admin: false, push: reach === "write", pull: reach !== undefined }
    const isShown = actor._tag === "Person"
    return { status: 200, members: { ...repositoryJson(repository), ...(isShown ? { permissions } : {}) } }
  }),

  "repos/get-collaborator-permission-level": onRepository(
    { permission: "metadata", access: "read" },
    (repository, { hub, path }) => {
      const { isPrivate, people = new Map() } = repository
      const login = path["username"] ?? ""
      const user = Hub.personNamed(hub, login) ?? (people.has(login) ? { id: 7, login } : undefined)
      if (user === undefined) return notFound
      const permission = people.get(login) ?? (isPrivate ? "none" : "read")
      return { status: 200, members: { permission, role_name: permission, user: userJson(user) } }
    }
  ),

  "repos/get-content": onRepository(contents, (repository, { path }) => {
    const name = path["path"] ?? ""
    const content = repository.files.get(name)
    if (content === undefined) return notFound
    const base64 = Buffer.from(content).toString("base64").replaceAll(/.{60}/gu, "$&\n")
    const members = { type: "file", encoding: "base64", size: content.length, name, path: name, content: base64 }
    return { status: 200, members }
  }),

  "repos/list-pull-requests-associated-with-commit": onRepository(pullsRead, (repository, call) => {
    const sha = (call.path["commit_sha"] ?? "").toLowerCase()
    const found = repository.pulls.filter(({ commits, head }) => head.sha === sha || commits.has(sha))
    const address = `/repos/${repository.owner}/${repository.name}/commits/${sha}/pulls`
    const { headers, items } = paged(call, found, address)
    return { status: 200, headers, members: items.map((pull) => pullJson(repository, pull)) }
  }),

  "pulls/get": onRepository(pullsRead, (repository, { path }) => {
    const pull = repository.pulls.find(({ number }) => number === Number(path["pull_number"]))
    return pull === undefined ? notFound : { status: 200, members: pullJson(repository, pull) }
  }),

  "pulls/list": onRepository(pullsRead, (repository, call) => {
    const state = call.query.get("state") ?? "open"
    const base = call.query.get("base")
    const found = repository.pulls
      .filter((pull) => (state === "all" || pull.state === state) && (base === null || pull.base.ref === base))
      .toSorted((a, b) => (call.query.get("direction") === "asc" ? a.number - b.number : 0))
    const { headers, items } = paged(call, found, `/repos/${repository.owner}/${repository.name}/pulls`)
    return { status: 200, headers, members: items.map((pull) => pullJson(repository, pull)) }
  }),

  "repos/create-commit-status": onRepository(
    { permission: "statuses", access: "write" },
    (repository, { body, path }) => {
      if (text(body, "description").length > 140)
        return refusal(422, "description is too long (maximum is 140 characters)")
      repository.statuses.push({ sha: path["sha"] ?? "", members: body })
      return { status: 201, members: { ...body } }
    }
  ),

  "repos/list-commit-statuses-for-ref": onRepository({ permission: "statuses", access: "read" }, (repository, call) => {
    const ref = call.path["ref"] ?? ""
    const found = repository.statuses.filter(({ sha }) => sha === ref).reverse()
    const { headers, items } = paged(
      call,
      found,
      `/repos/${repository.owner}/${repository.name}/commits/${ref}/statuses`
    )
    return { status: 200, headers, members: items.map(({ members }) => members) }
  })
}
