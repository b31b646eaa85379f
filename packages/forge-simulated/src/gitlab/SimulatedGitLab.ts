/**
 * A simulated GitLab for tests: projects, merge requests, statuses, notes, pipelines, and its deliveries.
 *
 * @example
 * ```ts
 * import { SimulatedGitLab } from "@lazaret/forge-simulated"
 * import { Effect } from "effect"
 *
 * const paths = Effect.gen(function* () {
 *   const gitLab = yield* SimulatedGitLab.start
 *   const project = gitLab.addProject({ path: "acme/widgets" })
 *   gitLab.open(project, { head: "c0ffee" })
 *   return gitLab.server.lab.projects.map(({ path }) => path)
 * })
 * await Effect.runPromise(Effect.scoped(paths)) // => ["acme/widgets"]
 * ```
 */
import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import * as Delivery from "../Delivery.ts"
import type { JsonObject } from "../Json.ts"
import * as GitLabServer from "./GitLabServer.ts"
import * as Lab from "./Lab.ts"
import * as Objects from "./Objects.ts"
import { mergeRequestJson } from "./MergeRequests.ts"
import { userJson } from "./Operation.ts"

/** The parts of a project besides its path. */
export interface ProjectOptions {
  readonly path: string
  readonly visibility?: Lab.Project["visibility"]
  readonly codeAccess?: Lab.Project["codeAccess"]
  readonly defaultBranch?: string
  readonly files?: Readonly<Record<string, string>>
  readonly members?: Readonly<Record<string, keyof typeof Lab.roles>>
}

/** The parts of a merge request besides its head commit; `from` is the project of its source. */
export interface MergeRequestOptions {
  readonly head: string
  readonly title?: string
  readonly source?: string
  readonly target?: string
  readonly from?: Lab.Project
}

/** The parts of a pipeline besides its commit. */
export type PipelineOptions = Pick<Lab.Pipeline, "sha"> &
  Partial<Omit<Lab.Pipeline, "id" | "sha" | "jobs">> & { readonly jobs?: ReadonlyArray<Partial<Lab.Job>> }

/** A delivery on its way. */
export interface Sent {
  readonly event: string
  readonly payload: JsonObject
}

/** A running simulated GitLab. Each token belongs to an account; `server-token` is that of the server under test. */
export interface SimulatedGitLab {
  readonly url: string
  readonly server: GitLabServer.GitLabServer
  readonly webhookSecret: string
  readonly addAccount: (token: string, username: string, scopes?: ReadonlyArray<string> | null) => Lab.Account
  readonly addProject: (options: ProjectOptions) => Lab.Project
  readonly move: (project: Lab.Project, path: string) => void
  readonly open: (project: Lab.Project, options: MergeRequestOptions) => Lab.MergeRequest
  readonly push: (project: Lab.Project, mergeRequest: Lab.MergeRequest, head: string) => void
  readonly merge: (project: Lab.Project, mergeRequest: Lab.MergeRequest, commit: string) => void
  readonly addPipeline: (project: Lab.Project, options: PipelineOptions) => Lab.Pipeline
  /** Sends a delivery to the webhooks of a project, and yields the statuses of the answers. */
  readonly emit: (project: Lab.Project, sent: Sent) => Effect.Effect<ReadonlyArray<number>>
  /** Sends deliveries to a receiver, in order of the fates, and yields the statuses of the answers. */
  readonly deliver: (
    url: string,
    sent: ReadonlyArray<Sent>,
    fates?: ReadonlyArray<Delivery.Fate>
  ) => Effect.Effect<ReadonlyArray<number>>
}

/** Starts one on a free port; it stops with the scope, and a request that GitLab does not describe is then a defect. */
export const start = Effect.map(GitLabServer.start, (server): SimulatedGitLab => {
  const { lab } = server
  const webhookSecret = `secret-${randomUUID()}`
  const addAccount = (token: string, username: string, scopes: ReadonlyArray<string> | null = ["api"]) => {
    const account = { id: Lab.nextId(lab), username, scopes }
    lab.accounts.set(token, account)
    return account
  }
  addAccount("server-token", "lazaret-bot")
  const ada = addAccount("ada-token", "ada")
  return {
    url: server.url,
    server,
    webhookSecret,
    addAccount,
    ...projectsOf(lab),
    ...mergeRequestsOf(lab, ada),
    addPipeline: (project, options) => addPipeline(lab, project, options, ada),
    emit: (project, sent) => Effect.forEach(project.hooks, ({ token, url }) => post(url, sent, token)),
    deliver: (url, sent, fates = []) =>
      Effect.forEach(Delivery.arrivals(sent, fates), (each) => post(url, each, webhookSecret))
  }
})

const projectsOf = (lab: Lab.Lab): Pick<SimulatedGitLab, "addProject" | "move"> => ({
  addProject: ({
    codeAccess = "enabled",
    defaultBranch = "main",
    files = {},
    members = {},
    path,
    visibility = "private"
  }) => {
    const given = Object.entries(members).map(([token, role]) => [token, Lab.roles[role]] as const)
    const project: Lab.Project = {
      id: Lab.nextId(lab),
      path,
      visibility,
      codeAccess,
      defaultBranch,
      branches: new Map(),
      protectedRefs: new Set(),
      files: new Map(Object.entries(files)),
      members: new Map([["server-token", Lab.roles.developer], ["ada-token", Lab.roles.developer], ...given]),
      parents: new Map(),
      mergeRequests: [],
      statuses: [],
      notes: [],
      pipelines: [],
      hooks: [],
      objects: Objects.make(),
      settings: Lab.settings(),
      train: [],
      later: []
    }
    lab.projects.push(project)
    return project
  },
  move: (project, path) => {
    lab.moved.set(project.path.toLowerCase(), project)
    project.path = path
  }
})

