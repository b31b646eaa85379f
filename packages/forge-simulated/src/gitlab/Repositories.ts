/** Trees, commits and branches of projects. */
import { isObject, type JsonObject } from "../Json.ts"
import { refusal, type Reply, text } from "../operations/Operation.ts"
import * as Lab from "./Lab.ts"
import { byAccount, missing, onProject, type Operation, type Operations, paged, userJson } from "./Operation.ts"

const branchJson = (project: Lab.Project, name: string): JsonObject => ({
  name,
  commit: { id: project.branches.get(name) ?? "" },
  protected: project.protectedRefs.has(name)
})

/** Only maintainers push to protected branches. */
const mayPush = ({ members, protectedRefs }: Lab.Project, branch: string, token: string | null): boolean =>
  !protectedRefs.has(branch) || (members.get(token ?? "") ?? 0) >= Lab.roles.maintainer

/** The commit that a name stands for: a branch, or itself. */
const resolve = ({ branches, objects }: Lab.Project, name: string): string | null =>
  branches.get(name) ?? (objects.commit(name) === null ? null : name)

const commitJson = ({ objects }: Lab.Project, sha: string): JsonObject => {
  const { author = { name: "", email: "" }, message = "", parents = [] } = objects.commit(sha) ?? {}
  const [title = ""] = message.split("\n")
  return {
    id: sha,
    title,
    message,
    parent_ids: [...parents],
    author_name: author.name,
    author_email: author.email
  }
}

/** The words of lib/api/commits.rb; `error_code` says why. */
const notPicked = (code: "conflict" | "empty"): Reply => ({
  status: 400,
  members: {
    message:
      "Sorry, we cannot cherry-pick this commit automatically. This commit may already have been cherry-picked, or a more recent " +
      "commit may have updated some of its content.",
    error_code: code
  }
})

/** Picks a commit onto a branch: a merge of three trees, on the tree of its first parent (Gitaly, `UserCherryPick`). */
const pick: Operation = onProject(Lab.roles.developer, (project, { body, lab, path, token }) => {
  const { branches, objects } = project
  const [sha, branch] = [path["sha"] ?? "", text(body, "branch")]
  const picked = objects.commit(sha)
  const tip = branches.get(branch)
  if (picked === null) return missing("Commit")
  if (tip === undefined) return missing("Branch")
  if (!mayPush(project, branch, token))
    return refusal(403, "403 Forbidden - You are not allowed to push into this branch")
  const treeOf = (commit: string) => objects.commit(commit)?.tree ?? ""
  const base = treeOf(picked.parents[0] ?? "")
  const tree = objects.merge(base, treeOf(tip), picked.tree)
  if (tree === null) return notPicked("conflict")
  if (tree === treeOf(tip)) return notPicked("empty")
  const to = objects.write({ tree, parents: [tip], message: text(body, "message") || picked.message })
  Lab.setBranch(lab, project, { branch, to })
  return { status: 201, members: commitJson(project, to) }
})

/** Makes a commit on a branch, which is new when a start is named. */
const commit: Operation = onProject(Lab.roles.developer, (project, { body, lab, token }) => {
  const { branches, objects } = project
  const branch = text(body, "branch")
  const start = text(body, "start_sha") || branches.get(branch) || ""
  const parent = objects.commit(start)
  if (!mayPush(project, branch, token)) return refusal(403, "403 Forbidden")
  if (text(body, "start_sha") !== "" && branches.has(branch)) {
    return refusal(400, `A branch called '${branch}' already exists. Switch to that branch in order to make changes`)
  }
  if (parent === null) return refusal(400, "Cannot find start commit")
  const actions = Array.isArray(body["actions"]) ? body["actions"].filter(isObject) : []
  const known = objects.files(parent.tree)
  const wrong = actions.find((each) => (text(each, "action") === "create") === text(each, "file_path") in known)
  if (wrong !== undefined) return refusal(400, "A file with this name already exists, or doesn't exist")
  const files = actions.map((each) => [text(each, "file_path"), text(each, "content")] as const)
  const tree = objects.tree(parent.tree, Object.fromEntries(files))
  const to = objects.write({ tree, parents: [start], message: text(body, "commit_message") })
  Lab.setBranch(lab, project, { branch, to })
  return { status: 201, members: commitJson(project, to) }
})

