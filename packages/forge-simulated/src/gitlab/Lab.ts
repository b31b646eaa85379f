/** The state of a simulated GitLab: one mutable value, which the operations read and write. */

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
export const knows = ({ branches, mergeRequests, parents, pipelines }: Project, sha: string): boolean =>
  [...branches.values()].includes(sha) ||
  parents.has(sha) ||
  pipelines.some((each) => each.sha === sha) ||
  mergeRequests.some((each) => each.sha === sha || each.commits.has(sha))
