/** Accounts, projects, commits, files and commit statuses. */
import type { JsonObject } from "../Json.ts"
import { refusal, type Reply, text } from "../operations/Operation.ts"
import * as Lab from "./Lab.ts"
import { byAccount, type Call, missing, onProject, type Operations, paged, userJson } from "./Operation.ts"

const accessOf = (project: Lab.Project, token: string | null): JsonObject => {
  const level = project.members.get(token ?? "")
  const access = level === undefined ? null : { access_level: level, notification_level: 3 }
  return { project_access: access, group_access: null }
}

/** The operations. */
export const operations: Operations = {
  getApiV4User: byAccount((account) => ({ status: 200, members: userJson(account) })),

  getApiV4PersonalAccessTokensSelf: byAccount(({ scopes }) =>
    scopes === null ? refusal(401, "401 Unauthorized") : { status: 200, members: { id: 1, scopes: [...scopes] } }
  ),

  getApiV4ProjectsId: onProject(0, (project, { token }) => ({
    status: 200,
    members: {
      id: project.id,
      path: project.path.split("/").at(-1) ?? "",
      path_with_namespace: project.path,
      default_branch: project.defaultBranch,
      visibility: project.visibility,
      repository_access_level: project.codeAccess,
      permissions: token === null ? null : accessOf(project, token)
    }
  })),

  getApiV4ProjectsIdMembersAllUserId: onProject(0, (project, { lab, path, token }) => {
    if (token === null) return refusal(401, "401 Unauthorized")
    const [member, account] = [...lab.accounts].find(([, { id }]) => String(id) === path["user_id"]) ?? []
    const level = project.members.get(member ?? "")
    if (account === undefined || level === undefined) return missing("Not found")
    return { status: 200, members: { ...userJson(account), access_level: level } }
  }),

  postApiV4ProjectsIdHooks: onProject(Lab.roles.maintainer, (project, { body, lab }) => {
    const hook = { url: text(body, "url"), token: text(body, "token") }
    project.hooks.push(hook)
    return { status: 201, members: { id: Lab.nextId(lab), url: hook.url } }
  }),

  getApiV4ProjectsIdRepositoryCommitsSha: onProject(0, (project, { path }) => {
    const sha = path["sha"] ?? ""
    if (!Lab.knows(project, sha)) return missing("Commit")
    return { status: 200, members: { id: sha, title: "Change", parent_ids: [...(project.parents.get(sha) ?? [])] } }
  }),

  getApiV4ProjectsIdRepositoryFilesFilePathRaw: onProject(0, (project, { path }) => {
    const content = project.files.get(path["file_path"] ?? "")
    return content === undefined ? missing("File") : { status: 200, raw: Buffer.from(content) }
  }),

  getApiV4ProjectsIdRepositoryCommitsShaStatuses: onProject(Lab.roles.reporter, (project, call) => {
    const sha = call.path["sha"] ?? ""
    if (!Lab.knows(project, sha)) return missing("Commit")
    const name = call.query.get("name")
    const ofCommit = project.statuses.filter((each) => each.sha === sha && (name === null || each.name === name))
    const latest = ofCommit.filter(
      ({ id, name: own, pipeline }) =>
        !ofCommit.some((each) => each.name === own && each.pipeline === pipeline && each.id > id)
    )
    const { headers, items } = paged(call, call.query.get("all") === "true" ? ofCommit : latest)
    return { status: 200, headers, members: items.map((each) => statusJson(each, call)) }
  }),

  postApiV4ProjectsIdStatusesSha: onProject(Lab.roles.developer, (project, call) =>
    setStatus(project, call, call.path["sha"] ?? "")
  )
}

const transitions: Readonly<Record<string, ReadonlyArray<string>>> = {
  pending: ["running", "success", "failed", "canceled"],
  running: ["success", "failed", "canceled"]
}

/**
 * Sets a status as the service of the platform does.
 *
 * **Details**
 *
 * - It belongs to the newest pipeline of its commit, else to a new one on the first branch at the commit. The head of a fork is on
 *   no branch.
 * - A status of the same account and name that is pending or running goes on, and only to another state; any other one is replaced
 *   by a new one.
 */
const setStatus = (project: Lab.Project, call: Call, sha: string): Reply => {
  const { body, lab, token } = call
  const account = lab.accounts.get(token ?? "")
  if (account === undefined) return refusal(401, "401 Unauthorized")
  if (!Lab.knows(project, sha)) return missing("Commit")
  const [branch] = [...project.branches].find(([, head]) => head === sha) ?? []
  const pipeline = project.pipelines.findLast((each) => each.sha === sha)
  const ref = pipeline?.ref ?? branch
  if (ref === undefined) return missing("References for commit")
  if ([text(body, "target_url"), text(body, "description")].some((each) => Array.from(each).length > 255)) {
    return { status: 400, members: { message: { target_url: ["is too long (maximum is 255 characters)"] } } }
  }
  const name = text(body, "name") || text(body, "context") || "default"
  const state = text(body, "state")
  const going = project.statuses.find(
    (each) => each.sha === sha && each.name === name && each.by === account.id && each.status in transitions
  )
  if (going !== undefined && !transitions[going.status]?.includes(state)) {
    return refusal(400, `Cannot transition status via :${state} from :${going.status}`)
  }
  const status = going ?? created(project, lab, { sha, ref, name, by: account.id, pipeline: pipeline?.id })
  Object.assign(status, {
    status: state,
    description: text(body, "description") || status.description,
    targetUrl: text(body, "target_url") || status.targetUrl
  })
  return { status: 201, members: statusJson(status, call) }
}

interface NewStatus {
  readonly sha: string
  readonly ref: string
  readonly name: string
  readonly by: number
  readonly pipeline: number | undefined
}

const created = (project: Lab.Project, lab: Lab.Lab, { pipeline, ...given }: NewStatus): Lab.Status => {
  const status = {
    ...given,
    id: Lab.nextId(lab),
    status: "created",
    description: null,
    targetUrl: null,
    pipeline: pipeline ?? external(project, lab, given)
  }
  project.statuses.push(status)
  return status
}

const external = (project: Lab.Project, lab: Lab.Lab, { ref, sha }: Pick<NewStatus, "ref" | "sha">): number => {
  const id = Lab.nextId(lab)
  const user = { id: 1, username: "root", scopes: null }
  const rest = { isTag: false, name: null, user, createdAt: Lab.timestamp(), retries: 0, jobs: [] }
  project.pipelines.push({ id, sha, ref, source: "external", status: "running", ...rest })
  return id
}

const statusJson = (
  { by, description, id, name, pipeline, ref, sha, status, targetUrl }: Lab.Status,
  { lab }: Call
) => {
  const author = [...lab.accounts.values()].find((each) => each.id === by)
  return {
    id,
    sha,
    ref,
    status,
    name,
    description,
    target_url: targetUrl,
    pipeline_id: pipeline,
    allow_failure: false,
    ...(author === undefined ? {} : { author: userJson(author) })
  }
}