/** The operations. */
export const operations: Operations = {
  getApiV4Users: byAccount((_, { lab, query }) => {
    const name = query.get("username") ?? ""
    const found = [...lab.accounts.values()].filter(({ username }) => username.toLowerCase() === name.toLowerCase())
    return { status: 200, members: found.map(userJson) }
  }),

  getApiV4ProjectsIdRepositoryTree: onProject(0, (project, call) => {
    const sha = resolve(project, call.query.get("ref") ?? project.defaultBranch)
    const { tree } = project.objects.commit(sha ?? "") ?? {}
    if (tree === undefined) return missing("Tree")
    const entries = project.objects.entries(tree).map(({ id, mode, name }) => ({
      id,
      name,
      type: mode === "040000" ? "tree" : "blob",
      path: name,
      mode
    }))
    // GitLab lists folders before files, which is not the order of git.
    const { headers, items } = paged(
      call,
      entries.toSorted((a, b) => b.type.localeCompare(a.type))
    )
    return { status: 200, headers, members: items }
  }),

  getApiV4ProjectsIdRepositoryMergeBase: onProject(0, (project, { query }) => {
    const shas = query.getAll("refs[]").map((name) => resolve(project, name))
    if (shas.includes(null)) return refusal(400, "Could not find ref")
    const [first = "", ...others] = shas.filter((sha) => sha !== null)
    const found = project.objects.mergeBase(first, others)
    return found === null ? missing("Merge Base") : { status: 200, members: commitJson(project, found) }
  }),

  getApiV4ProjectsIdRepositoryBranches: onProject(0, (project, call) => {
    const search = call.query.get("search") ?? ""
    const isFound = (name: string) =>
      search.startsWith("^")
        ? name.toLowerCase().startsWith(search.slice(1).toLowerCase())
        : name.toLowerCase().includes(search.toLowerCase())
    const { headers, items } = paged(call, [...project.branches.keys()].filter(isFound).toSorted())
    return { status: 200, headers, members: items.map((name) => branchJson(project, name)) }
  }),

  getApiV4ProjectsIdRepositoryBranchesBranch: onProject(0, (project, { path }) => {
    const name = path["branch"] ?? ""
    return project.branches.has(name) ? { status: 200, members: branchJson(project, name) } : missing("Branch")
  }),

  postApiV4ProjectsIdRepositoryBranches: onProject(Lab.roles.developer, (project, { body, lab, token }) => {
    const [branch, to] = [text(body, "branch"), resolve(project, text(body, "ref"))]
    if (project.branches.has(branch)) return refusal(400, "Branch already exists")
    if (to === null) return refusal(400, "Invalid reference name")
    if (!mayPush(project, branch, token)) return refusal(403, "403 Forbidden")
    Lab.setBranch(lab, project, { branch, to })
    return { status: 201, members: branchJson(project, branch) }
  }),

  deleteApiV4ProjectsIdRepositoryBranchesBranch: onProject(Lab.roles.developer, (project, { lab, path }) => {
    const branch = path["branch"] ?? ""
    if (!project.branches.has(branch)) return missing("Branch")
    if (project.protectedRefs.has(branch)) return refusal(403, "403 Forbidden")
    Lab.setBranch(lab, project, { branch, to: null })
    return { status: 204 }
  }),

  getApiV4ProjectsIdProtectedBranchesName: onProject(Lab.roles.developer, (project, { path }) => {
    const name = path["name"] ?? ""
    return project.protectedRefs.has(name)
      ? { status: 200, members: { id: 1, name, allow_force_push: false } }
      : missing("")
  }),

  postApiV4ProjectsIdRepositoryCommits: commit,

  postApiV4ProjectsIdRepositoryCommitsShaCherryPick: pick
}
