/** The state of a simulated GitHub: one mutable value, which the operations read and write. */
import { createPublicKey, generateKeyPairSync, randomBytes } from "node:crypto"
import type { History, Move } from "./History.ts"
import type { JsonObject } from "./Json.ts"

/** An account. */
export interface User {
  readonly id: number
  readonly login: string
}

/** A pull request; `commits` are those that it brought to its base. */
export interface Pull {
  readonly id: number
  readonly number: number
  title: string
  readonly user: User
  head: { sha: string; readonly ref: string; readonly isFork: boolean }
  base: { sha: string; readonly ref: string }
  state: "open" | "closed"
  isDraft?: boolean
  labels?: ReadonlyArray<string>
  /** Whether it merges without a conflict, and what its reviews say; absent: it does, and no rule asks for a review. */
  mergeable?: "CONFLICTING" | "UNKNOWN"
  review?: "APPROVED" | "REVIEW_REQUIRED" | "CHANGES_REQUESTED"
  mergedAt: string | null
  mergeCommit: string | null
  readonly commits: Set<string>
}

/**
 * A check run, with the members that its creator sent; annotations add up over the updates.
 *
 * **Details**
 *
 * Each run of a workflow has a check suite of its own, and keeps it when it runs again. Without a `suiteId` the check run is in the
 * suite that its app has for the commit.
 */
export interface CheckRun {
  readonly id: number
  readonly headSha: string
  readonly appId: number
  readonly suiteId?: number
  members: JsonObject
  readonly annotations: Array<JsonObject>
}

/** An issue; `appId` names the app that wrote it. */
export interface Issue {
  readonly id: number
  readonly number: number
  readonly user: User
  readonly appId: number | null
  title: string
  body: string
  state: "open" | "closed"
  reason: string | null
  labels: ReadonlyArray<string>
  assignees: ReadonlyArray<string>
  readonly createdAt: string
  updatedAt: string
  closedAt: string | null
  closedBy: User | null
}

/** A comment on an issue or a pull request; `appId` names the app that wrote it. */
export interface Comment {
  readonly id: number
  readonly number: number
  readonly user: User
  readonly appId: number | null
  body: string
  updatedAt: string
}

/** A commit status. */
export interface CommitStatus {
  readonly sha: string
  readonly members: JsonObject
}

/** The words for the end of a run of a workflow, or of one of its jobs. */
export type Conclusion =
  | "success"
  | "failure"
  | "neutral"
  | "skipped"
  | "cancelled"
  | "timed_out"
  | "action_required"
  | "startup_failure"

/**
 * A job of a run.
 *
 * **Details**
 *
 * - `needs`: the jobs that have to end first; it is skipped when one of them did not pass, unless it `runsAlways`.
 * - `checkRunId`: null until it starts: a job that waits for others has no check run.
 */
export interface Job {
  readonly name: string
  readonly needs: ReadonlyArray<string>
  readonly runsAlways: boolean
  checkRunId: number | null
  conclusion: Conclusion | null
}

/**
 * A run of a workflow, with the archives of its artifacts by name.
 *
 * **Details**
 *
 * `suiteId` is its check suite, which it keeps when it runs again. `isCancelling`: it was asked to end, and does some time later.
 */
export interface WorkflowRun {
  readonly id: number
  readonly name: string
  readonly headSha: string
  readonly headBranch: string
  readonly suiteId: number
  status: "queued" | "in_progress" | "waiting" | "completed"
  conclusion: Conclusion | null
  attempt: number
  isCancelling?: boolean
  readonly jobs?: ReadonlyArray<Job>
  readonly artifacts: ReadonlyArray<Artifact>
  readonly event?: string
  /** The owner of the fork that the head is in. */
  readonly fork?: string
  readonly createdAt?: string
  startedAt?: string
}

/** An archive that a run keeps. */
export interface Artifact {
  readonly id: number
  readonly name: string
  readonly zip: Uint8Array
  readonly createdAt?: string
}

/**
 * A pull request in the queue.
 *
 * **Details**
 *
 * `group` is the commit that was built for it and when, null before. `isLost`: no workflow run is ever created for that commit.
 * `isUnmergeable`: GitHub calls it so for another reason than a conflict of its own.
 */
