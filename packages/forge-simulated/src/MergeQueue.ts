/**
 * GitHub's own merge queue, simulated: it builds groups, merges what passes, evicts what fails or is silent for too long.
 *
 * **Details**
 *
 * Each group holds one pull request on what is ahead of it, and at most `max_entries_to_build` are built at a time. A test moves the queue with `turn`; nothing happens in between. A group
 * is judged by the required checks of the branch, as the rules of the repository name them. When a pull request leaves, the queue builds
 * every group behind it again.
 */
import * as Hub from "./Hub.ts"
import { isObject, type JsonObject } from "./Json.ts"

/** The outcome of a turn: the groups that were built, and the pull requests that were merged or evicted. */
export interface Turn {
  readonly built: ReadonlyArray<Hub.QueueEntry>
  readonly merged: ReadonlyArray<number>
  readonly evicted: ReadonlyArray<number>
}

/** Puts an open pull request at the end of the queue. */
export const enter = (repository: Hub.Repository, number: number): void => {
  repository.queue ??= []
  if (!repository.queue.some((entry) => entry.number === number)) repository.queue.push({ number, group: null })
}

/**
 * Why a pull request leaves, and when; `by` is null for GitHub itself.
 *
 * **Details**
 *
 * The words are those that people report of the timeline: `failed_checks`, `merge_conflict`, `manual` (djinnos/djinn#768), `merged`
 * (objectstack-ai/objectstack#19343: also after a merge). That of a timeout was not seen by anybody; unverified.
 */
export interface Cause {
  readonly at: number
  readonly reason: "failed_checks" | "checks_timed_out" | "merge_conflict" | "manual" | "merged"
  readonly by: string | null
}

const note = (repository: Hub.Repository, number: number, { at, by, reason }: Cause): void => {
  repository.removals ??= []
  repository.removals.push({ number, reason, by, at: `${new Date(at).toISOString().slice(0, 19)}Z` })
}

/** Takes a pull request out, and discards the groups behind it. */
export const leave = (repository: Hub.Repository, number: number, cause?: Cause): void => {
  const index = (repository.queue ?? []).findIndex((entry) => entry.number === number)
  if (index < 0) return
  if (cause !== undefined) note(repository, number, cause)
  repository.queue?.splice(index, 1)
  for (const behind of repository.queue?.slice(index) ?? []) behind.group = null
}

/**
 * Loses the runs of the next group of a pull request.
 *
 * **Details**
 *
 * People report groups for which GitHub creates no workflow run, while those built after them have theirs within seconds; the
 * entry waits until the queue gives up on it. Taken out and put in again, it gets a new group, which has its runs
 * (loopdive/js2#1356, #1357: "the merge_group webhook glitch hits per-group, not just the queue head";
 * FOGProject/fogproject#1523; objectstack-ai/objectui#7010).
 */
export const loseRuns = (repository: Hub.Repository, number: number): void => {
  repository.lostRuns ??= []
  repository.lostRuns.push(number)
}

/** Pushes a new head to a pull request; one that is queued leaves. */
export const push = (repository: Hub.Repository, number: number, sha: string, at = 0): void => {
  const pull = repository.pulls.find((each) => each.number === number)
  if (pull === undefined) return
  pull.head = { ...pull.head, sha }
  pull.commits.add(sha)
  leave(repository, number, { at, reason: "manual", by: pull.user.login })
}

/** Merges and evicts until nothing changes, then builds what is missing. `now` is the time by the clock of the test. */
export const turn = (hub: Hub.Hub, repository: Hub.Repository, now: number): Turn => {
  const merged: Array<number> = []
  const evicted: Array<number> = []
  for (;;) {
    const out = leaver(repository, now)
    if (out !== undefined) {
      leave(repository, out.entry.number, { at: now, reason: out.reason, by: null })
      evicted.push(out.entry.number)
      continue
    }
    const group = (repository.queue ?? []).slice(0, passingCount(repository, now))
    if (group.length === 0) break
    for (const entry of group) {
      merge(hub, repository, entry, now)
      merged.push(entry.number)
    }
  }
  return { built: build(hub, repository, now), merged, evicted }
}

interface Leaver {
  readonly entry: Hub.QueueEntry
  readonly reason: Cause["reason"]
}

