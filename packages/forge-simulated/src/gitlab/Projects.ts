/** Accounts, projects, commits and files. */
import type { JsonObject } from "../Json.ts"
import { refusal, text } from "../operations/Operation.ts"
import * as Lab from "./Lab.ts"
import { byAccount, missing, onProject, type Operations, userJson } from "./Operation.ts"

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
      merge_method: project.settings.mergeMethod,
      only_allow_merge_if_pipeline_succeeds: project.settings.mustSucceed,
      only_allow_merge_if_all_discussions_are_resolved: false,
      ...(project.settings.hasTrains ? { merge_trains_enabled: true } : {}),
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

  // docs.gitlab.com, "Project webhooks API": maintainers alone list them.
  getApiV4ProjectsIdHooks: onProject(Lab.roles.maintainer, (project) => ({
    status: 200,
    members: project.hooks.map(({ events, id, url }) => ({ id, url, ...events }))
  })),

  postApiV4ProjectsIdHooks: onProject(Lab.roles.maintainer, (project, { body, lab }) => {
    const isOn = (name: string, otherwise: boolean) => (name in body ? body[name] === true : otherwise)
    const events = {
      // A new webhook gets pushes, and nothing else that nobody asked for.
      push_events: isOn("push_events", true),
      merge_requests_events: isOn("merge_requests_events", false),
      note_events: isOn("note_events", false),
      pipeline_events: isOn("pipeline_events", false)
    }
    const hook = { id: Lab.nextId(lab), url: text(body, "url"), token: text(body, "token"), events }
    project.hooks.push(hook)
    return { status: 201, members: { id: hook.id, url: hook.url, ...events } }
  }),

  getApiV4ProjectsIdRepositoryCommitsSha: onProject(0, (project, { path }) => {
    const sha = path["sha"] ?? ""
    if (!Lab.knows(project, sha)) return missing("Commit")
    const parents = project.objects.commit(sha)?.parents ?? project.parents.get(sha) ?? []
    return { status: 200, members: { id: sha, title: "Change", parent_ids: [...parents] } }
  }),

  getApiV4ProjectsIdRepositoryFilesFilePathRaw: onProject(0, (project, { path, query }) => {
    const name = path["file_path"] ?? ""
    const commit = project.objects.commit(query.get("ref") ?? "")
    const content = commit === null ? project.files.get(name) : project.objects.files(commit.tree)[name]
    return content === undefined ? missing("File") : { status: 200, raw: Buffer.from(content) }
  })
}
