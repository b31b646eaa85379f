/** News of the hosting platform: the difference of a snapshot and the state of an engine, as observations. */
import { type FailureVerdict, Instant, Text } from "@lazaret/domain"
import {
  CheckMatch,
  EngineConfiguration,
  type EngineEvent,
  EngineState,
  FailureClass,
  Fates,
  type Observation,
  type Preflight
} from "@lazaret/queue"
import { Equal } from "effect"
import type { BranchTip, OpenPullSnapshot, PullSnapshot, QueueEntry } from "./QueueForge.ts"

/**
 * The result of one round of reading.
 *
 * **Details**
 *
 * - `queue`: the platform's own queue. `gone`: the pull requests that were in it, alone or in a group.
 * - `unmergeable`: the pull requests of entries that the platform calls unmergeable.
 * - `rules`: of the repository for the branch; null where no gate asks for them.
 * - `open`: the open pull requests; null where no gate asks for them.
 * - `closed`: the known heads that are not among them; null: there is no such pull request any more.
 * - `checks`: of the groups. `running`: whether a run works, for the groups of which that was asked. `reports`: the judged
 *   failures of commits.
 * - `tip`: of the base branch; null where no gate asks for it.
 */
export interface Snapshot {
  readonly at: number
  readonly queue: ReadonlyArray<QueueEntry>
  readonly rules: ReadonlyArray<Preflight.BranchRule> | null
  readonly gone: ReadonlyMap<number, PullSnapshot>
  readonly unmergeable: ReadonlyMap<number, PullSnapshot>
  readonly open: ReadonlyArray<OpenPullSnapshot> | null
  readonly closed: ReadonlyMap<number, PullSnapshot | null>
  readonly checks: ReadonlyMap<string, ReadonlyArray<Observation.Check>>
  readonly running: ReadonlyMap<string, boolean>
  readonly tip: BranchTip | null
  readonly reports: ReadonlyMap<string, Reports>
}

/** The judged failures of an attempt on a commit, and the jobs of its required checks. */
export interface Reports {
  readonly attempt: number
  readonly failures: ReadonlyArray<Observation.Failure>
  readonly matches?: ReadonlyArray<CheckMatch.CheckMatch>
}

/** The groups that may still be decided or land. */
export const openGroups = ({ groups }: EngineState.EngineState): ReadonlyArray<EngineState.NativeGroup> =>
  groups.filter(({ gone }) => gone === null)

/** The groups that the platform evicted from and whose failures are still read: in the shadow nothing else says why they failed. */
export const awaited = (state: EngineState.EngineState, now: number): ReadonlyArray<string> =>
  state.evicted
    .filter((evicted) => Fates.isAwaited(state, evicted, now))
    .flatMap(({ number }) => state.groups.findLast(({ members }) => isIn(members, number))?.id ?? [])

/** Whether somebody waits in the platform's queue, or to be queued again. */
export const isWaiting = (state: EngineState.EngineState): boolean =>
  openGroups(state).length > 0 || state.parked.length > 0 || state.entries.length > 0

/** Whether something waits for the platform: a group, what is to be queued again, or a head that has not passed. */
export const isBusy = (state: EngineState.EngineState): boolean =>
  state.entries.length > 0 ||
  state.branches.length > 0 ||
  isWaiting(state) ||
  state.heads.some(({ sha }) => state.shown[sha]?.startsWith("success ") !== true)

/** The pull requests that the platform's queue, or a group of it, does not have any more: each is read until it is known why. */
export const missingMembers = (
  state: EngineState.EngineState,
  queue: ReadonlyArray<QueueEntry>,
  at: number
): ReadonlyArray<number> => {
  const present = new Set(queue.map(({ group }) => group?.id))
  const missing = openGroups(state).filter(({ id }) => !present.has(id))
  const left = state.queue.filter(({ number }) => !isIn(queue, number))
  const unsure = state.evicted.filter(({ at: evictedAt, cause }) => cause === "unknown" && at - evictedAt <= reasonLag)
  return [...new Set([...missing.flatMap(({ members }) => members), ...left, ...unsure].map(({ number }) => number))]
}