export interface QueueEntry {
  readonly number: number
  isUnmergeable?: boolean
  group: { readonly id: string; readonly onto: string; readonly at: number; readonly isLost?: true } | null
}

/** A removal from the queue, in a word of the timeline; `by` is null for GitHub itself. */
export interface Removal {
  readonly number: number
  readonly at: string
  readonly reason: string
  readonly by: string | null
}

/** A repository. `tokens` maps the tokens of people to what each may do. */
export interface Repository {
  readonly id: number
  owner: string
  name: string
  readonly isPrivate: boolean
  defaultBranch: string
  readonly files: Map<string, string>
  readonly tokens: Map<string, "read" | "write">
  /** The permission of each account by login; one without an entry, and not among the people of the hub, does not exist. */
  readonly people?: Map<string, "admin" | "write" | "read" | "none">
  /** The branches and their commits; absent before the first one was asked for, and where the repository has a history. */
  branches?: Map<string, string>
  /** Its commits and branches; absent where a commit is no more than a name. */
  history?: History
  /** Whether the app bypasses the rules of branches. */
  isBypassed?: boolean
  readonly pulls: Array<Pull>
  readonly checkRuns: Array<CheckRun>
  readonly comments: Array<Comment>
  readonly issues: Array<Issue>
  /** The numbers of issues that were deleted. */
  readonly deletedIssues?: Set<number>
  /** Whether the repository is read-only. */
  isArchived?: boolean
  /** Whether the repository has no issues. */
  isWithoutIssues?: boolean
  /** The times of commits, in milliseconds; any other commit does not exist. */
  readonly commitTimes?: Map<string, number>
  readonly statuses: Array<CommitStatus>
  readonly runs: Array<WorkflowRun>
  /** The merge queue of the default branch; absent where it is off. */
  queue?: Array<QueueEntry>
  /** Pull requests whose next group gets no run, each as often as it is named. */
  lostRuns?: Array<number>
  removals?: Array<Removal>
  /** The commit on which the queue builds, `m0` before anything was merged. */
  tip?: string
  /** The parents of commits of the default branch. */
  parents?: Map<string, string>
  /** Whether the queue merges another tree than that of the group. */
  landsWrongly?: boolean
  /** The rules of every branch, as the REST description has them. */
  readonly branchRules?: Array<JsonObject>
  /**
   * How long the commit of a group that is built is unknown to the writes and reads of checks; absent: it is known at once.
   *
   * People report 422 "No commit found for SHA" for commits that exist, until some seconds have passed (home-assistant/service-hub#394:
   * "the commit is visible seconds later"; rust-lang/homu#141, of a commit that a merge bot had just made).
   */
  lag?: number
  /** The checks that the older protection of the default branch requires, and the apps that they are bound to. */
  protectedBy?: ReadonlyArray<{ readonly context: string; readonly app?: number }>
  /** The trees of commits; any other commit has a tree that is named after it. */
  readonly trees?: Map<string, string>
}

/** The registration of an app. */
export interface App {
  readonly id: number
  readonly name: string
  readonly slug: string
  readonly privateKey: string
  readonly webhookSecret: string
  permissions: Readonly<Record<string, "read" | "write">>
  /** The events that its webhook gets. */
  events: ReadonlyArray<string>
  /** The client that it is for people who sign in. */
  readonly clientId: string
  readonly clientSecret: string
  readonly callbackUrls: ReadonlyArray<string>
}

/** A code of a person who signs in, for the client that asked for it. */
export interface SignInCode {
  readonly app: App
  readonly user: User
  readonly redirectUri: string
  readonly challenge: string | null
}

/** An installation of an app on an account. */
export interface Installation {
  readonly id: number
  readonly appId: number
  readonly owner: string
  isSuspended: boolean
  /** The permissions that the account has accepted, where they are not all that the app asks for. */
  accepted?: Readonly<Record<string, "read" | "write">>
}

/** A delivery, and the status of each attempt to send it; 0 stands for no answer. */
export interface Delivery {
  readonly id: number
  readonly guid: string
  readonly event: string
  readonly at: string
  readonly payload: JsonObject
  readonly attempts: Array<number>
}