/** The entries whose groups are built, with the verdict on each. */
const judged = (repository: Hub.Repository, now: number) => {
  const queue = repository.queue ?? []
  const end = queue.findIndex(({ group }) => group === null)
  return queue
    .slice(0, end < 0 ? queue.length : end)
    .flatMap((entry) =>
      entry.group === null ? [] : [{ entry, at: entry.group.at, verdict: verdictOf(repository, entry.group, now) }]
    )
}

/**
 * The first pull request that leaves without a merge.
 *
 * **Details**
 *
 * With HEADGREEN one that failed stays while another behind it may pass: "Failing entries are allowed to merge if they are with a
 * passing entry" (schema of GraphQL, `MergeQueueMergingStrategy`).
 */
const leaver = (repository: Hub.Repository, now: number): Leaver | undefined => {
  const isOpen = (number: number) => repository.pulls.find((each) => each.number === number)?.state === "open"
  const closed = repository.queue?.find(({ number }) => !isOpen(number))
  if (closed !== undefined) return { entry: closed, reason: "manual" }
  const entries = judged(repository, now)
  const isHeadGreen = configurationOf(repository).mergingStrategy === "HEADGREEN"
  for (const { entry, verdict } of isHeadGreen ? entries.slice(-1) : entries) {
    if (verdict === "failed_checks" || verdict === "checks_timed_out") return { entry, reason: verdict }
  }
  return undefined
}

/**
 * How many pull requests at the head of the queue are merged now.
 *
 * **Details**
 *
 * A smaller group than the minimum waits for others, and is merged when `min_entries_to_merge_wait_minutes` have passed
 * (description of the rule `merge_queue`: "After this time has elapsed, the minimum group size will be ignored").
 */
const passingCount = (repository: Hub.Repository, now: number): number => {
  const { maximumEntriesToMerge, mergingStrategy, minimumEntriesToMerge, minimumEntriesToMergeWaitTime } =
    configurationOf(repository)
  const entries = judged(repository, now).slice(0, Math.max(1, maximumEntriesToMerge))
  const red = entries.findIndex(({ verdict }) => verdict !== "success")
  const last = entries.findLastIndex(({ verdict }) => verdict === "success")
  const count = mergingStrategy === "HEADGREEN" ? last + 1 : red < 0 ? entries.length : red
  const isWaiting = now - (entries[0]?.at ?? now) < minimumEntriesToMergeWaitTime * minute
  return count < minimumEntriesToMerge && isWaiting ? 0 : count
}

type Group = NonNullable<Hub.QueueEntry["group"]>

const verdictOf = (
  repository: Hub.Repository,
  { at, id }: Group,
  now: number
): "success" | "pending" | "failed_checks" | "checks_timed_out" => {
  const states = requiredOf(repository).map((name) => stateOf(repository, id, name))
  if (states.some((state) => state !== null && !passing.has(state))) return "failed_checks"
  if (states.every((state) => state !== null)) return "success"
  return now - at > timeoutOf(repository) ? "checks_timed_out" : "pending"
}

/**
 * A skipped or neutral required check passes (docs.github.com, "Troubleshooting required status checks": "If a job in a workflow
 * is skipped due to a conditional, it will report its status as Success"; "successful check statuses are success, skipped, and
 * neutral").
 */
const passing: ReadonlySet<string> = new Set(["success", "skipped", "neutral"])

/** The conclusion of the newest check, or else status, with a name on a commit; null before it has one. */
const stateOf = ({ checkRuns, statuses }: Hub.Repository, sha: string, name: string): string | null => {
  const run = checkRuns.findLast(({ headSha, members }) => headSha === sha && members["name"] === name)
  const status = statuses.findLast(({ members, sha: of }) => of === sha && members["context"] === name)
  const end = run === undefined ? status?.members["state"] : run.members["conclusion"]
  return typeof end === "string" && end !== "pending" ? end : null
}

/** The first required check that runs on a commit, or did not pass there. */
export const redOf = (repository: Hub.Repository, sha: string): string | undefined =>
  requiredOf(repository).find((name) => {
    const isKnown = repository.checkRuns.some(({ headSha, members }) => headSha === sha && members["name"] === name)
    return isKnown && !passing.has(stateOf(repository, sha, name) ?? "")
  })