/** The entries that the platform calls unmergeable: each pull request is read, since the entry alone does not say why. */
export const stuckEntries = (queue: ReadonlyArray<QueueEntry>): ReadonlyArray<number> =>
  queue.filter(({ isUnmergeable }) => isUnmergeable === true).map(({ number }) => number)

/** The platform says within this time why it took a pull request out. */
const { reasonLag } = Fates

/** The groups in which a required check is absent, and of which it was not asked lately whether a run works. */
export const unwatched = (
  state: EngineState.EngineState,
  checks: ReadonlyMap<string, ReadonlyArray<Observation.Check>>,
  { configuration, now }: { readonly configuration: EngineConfiguration.EngineConfiguration; readonly now: number }
): ReadonlyArray<string> => {
  const required = EngineConfiguration.requiredOf(configuration)
  const every = configuration.failures.missingAfter / 3
  const clock = EngineState.clock(state, now)
  return openGroups(state)
    .filter(({ id, round }) => {
      const names = (checks.get(id) ?? []).map(({ name }) => name)
      return clock - round.quietUntil >= every && required.some((name) => !names.includes(name))
    })
    .map(({ id }) => id)
}

const isIn = (queue: ReadonlyArray<Observation.Member>, number: number): boolean =>
  queue.some((entry) => entry.number === number)

/** Every observation that the state does not have yet. What is not new is left out, so that the log stays short. */
export const news = (
  state: EngineState.EngineState,
  snapshot: Snapshot,
  configuration: EngineConfiguration.EngineConfiguration
): ReadonlyArray<EngineEvent.EngineEvent> => [
  ...newRules(state, snapshot),
  ...newTip(state, snapshot),
  ...openGroups(state).flatMap((group) => lostGroup(group, snapshot, { state, configuration })),
  ...pulls(state, snapshot, configuration.branch),
  ...leavers(state, snapshot),
  ...late(state, snapshot),
  ...conflicts(state, snapshot),
  ...newQueue(state, snapshot),
  ...newGroups(state, snapshot),
  ...roundsOf(state, snapshot).flatMap((round) => newsOf(round, snapshot)),
  ...newMatches(state, snapshot)
]

/** The commit whose jobs are read although none failed: until every required check has one, each commit once. */
export const unmatched = (
  state: EngineState.EngineState,
  checks: ReadonlyMap<string, ReadonlyArray<Observation.Check>>,
  configuration: EngineConfiguration.EngineConfiguration
): ReadonlyArray<string> => {
  const { matched } = state
  const required = EngineConfiguration.requiredOf(configuration)
  const hasJob = (name: string) => matched?.matches.some(({ by, check }) => check === name && by !== null) === true
  if (required.every(hasJob)) return []
  const isEnded = (sha: string) =>
    required.every(
      (name) => checks.get(sha)?.some((check) => check.name === name && check.state !== "pending") === true
    )
  return [...checks.keys()].filter((sha) => sha !== matched?.sha && isEnded(sha)).slice(-1)
}

const newMatches = (
  { matched }: EngineState.EngineState,
  { reports }: Snapshot
): ReadonlyArray<EngineEvent.EngineEvent> => {
  const before = matched?.matches ?? []
  const seen = [...reports].flatMap(([sha, { matches }]) => (matches === undefined ? [] : [{ sha, matches }]))
  const after = seen.reduce((known, { matches }) => CheckMatch.merge(known, matches), before)
  const sha = seen.at(-1)?.sha
  const isKnown = Equal.equals(after, before) && after.every(({ by }) => by !== null)
  return sha === undefined || sha === matched?.sha || isKnown ? [] : [{ kind: "jobs_seen", sha, matches: after }]
}

/** The rules of the repository, where they changed. */
export const newRules = (state: EngineState.EngineState, { rules }: Snapshot): ReadonlyArray<EngineEvent.EngineEvent> =>
  rules === null || Equal.equals(rules, state.rules) ? [] : [{ kind: "rules_seen", rules }]

/** The tip of the base branch, where it moved. */
export const newTip = (
  { base }: EngineState.EngineState,
  { at, tip }: Snapshot
): ReadonlyArray<EngineEvent.EngineEvent> =>
  tip === null || tip.sha === base?.sha
    ? []
    : [{ kind: "base_seen", tip: { sha: tip.sha, tree: tip.tree, version: at }, rewritten: tip.isRewritten }]