const mergeRequestsOf = (lab: Lab.Lab, author: Lab.Account): Pick<SimulatedGitLab, "open" | "push" | "merge"> => ({
  open: (project, { from = project, head, source, target = project.defaultBranch, title = "Change something" }) => {
    const iid = project.mergeRequests.length + 1
    const mergeRequest: Lab.MergeRequest = {
      id: Lab.nextId(lab),
      iid,
      title,
      author,
      source: source ?? `change-${iid}`,
      target,
      from: from.id,
      sha: head,
      state: "opened",
      mergedAt: null,
      mergeCommit: null,
      squashCommit: null,
      commits: new Set([head])
    }
    project.mergeRequests.push(mergeRequest)
    from.branches.set(mergeRequest.source, head)
    return mergeRequest
  },
  push: (project, mergeRequest, head) => {
    mergeRequest.sha = head
    mergeRequest.commits.add(head)
    if (mergeRequest.from === project.id) project.branches.set(mergeRequest.source, head)
  },
  merge: (project, mergeRequest, commit) => {
    Object.assign(mergeRequest, { state: "merged", mergedAt: Lab.timestamp(), mergeCommit: commit })
    mergeRequest.commits.add(commit)
    project.branches.set(mergeRequest.target, commit)
  }
})

const addPipeline = (
  lab: Lab.Lab,
  project: Lab.Project,
  { jobs = [], ...given }: PipelineOptions,
  user: Lab.Account
) => {
  const pipeline: Lab.Pipeline = {
    id: Lab.nextId(lab),
    ref: "main",
    isTag: false,
    source: "push",
    name: null,
    user,
    createdAt: "2026-01-01T00:00:00.000Z",
    status: "failed",
    retries: 0,
    ...given,
    jobs: jobs.map((job) => ({
      id: Lab.nextId(lab),
      name: "unit",
      archive: null,
      hasReport: false,
      isBridge: false,
      expiresAt: null,
      finishedAt: given.createdAt ?? "2026-01-01T00:00:00.000Z",
      ...job
    }))
  }
  project.pipelines.push(pipeline)
  return pipeline
}

/** The platform waits ten seconds for an answer. */
const post = (url: string, { event, payload }: Sent, webhookSecret: string): Effect.Effect<number> =>
  Effect.promise((signal) =>
    fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": "GitLab/19.5.0",
        "x-gitlab-event": event,
        "x-gitlab-event-uuid": randomUUID(),
        "x-gitlab-token": webhookSecret
      },
      body: JSON.stringify(payload),
      signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)])
    })
      .then(({ status }) => status)
      .catch(() => 0)
  )

const projectJson = ({ defaultBranch, id, path }: Lab.Project): JsonObject => ({
  id,
  name: path.split("/").at(-1) ?? "",
  path_with_namespace: path,
  default_branch: defaultBranch,
  web_url: `https://gitlab.test/${path}`
})

/** A delivery about a merge request, with the members that the documentation shows. */
export const mergeRequestHook = (
  project: Lab.Project,
  mergeRequest: Lab.MergeRequest,
  action: "open" | "reopen" | "update" | "merge" | "close",
  more: JsonObject = {}
): Sent => {
  const { author_id: _, ...shown } = { ...mergeRequestJson(project, mergeRequest), author_id: 0 }
  return {
    event: "Merge Request Hook",
    payload: {
      object_kind: "merge_request",
      event_type: "merge_request",
      user: userJson(mergeRequest.author),
      project: projectJson(project),
      object_attributes: {
        ...shown,
        author_id: mergeRequest.author.id,
        action,
        last_commit: { id: mergeRequest.sha, title: "Change", timestamp: Lab.timestamp() },
        updated_at: Lab.timestamp(),
        ...more
      }
    }
  }
}

/** A delivery about a note on a merge request, with the members that the documentation shows. */
export const noteHook = (
  project: Lab.Project,
  mergeRequest: Lab.MergeRequest,
  { author, id, note }: { readonly id: number; readonly note: string; readonly author: Lab.Account }
): Sent => ({
  event: "Note Hook",
  payload: {
    object_kind: "note",
    event_type: "note",
    user: userJson(author),
    project: projectJson(project),
    object_attributes: {
      id,
      note,
      noteable_type: "MergeRequest",
      author_id: author.id,
      action: "create",
      system: false,
      created_at: Lab.timestamp()
    },
    merge_request: { id: mergeRequest.id, iid: mergeRequest.iid, author_id: mergeRequest.author.id }
  }
})

/** A delivery about a push of one commit to the default branch that changes files. */
export const pushHook = (project: Lab.Project, modified: ReadonlyArray<string>): Sent => {
  const sha = project.branches.get(project.defaultBranch) ?? ""
  return {
    event: "Push Hook",
    payload: {
      object_kind: "push",
      event_name: "push",
      ref: `refs/heads/${project.defaultBranch}`,
      checkout_sha: sha,
      project: projectJson(project),
      commits: [{ id: sha, title: "Change", added: [], modified: [...modified], removed: [] }],
      total_commits_count: 1
    }
  }
}

/** A delivery about a pipeline. */
export const pipelineHook = (project: Lab.Project, { id, ref, sha, source, status }: Lab.Pipeline): Sent => ({
  event: "Pipeline Hook",
  payload: {
    object_kind: "pipeline",
    object_attributes: { id, iid: id, ref, sha, source, status, tag: false },
    project: projectJson(project),
    builds: []
  }
})
