/** The state of a simulated GitLab: one mutable value, which the operations read and write. */
import * as Objects from "./Objects.ts"

/** An account. `scopes` are those of its token, null for a token of OAuth, which does not tell them. */
export interface Account {
  readonly id: number
  readonly username: string
  readonly scopes: ReadonlyArray<string> | null
}

/** A merge request. `from` is the project of its source branch: another one for a fork. */
export interface MergeRequest {
  readonly id: number
  readonly iid: number
  readonly title: string
  readonly author: Account
  readonly source: string
  readonly target: string
  readonly from: number
  sha: string
  state: "opened" | "closed" | "merged"
  mergedAt: string | null
  mergeCommit: string | null
  squashCommit: string | null
  readonly commits: Set<string>
  isDraft?: boolean
  description?: string
  /** Whether GitLab still computes if it can be merged: it does so in a job of its own after each push. */
  isChecking?: boolean
}

/** An entry of the merge train of a branch. */
export interface Car {
  readonly iid: number
  readonly target: string
  status: "idle" | "fresh" | "stale" | "merging"
  pipeline: Pipeline | null
}

/** The settings of a project that concern merges, and the jobs of its pipelines. */
export interface Settings {
  mergeMethod: "merge" | "rebase_merge" | "ff"
  mustSucceed: boolean
  hasTrains: boolean
  /** The jobs of the pipeline that each push starts; null: the project has no CI. */
  ci: ReadonlyArray<string> | null
}

/** A status of a commit, a job of a pipeline. */
export interface Status {
  readonly id: number
  readonly sha: string
  readonly ref: string
  readonly name: string
  readonly by: number
  status: string
  description: string | null
  targetUrl: string | null
  readonly pipeline: number
}

/** A note on a merge request; `isSystem` for those that the platform writes itself. */
export interface Note {
  readonly id: number
  readonly iid: number
  readonly author: Account
  body: string
  readonly isSystem: boolean
}

/** A job of a pipeline, with its archive; null without one. A bridge starts another pipeline, and is listed apart. */
export interface Job {
  readonly id: number
  readonly name: string
  readonly archive: Uint8Array | null
  readonly hasReport: boolean
  readonly isBridge: boolean
  readonly expiresAt: string | null
  readonly finishedAt: string | null
}

/** A pipeline. */
export interface Pipeline {
  readonly id: number
  readonly sha: string
  readonly ref: string
  readonly isTag: boolean
  readonly source: string
  readonly name: string | null
  readonly user: Account
  readonly createdAt: string
  status: string
  retries: number
  readonly jobs: ReadonlyArray<Job>
}

/** A project. `members` maps tokens to roles as numbers. */
export interface Project {
  readonly id: number
  path: string
  readonly visibility: "private" | "internal" | "public"
  readonly codeAccess: "disabled" | "private" | "enabled"
  defaultBranch: string
  readonly branches: Map<string, string>
  /** The refs whose pipelines only maintainers may change (`update_pipeline` of GitLab's policies). */
  readonly protectedRefs: Set<string>
  readonly files: Map<string, string>
  readonly members: Map<string, number>
  readonly parents: Map<string, ReadonlyArray<string>>
  readonly mergeRequests: Array<MergeRequest>
  readonly statuses: Array<Status>
  readonly notes: Array<Note>
  readonly pipelines: Array<Pipeline>
  readonly hooks: Array<Hook>
  readonly objects: Objects.Objects
  readonly settings: Settings
  readonly train: Array<Car>
  /** The work of GitLab's workers, done when some more requests have come: a push is processed after its answer. */
  readonly later: Array<{ requests: number; readonly run: () => void }>
}

/** A webhook of a project, and the secret that its deliveries hold. */
export interface Hook {
  readonly url: string
  readonly token: string
  readonly id: number
  readonly events: Readonly<
    Record<"push_events" | "merge_requests_events" | "note_events" | "pipeline_events", boolean>
  >
}