/** Only a gate shows the platform's queue; a mirror is fed by deliveries. */
const newQueue = (
  state: EngineState.EngineState,
  { open, queue }: Snapshot
): ReadonlyArray<EngineEvent.EngineEvent> => {
  const members = queue.map(({ head, number }) => ({ number, head }))
  const isKnown = open === null || Equal.equals(members, state.queue)
  return isKnown ? [] : [{ kind: "queue_seen", members }]
}

/** Open pull requests that left the platform's queue before it had built a group for them. */
const leavers = (
  state: EngineState.EngineState,
  { at, gone, queue }: Snapshot
): ReadonlyArray<EngineEvent.EngineEvent> => {
  const grouped = new Set(openGroups(state).flatMap(({ members }) => members.map(({ number }) => number)))
  return state.queue.flatMap((member) => {
    const pull = gone.get(member.number)
    if (isIn(queue, member.number) || grouped.has(member.number) || pull?.state !== "open") return []
    return [evicted(member, pull, at - reasonLag)]
  })
}

/** Reasons that the platform says later than that it took the pull request out. */
const late = (
  { evicted: known }: EngineState.EngineState,
  { gone }: Snapshot
): ReadonlyArray<EngineEvent.EngineEvent> =>
  known.flatMap(({ cause, head, number, since }) => {
    const pull = gone.get(number)
    if (cause !== "unknown" || pull === undefined) return []
    const event = evicted({ number, head }, pull, since)
    return event.cause === "unknown" ? [] : [event]
  })

const causes = {
  ci_failure: "checks_failed",
  ci_timeout: "checks_timeout",
  manual: "by_hand",
  merged: "other",
  conflict: "conflict",
  other: "other"
} as const

/** The removal of a pull request, by the platform's own reason if that is of this stay. */
const evicted = (
  { head, number }: Observation.Member,
  { removal, state }: PullSnapshot,
  since: number
): EngineEvent.Of<"evicted"> => {
  const member = { number, head }
  if (state !== "open") return { kind: "evicted", member, cause: "closed" }
  if (removal === null || removal.at < since - EngineState.clockSkew)
    return { kind: "evicted", member, cause: "unknown" }
  const by = removal.by === null ? {} : { by: removal.by }
  return { kind: "evicted", member, cause: causes[removal.reason], at: removal.at, ...by }
}

/** Entries that cannot be merged: the first two reads of their pull requests, a minute apart, and the first that shows no conflict. */
const conflicts = (
  { conflicting }: EngineState.EngineState,
  { at, queue, unmergeable }: Snapshot
): ReadonlyArray<EngineEvent.EngineEvent> => {
  const seen = queue.flatMap(({ head, number }): ReadonlyArray<EngineEvent.EngineEvent> => {
    const pull = unmergeable.get(number)
    const known = conflicting.find((each) => each.number === number && each.head === head)
    const isConflict = pull?.state === "open" && pull.mergeable === false && pull.head === head
    if (isConflict === (known !== undefined) && (known === undefined || !isDue(known, at))) return []
    return [{ kind: "conflict_seen", member: { number, head }, isConflict }]
  })
  const left = conflicting.filter(
    ({ head, number }) => !queue.some((entry) => entry.number === number && entry.head === head)
  )
  return [
    ...left.map(
      ({ head, number }) => ({ kind: "conflict_seen", member: { number, head }, isConflict: false }) as const
    ),
    ...seen
  ]
}

const isDue = ({ at: readAt, reads }: EngineState.Conflicting, at: number): boolean =>
  reads < EngineState.conflictReads && at - readAt >= Instant.minute

const newGroups = (
  { groups }: EngineState.EngineState,
  { queue }: Snapshot
): ReadonlyArray<EngineEvent.EngineEvent> => {
  const known = new Set(groups.map(({ id }) => id))
  return queue.flatMap(({ group, head, number }) =>
    group === null || known.has(group.id)
      ? []
      : [{ kind: "group_seen", group: { ...group, members: [{ number, head }] } } as const]
  )
}

interface Known {
  readonly state: EngineState.EngineState
  readonly configuration: EngineConfiguration.EngineConfiguration
}