/** The whole state. */
export interface Hub {
  readonly apps: Map<number, App>
  /** The codes of manifests that were confirmed, each with the registered app. */
  readonly manifests: Map<string, App>
  readonly installations: Map<number, Installation>
  /** People who have an account, and the tokens of those who signed in. */
  readonly people: Array<{ readonly id: number; login: string }>
  readonly codes: Map<string, SignInCode>
  readonly userTokens: Map<string, User>
  readonly tokens: Map<string, { readonly installation: number; expiresAt: number }>
  readonly repositories: Array<Repository>
  /** Old names, and the repositories that have left them. */
  readonly renamed: Map<string, Repository>
  readonly deliveries: Array<Delivery>
  /** How many milliseconds its clock is ahead of that of this machine. */
  ahead: number
  lastId: number
}

/** A public repository with nothing in it. */
export const emptyRepository = (own: Pick<Repository, "id" | "owner" | "name">): Repository => ({
  ...own,
  isPrivate: false,
  defaultBranch: "main",
  files: new Map(),
  tokens: new Map(),
  pulls: [],
  checkRuns: [],
  comments: [],
  issues: [],
  statuses: [],
  runs: [],
  branchRules: []
})

/** An empty GitHub. */
export const make = (): Hub => ({
  apps: new Map(),
  manifests: new Map(),
  installations: new Map(),
  people: [],
  codes: new Map(),
  userTokens: new Map(),
  tokens: new Map(),
  repositories: [],
  renamed: new Map(),
  deliveries: [],
  ahead: 0,
  lastId: 1000
})

/** The time of the simulated clock. */
export const now = ({ ahead }: Hub): number => Date.now() + ahead

/** The present time of the hub as GitHub writes it. */
export const timestamp = (hub: Hub): string => `${new Date(now(hub)).toISOString().slice(0, 19)}Z`

/** The check suite of a check run; that of an app has the id of its first check run on the commit. */
export const suiteOf = ({ checkRuns }: Repository, run: CheckRun): number =>
  run.suiteId ??
  checkRuns.find(
    ({ appId, headSha, suiteId }) => suiteId === undefined && headSha === run.headSha && appId === run.appId
  )?.id ??
  run.id

/** The page of a check run. */
export const pageOf = ({ name, owner }: Repository, { id }: CheckRun): string =>
  `https://github.test/${owner}/${name}/runs/${id}`

/** Moves the default branch to a commit on another one. */
export const advance = (repository: Repository, commit: string, parent: string): void => {
  repository.parents ??= new Map()
  repository.parents.set(commit, parent)
  repository.tip = commit
}

/** The tip of the default branch. */
export const tipOf = ({ branches, defaultBranch, history, tip }: Repository): string =>
  history?.branches().get(defaultBranch) ?? tip ?? branches?.get(defaultBranch) ?? "m0"

/** The branches of a repository and their commits. */
export const branchesOf = (repository: Repository): ReadonlyMap<string, string> =>
  repository.history?.branches() ?? (repository.branches ??= new Map([[repository.defaultBranch, first]]))

/** The commit of the default branch before anything was committed. */
export const first = "0".repeat(40)

/**
 * Moves a branch, and yields whether it was where it was expected.
 *
 * **Details**
 *
 * An open pull request from the branch has the commit as its head then. One onto it is merged when the branch holds its head, as
 * after any push (docs.github.com, "About pull request merges", "indirect merges"). One from or onto a branch that is removed is
 * closed (orgs/community#210704: "`base_ref_deleted`, then `closed` in the same second"; cli/cli#14223 for removals by REST).
 */
export const moveBranch = (hub: Hub, repository: Repository, branch: string, move: Move): boolean => {
  const before = branchesOf(repository).get(branch)
  if (repository.history !== undefined) {
    if (!repository.history.move(branch, move)) return false
  } else if (move.to === null) repository.branches?.delete(branch)
  else repository.branches?.set(branch, move.to)
  const { to } = move
  if (to === before) return true
  for (const pull of repository.pulls) {
    if (pull.state !== "open") continue
    if (to === null) {
      const isFrom = pull.head.ref === branch && !pull.head.isFork
      if (isFrom || pull.base.ref === branch) pull.state = "closed"
      continue
    }
    if (pull.head.ref === branch && !pull.head.isFork) {
      pull.head = { ...pull.head, sha: to }
      pull.commits.add(to)
    }
    const isMerged = pull.base.ref === branch && repository.history?.contains(to, pull.head.sha) === true
    if (!isMerged) continue
    Object.assign(pull, { state: "closed", mergedAt: timestamp(hub), mergeCommit: to })
    pull.commits.add(to)
  }
  return true
}