const parametersOf = ({ branchRules = [] }: Hub.Repository, type: string): ReadonlyArray<JsonObject> =>
  branchRules.flatMap((rule) => {
    const { parameters } = rule
    return rule["type"] === type && isObject(parameters) ? [parameters] : []
  })

const requiredOf = (repository: Hub.Repository): ReadonlyArray<string> =>
  parametersOf(repository, "required_status_checks").flatMap(({ required_status_checks: checks }) =>
    Array.isArray(checks) ? checks.flatMap((each) => (isObject(each) ? [String(each["context"])] : [])) : []
  )

const minute = 60_000

/** The limits of the queue, as GraphQL has them; GitHub's defaults where no rule sets them. */
export const configurationOf = (repository: Hub.Repository) => {
  const [parameters = {}] = parametersOf(repository, "merge_queue")
  const number = (name: string, otherwise: number) => Number(parameters[name] ?? otherwise)
  return {
    checkResponseTimeout: number("check_response_timeout_minutes", 60),
    maximumEntriesToBuild: number("max_entries_to_build", 5),
    maximumEntriesToMerge: number("max_entries_to_merge", 5),
    minimumEntriesToMerge: number("min_entries_to_merge", 1),
    minimumEntriesToMergeWaitTime: number("min_entries_to_merge_wait_minutes", 5),
    mergingStrategy: parameters["grouping_strategy"] === "HEADGREEN" ? "HEADGREEN" : "ALLGREEN"
  }
}

/** The time after which a silent check fails, in milliseconds. */
const timeoutOf = (repository: Hub.Repository): number => configurationOf(repository).checkResponseTimeout * minute

/** The merge of a group has the tree of the group, unless the repository is set to land another one. */
const merge = (hub: Hub.Hub, repository: Hub.Repository, { group, number }: Hub.QueueEntry, now: number): void => {
  repository.queue?.shift()
  note(repository, number, { at: now, reason: "merged", by: null })
  const pull = repository.pulls.find((each) => each.number === number)
  if (pull === undefined || group === null) return
  const commit = `f${group.id.slice(1)}`
  repository.trees?.set(commit, repository.landsWrongly === true ? "another tree" : treeOf(repository, group.id))
  Object.assign(pull, { state: "closed", mergedAt: Hub.timestamp(hub), mergeCommit: commit })
  pull.commits.add(commit)
  Hub.advance(repository, group.id, group.onto)
}

/** The tree of a commit; one without an own tree is named after the commit. */
export const treeOf = ({ history, trees }: Hub.Repository, sha: string): string =>
  history?.commit(sha)?.tree ?? trees?.get(sha) ?? `tree-of-${sha}`

/** The commit of a group, as GitHub names commits; its end is the number of the pull request. */
const nameOf = (id: number, number: number): string => `${id}`.padStart(30, "0") + `${number}`.padStart(10, "0")

/** The number of the pull request that a group holds. */
export const numberOf = (group: string): number => Number(group.slice(-10))

/**
 * Whether an entry cannot be merged.
 *
 * **Details**
 *
 * It is not built, and holds up those behind it, until somebody takes it out (nexi-lab/nexus#3367: "marks entries as UNMERGEABLE
 * but does not auto-remove them, blocking the rest of the queue"; erigontech/erigon#21498).
 */
export const isUnmergeable = (
  { pulls }: Hub.Repository,
  { group, isUnmergeable: is, number }: Hub.QueueEntry
): boolean =>
  is === true || (group === null && pulls.find((pull) => pull.number === number)?.mergeable === "CONFLICTING")

const build = (hub: Hub.Hub, repository: Hub.Repository, now: number): ReadonlyArray<Hub.QueueEntry> => {
  let onto = repository.tip ?? "m0"
  const built: Array<Hub.QueueEntry> = []
  const most = configurationOf(repository).maximumEntriesToBuild
  for (const entry of (repository.queue ?? []).slice(0, most)) {
    if (isUnmergeable(repository, entry)) break
    if (entry.group === null) {
      const lost = repository.lostRuns?.indexOf(entry.number) ?? -1
      if (lost >= 0) repository.lostRuns?.splice(lost, 1)
      const id = nameOf(Hub.nextId(hub), entry.number)
      entry.group = { id, onto, at: now, ...(lost < 0 ? {} : { isLost: true }) }
      built.push(entry)
    }
    onto = entry.group.id
  }
  return built
}