/** The whole state. */
export interface Lab {
  readonly accounts: Map<string, Account>
  readonly projects: Array<Project>
  /** Old paths, and the projects that have left them. */
  readonly moved: Map<string, Project>
  lastId: number
}

/** An empty GitLab. */
export const make = (): Lab => ({ accounts: new Map(), projects: [], moved: new Map(), lastId: 1000 })

/** The next id. */
export const nextId = (lab: Lab): number => (lab.lastId += 1)

/** The time as GitLab writes it. */
export const timestamp = (): string => new Date().toISOString()

/** The roles as numbers. */
export const roles = { guest: 10, planner: 15, reporter: 20, developer: 30, maintainer: 40, owner: 50 } as const

/** The project with a path, however it is spelled, or with an id. */
export const projectAt = (lab: Lab, path: string): Project | undefined =>
  lab.projects.find((each) => each.path.toLowerCase() === path.toLowerCase() || String(each.id) === path)

/**
 * The pipelines of a merge request, newest first: its own, and those of its source branch on its commits.
 *
 * **Details**
 *
 * As `pipelines_for_merge_request_finder.rb`, with one difference: the finder lists pipelines of the merge request before others. Here
 * a newer external one is the latest, which gitlab-org/gitlab#443254 reports, so that the simulation is the stricter of the two.
 */
export const pipelinesOf = ({ pipelines }: Project, { commits, iid, source }: MergeRequest): ReadonlyArray<Pipeline> =>
  pipelines
    .filter(({ ref, sha }) => ref.startsWith(`refs/merge-requests/${iid}/`) || (ref === source && commits.has(sha)))
    .toSorted((a, b) => b.id - a.id)

/** Whether a token may change a pipeline. */
export const mayUpdate = ({ members, protectedRefs }: Project, ref: string, token: string | null): boolean =>
  !protectedRefs.has(ref) || (members.get(token ?? "") ?? 0) >= roles.maintainer

/** Whether a commit is known to a project: as the head of a branch, or in one of its merge requests. */
export const knows = ({ branches, mergeRequests, objects, parents, pipelines }: Project, sha: string): boolean =>
  objects.commit(sha) !== null ||
  [...branches.values()].includes(sha) ||
  parents.has(sha) ||
  pipelines.some((each) => each.sha === sha) ||
  mergeRequests.some((each) => each.sha === sha || each.commits.has(sha))

/** The settings of a new project. */
export const settings = (): Settings => ({ mergeMethod: "merge", mustSucceed: false, hasTrains: false, ci: null })

/** The number of requests after which a push is processed. */
const processed = 2

/** A request arrives: what waits for it happens. */
export const pass = ({ later }: Project): void => {
  for (const each of later) each.requests -= 1
  for (const each of later.filter(({ requests }) => requests <= 0)) {
    later.splice(later.indexOf(each), 1)
    each.run()
  }
}

/** A change of a branch; `to` null removes it. A quiet push starts no pipeline (push option `ci.skip`). */
export interface Change {
  readonly branch: string
  readonly to: string | null
  readonly isQuiet?: boolean
}

/**
 * Moves a branch, and leaves the rest to the workers, as `PostReceive` does.
 *
 * **Details**
 *
 * - Merge requests from the branch get the new head, and are checked again; those from a branch that is gone are closed
 *   (`refresh_service.rb`). Merge requests onto it whose head it holds are merged.
 * - Each push starts a pipeline, which is skipped when the message says so.
 */