/** Why a group is no longer in the queue: it landed, the platform built it again, or its pull request left. */
const lostGroup = (
  group: EngineState.NativeGroup,
  { at, gone, queue }: Snapshot,
  { configuration, state }: Known
): ReadonlyArray<EngineEvent.EngineEvent> => {
  if (queue.some((entry) => entry.group?.id === group.id)) return []
  const { id } = group
  return group.members.flatMap((member): ReadonlyArray<EngineEvent.EngineEvent> => {
    const pull = gone.get(member.number)
    if (pull === undefined) return []
    if (pull.state === "merged")
      return landed(group, { member, pull }, isActing(state) && group.concluded !== "success")
    if (isIn(queue, member.number)) return [{ kind: "group_gone", id, cause: "invalidated" }]
    const said = evicted(member, pull, group.seenAt)
    // Without a reason of the platform the clock says which it was.
    const isSilent = at >= group.seenAt + configuration.responseTimeout - EngineState.clockSkew
    const guess = group.concluded === "failure" ? "checks_failed" : isSilent ? "checks_timeout" : "unknown"
    const isKnown = said.cause !== "unknown" && group.concluded !== "failure"
    return [{ kind: "group_gone", id, cause: "dequeued" }, isKnown ? said : { ...said, cause: guess }]
  })
}

/** A group whose check was not green was merged by somebody around the gate, as another tree as a rule. */
const landed = (
  { id, tree }: EngineState.NativeGroup,
  { member, pull }: { readonly member: Observation.Member; readonly pull: PullSnapshot },
  isBypass: boolean
): ReadonlyArray<EngineEvent.EngineEvent> => {
  const { landed: commit } = pull
  const isTested = commit !== null && (!isBypass || commit.tree === tree)
  return [
    ...(isTested ? [{ kind: "group_landed", id, sha: commit.sha, tree: commit.tree } as const] : []),
    ...(isBypass ? [bypassed(member, pull)] : []),
    { kind: "group_gone", id, cause: "merged" }
  ]
}

const bypassed = ({ head, number }: Observation.Member, pull: PullSnapshot): EngineEvent.EngineEvent => ({
  kind: "bypassed",
  member: { number, head },
  sha: pull.landed?.sha ?? null
})

/** Whether the gate decides what is merged. */
const isActing = ({ configuration }: EngineState.EngineState): boolean =>
  configuration?.mode === "gate" && !configuration.shadow

const pulls = (
  state: EngineState.EngineState,
  { at, closed, open }: Snapshot,
  branch: string
): ReadonlyArray<EngineEvent.EngineEvent> => {
  if (open === null) return []
  const { groups, heads } = state
  const isGrouped = (number: number) =>
    groups.some(({ concluded, gone, members }) => {
      const isOurs = gone === null || gone === "merged" || concluded === "success"
      return isOurs && members.some((member) => member.number === number)
    })
  const seen = (pull: PullSnapshot): EngineEvent.EngineEvent => ({ kind: "pull_seen", pull: pullOf(pull, at) })
  const changed = open.filter((pull) => heads.find(({ number }) => number === pull.number)?.sha !== pull.head)
  const left = heads.flatMap(({ number, sha }): ReadonlyArray<EngineEvent.EngineEvent> => {
    const pull = closed.get(number)
    if (pull === undefined) return []
    const isOpen = pull !== null && pull.state === "open" && pull.base === branch
    if (isOpen) return pull.head === sha ? [] : [seen(pull)]
    const isBypass = pull?.state === "merged" && pull.base === branch && isActing(state) && !isGrouped(number)
    return [
      ...(isBypass ? [bypassed({ number, head: sha }, pull)] : []),
      seen({ ...(pull ?? unknown(number, sha, branch)), state: pull?.state === "merged" ? "merged" : "closed" })
    ]
  })
  return [...changed.map(seen), ...left]
}

/** The head of an open pull request, where it is another one than the engine knows. */
export const newHead = (
  { heads }: EngineState.EngineState,
  pull: PullSnapshot | null,
  at: number
): ReadonlyArray<EngineEvent.EngineEvent> =>
  pull === null || heads.some(({ number, sha }) => number === pull.number && sha === pull.head)
    ? []
    : [{ kind: "pull_seen", pull: pullOf(pull, at) }]