/** The rule of a type that the branches have and the app does not bypass; null without one. */
export const ruleAgainst = ({ branchRules = [], isBypassed = false }: Repository, type: string): JsonObject | null =>
  isBypassed ? null : (branchRules.find((rule) => rule["type"] === type) ?? null)

/** The next id. */
export const nextId = (hub: Hub): number => (hub.lastId += 1)

/** A random token of a kind, such as `ghs`. */
export const newToken = (kind: string): string => `${kind}_${randomBytes(18).toString("hex")}`

/** The permissions that the manifest of Lazaret asks for: an app has these and no others until its owner grants more. */
export const permissions: Readonly<Record<Permission, "read" | "write">> = {
  metadata: "read",
  checks: "write",
  statuses: "write",
  pull_requests: "write",
  contents: "read",
  issues: "write",
  actions: "write",
  merge_queues: "read"
}

/** The events to which the manifest of Lazaret subscribes. */
const events = [
  "check_run",
  "issue_comment",
  "merge_group",
  "pull_request",
  "push",
  "repository",
  "status",
  "workflow_job",
  "workflow_run"
]

/** A permission of an app for repositories. */
export type Permission =
  | "metadata"
  | "checks"
  | "statuses"
  | "pull_requests"
  | "contents"
  | "issues"
  | "actions"
  | "merge_queues"

/** Keys are slow to make, so every app of a process has the same one. */
let pair: string | null = null

/** Registers an app; its slug follows from its name, as at GitHub. */
export const addApp = (
  hub: Hub,
  {
    callbackUrls = [],
    name = "Lazaret",
    permissions: granted = permissions
  }: Partial<Pick<App, "name" | "permissions" | "callbackUrls">> = {}
): App => {
  pair ??= generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" }
  }).privateKey
  const app = {
    id: nextId(hub),
    name,
    slug: name.toLowerCase().replaceAll(/[^a-z0-9]+/gu, "-"),
    privateKey: pair,
    webhookSecret: newToken("secret"),
    permissions: granted,
    events,
    clientId: newToken("Iv23"),
    clientSecret: newToken("client"),
    callbackUrls
  }
  hub.apps.set(app.id, app)
  return app
}

/** The public half of the key of an app. */
export const publicKeyOf = ({ privateKey }: App) => createPublicKey(privateKey)

/** The repository with a name, however it is spelled. */
export const repositoryNamed = (hub: Hub, owner: string, name: string): Repository | undefined =>
  hub.repositories.find((each) => keyOf(each.owner, each.name) === keyOf(owner, name))

/**
 * The repository with a name, or that has left it and whose name no other one has taken since.
 *
 * **Details**
 *
 * GraphQL follows an earlier name by itself (`followRenames`); REST redirects (`redirectOf`).
 */
export const repositoryAt = (hub: Hub, owner: string, name: string): Repository | undefined =>
  repositoryNamed(hub, owner, name) ?? hub.renamed.get(keyOf(owner, name))

/** Whether a commit is that of a group which GitHub built so lately that its checks are refused. */
export const isTooNew = (hub: Hub, { lag, queue = [] }: Repository, sha: string): boolean =>
  lag !== undefined && queue.some(({ group }) => group?.id === sha && now(hub) - group.at < lag)

/** The person with a login, in any case. */
export const personNamed = ({ people }: Hub, login: string): User | undefined =>
  people.find((each) => each.login.toLowerCase() === login.toLowerCase())

/** The key of a repository in `renamed`. */
export const keyOf = (owner: string, name: string): string => `${owner}/${name}`.toLowerCase()

/** The installation on an account; of a certain app, or of any. */
export const installationOf = (hub: Hub, owner: string, appId?: number): Installation | undefined =>
  [...hub.installations.values()].find(
    (each) => each.owner.toLowerCase() === owner.toLowerCase() && (appId === undefined || each.appId === appId)
  )

/** The number of the next issue or pull request: they share one sequence. */
export const nextNumber = ({ deletedIssues, issues, pulls }: Repository): number =>
  pulls.length + issues.length + (deletedIssues?.size ?? 0) + 1