export const setBranch = (lab: Lab, project: Project, { branch, isQuiet = false, to }: Change): void => {
  const { branches, later, mergeRequests, objects, settings: given } = project
  if (to === null) branches.delete(branch)
  else branches.set(branch, to)
  later.push({
    requests: processed,
    run: () => {
      for (const each of mergeRequests.filter(({ state }) => state === "opened")) {
        if (each.source === branch && each.from === project.id) {
          if (to === null) each.state = "closed"
          else if (each.sha !== to) Object.assign(each, { sha: to, isChecking: true }).commits.add(to)
        }
        if (each.target !== branch || to === null) continue
        if (objects.contains(to, each.sha))
          Object.assign(each, { state: "merged", mergedAt: timestamp(), mergeCommit: to })
        else each.isChecking = true
      }
      if (to !== null && given.ci !== null && !isQuiet) start(lab, project, branch, to)
    }
  })
}

const start = (
  lab: Lab,
  { branches, objects, pipelines, settings: { ci }, statuses }: Project,
  ref: string,
  sha: string
) => {
  // The worker finds no branch that was removed in the meantime.
  if (branches.get(ref) !== sha) return
  const isSkipped = /\[(?:ci skip|skip ci)\]/iu.test(objects.commit(sha)?.message ?? "")
  const user = { id: 1, username: "root", scopes: null }
  const rest = { isTag: false, name: null, user, createdAt: timestamp(), retries: 0, jobs: [] }
  const id = nextId(lab)
  pipelines.push({ id, sha, ref, source: "push", status: isSkipped ? "skipped" : "running", ...rest })
  if (isSkipped) return
  for (const name of ci ?? []) {
    statuses.push({
      id: nextId(lab),
      sha,
      ref,
      name,
      by: 1,
      status: "running",
      description: null,
      targetUrl: `https://gitlab.test/-/jobs/${id}`,
      pipeline: id
    })
  }
}

/** The state of the check whether a merge request can be merged: the first reason against it, as GitLab shows it. */
export const mergeStatus = (project: Project, mergeRequest: MergeRequest): string => {
  const { branches, objects, settings: given } = project
  const { isChecking = false, isDraft = false, sha, state, target } = mergeRequest
  if (isChecking) return "checking"
  if (state !== "opened") return "not_open"
  if (isDraft) return "draft_status"
  const tip = branches.get(target) ?? ""
  const treeOf = (commit: string) => objects.commit(commit)?.tree ?? ""
  const base = objects.mergeBase(sha, [tip])
  // A head that only other tests know has no objects.
  if (objects.commit(sha) === null) return "mergeable"
  if (base === null) return "broken_status"
  if (objects.merge(treeOf(base), treeOf(tip), treeOf(sha)) === null) return "conflict"
  if (given.mergeMethod !== "merge" && !objects.contains(sha, tip)) return "need_rebase"
  const [newest] = pipelinesOf(project, mergeRequest)
  return given.mustSucceed && newest?.status !== "success" ? "ci_must_pass" : "mergeable"
}

/** The jobs of a pipeline that failed, or were skipped or cancelled for it, run again as new ones. */
export const retry = (lab: Lab, { statuses }: Project, { id: pipeline }: Pipeline): void => {
  const own = statuses.filter((each) => each.pipeline === pipeline)
  const isLatest = ({ id, name }: Status) => !own.some((each) => each.name === name && each.id > id)
  for (const each of own.filter((status) => isLatest(status) && status.status !== "success")) {
    statuses.push({ ...each, id: nextId(lab), status: "running" })
  }
}

/** A job ends; its pipeline ends with its last job. */
export const finish = (
  { pipelines, statuses }: Project,
  { name, sha, status }: Pick<Status, "name" | "sha" | "status">
): void => {
  const job = statuses.findLast((each) => each.sha === sha && each.name === name)
  if (job === undefined) return
  job.status = status
  const own = statuses.filter((each) => each.pipeline === job.pipeline)
  const latest = own.filter(({ id, name: of }) => !own.some((each) => each.name === of && each.id > id))
  const pipeline = pipelines.find(({ id }) => id === job.pipeline)
  if (pipeline === undefined || latest.some((each) => each.status === "running" || each.status === "pending")) return
  pipeline.status = latest.some((each) => each.status === "failed") ? "failed" : "success"
}