/** A pull request that the platform does not know any more. */
export const unknown = (number: number, head: string, base: string): PullSnapshot => ({
  number,
  head,
  base,
  state: "closed",
  draft: false,
  mergeable: null,
  approved: false,
  labels: [],
  landed: null,
  removal: null
})

/** A pull request as the engine sees it; `blocking` are the labels that keep one out of a queue that is driven. */
export const pullOf = (
  { approved, base, draft, head, labels, mergeable, number, state }: PullSnapshot,
  at: number,
  blocking: ReadonlyArray<string> = []
) => ({
  number,
  state,
  draft,
  head,
  base,
  mergeable,
  approved,
  blockedBy: labels.find((label) => blocking.some((each) => isSameLabel(each, label))) ?? null,
  version: at
})

/** Platforms have no two labels that differ in case alone. */
const isSameLabel = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** The rounds that a snapshot may change, those that begin with it among them. */
const roundsOf = (
  { groups, heads }: EngineState.EngineState,
  { checks, open, queue }: Snapshot
): ReadonlyArray<KnownRound> => {
  const known = [...groups, ...heads].map(({ round }) => round)
  const asked = [
    ...checks.keys(),
    ...queue.flatMap(({ group }) => (group === null ? [] : [group.id])),
    ...(open ?? []).map(({ head }) => head)
  ]
  return [...new Set(asked)].map(
    (sha) => known.find((round) => round.sha === sha) ?? { sha, checks: [], ran: [], reports: null, version: -1 }
  )
}

/** The known checks of a commit. */
export type KnownRound = Pick<EngineState.NativeGroup["round"], "checks" | "ran" | "reports" | "sha" | "version">

/** The checks and reports of a commit, where they changed. */
export const newsOf = (
  { checks: known, ran, reports: reported, sha, version }: KnownRound,
  { at, checks, open, reports, running }: Snapshot
): ReadonlyArray<EngineEvent.EngineEvent> => {
  const all = checks.get(sha) ?? open?.find(({ head }) => head === sha)?.checks ?? []
  const seen = all
    .filter(({ name }) => name !== EngineConfiguration.ownCheck)
    .toSorted((a, b) => Text.compare(a.name, b.name))
  const ranAt = new Map(ran.map(({ attempt, name }) => [name, attempt]))
  const lineOf = ({ attempt, name, state }: Observation.Check) =>
    `${name} ${attempt <= (ranAt.get(name) ?? 0) ? "again" : state} ${attempt}`
  const before = known.map(lineOf)
  const after = seen.map(lineOf)
  const report = reports.get(sha)
  const isRunning = running.get(sha)
  const isNew = (after.join("\n") !== before.join("\n") || isRunning !== undefined) && at > version
  const watched = isRunning === undefined ? {} : { running: isRunning }
  const isReported =
    report !== undefined &&
    (report.failures.length > 0 || reported !== null) &&
    !Equal.equals(report.failures, reported)
  return [
    ...(isNew ? [{ kind: "checks_seen", sha, version: at, checks: seen, ...watched } as const] : []),
    ...(isReported ? [{ kind: "reports_seen", sha, attempt: report.attempt, failures: report.failures } as const] : [])
  ]
}

/**
 * The judged failures of each required check that verdicts are about: those of its jobs.
 *
 * **Details**
 *
 * Where a check has failures that block, the others are not why it is red.
 */
export const failuresOf = (
  verdicts: ReadonlyArray<FailureVerdict.FailureVerdict>,
  matches: ReadonlyArray<CheckMatch.CheckMatch>,
  policy: FailureClass.Policy
): ReadonlyArray<Observation.Failure> =>
  matches.flatMap(({ check, jobs }) => {
    const own = verdicts.filter(({ jobName, pipelineName }) =>
      jobs.some((job) => job.jobName === jobName && job.pipelineName === pipelineName)
    )
    const blocking = own.filter(({ isBlocking }) => isBlocking)
    return (blocking.length === 0 ? own : blocking).map((verdict) => ({
      check,
      test: verdict.testName,
      ...FailureClass.ofVerdict(verdict, policy)
    }))
  })
