/** News of the hosting platform: the difference of a snapshot and the state of an engine, as observations. */
import { type FailureVerdict, Text } from "@lazaret/domain"
import {
  EngineConfiguration,
  type EngineEvent,
  type EngineState,
  FailureClass,
  type Observation,
  type Preflight
} from "@lazaret/queue"
import type { OpenPullSnapshot, PullSnapshot, QueueEntry } from "./QueueForge.ts"

/**
 * The result of one round of reading.
 *
 * **Details**
 *
 * - `queue`: the platform's own queue. `gone`: the pull requests that were in it, alone or in a group.
 * - `rules`: of the repository for the branch; null where no gate asks for them.
 * - `open`: the open pull requests; null where no gate asks for them.
 * - `closed`: the known heads that are not among them; null: there is no such pull request any more.
 * - `checks`: of the groups. `reports`: the judged failures of commits.
 */
export interface Snapshot {
  readonly at: number
  readonly queue: ReadonlyArray<QueueEntry>
  readonly rules: ReadonlyArray<Preflight.BranchRule> | null
  readonly gone: ReadonlyMap<number, PullSnapshot>
  readonly open: ReadonlyArray<OpenPullSnapshot> | null
  readonly closed: ReadonlyMap<number, PullSnapshot | null>
  readonly checks: ReadonlyMap<string, ReadonlyArray<Observation.Check>>
  readonly reports: ReadonlyMap<string, Reports>
}

/** The judged failures of an attempt on a commit. */
export interface Reports {
  readonly attempt: number
  readonly failures: ReadonlyArray<Observation.Failure>
}

/** The groups that may still be decided or land. */
export const openGroups = ({ groups }: EngineState.EngineState): ReadonlyArray<EngineState.NativeGroup> =>
  groups.filter(({ gone }) => gone === null)

/** Whether something waits for the platform: a group, a head that has not passed, or what is to be queued again. */
export const isBusy = (state: EngineState.EngineState): boolean =>
  openGroups(state).length > 0 ||
  state.parked.length > 0 ||
  state.heads.some(({ sha }) => state.shown[sha]?.startsWith("success ") !== true)

/** The pull requests that the platform's queue, or a group of it, does not have any more: each is read. */
export const missingMembers = (
  state: EngineState.EngineState,
  queue: ReadonlyArray<QueueEntry>
): ReadonlyArray<number> => {
  const present = new Set(queue.map(({ group }) => group?.id))
  const missing = openGroups(state).filter(({ id }) => !present.has(id))
  const left = state.queue.filter(({ number }) => !isIn(queue, number))
  return [...new Set([...missing.flatMap(({ members }) => members), ...left].map(({ number }) => number))]
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
  ...openGroups(state).flatMap((group) => lostGroup(group, snapshot, configuration)),
  ...pulls(state, snapshot, configuration.branch),
  ...leavers(state, snapshot),
  ...newQueue(state, snapshot),
  ...newGroups(state, snapshot),
  ...roundsOf(state, snapshot).flatMap((round) => newsOf(round, snapshot))
]

const newRules = (state: EngineState.EngineState, { rules }: Snapshot): ReadonlyArray<EngineEvent.EngineEvent> =>
  rules === null || JSON.stringify(rules) === JSON.stringify(state.rules) ? [] : [{ kind: "rules_seen", rules }]

/** Only a gate shows the platform's queue; a mirror is fed by deliveries. */
const newQueue = (
  state: EngineState.EngineState,
  { open, queue }: Snapshot
): ReadonlyArray<EngineEvent.EngineEvent> => {
  const members = queue.map(({ head, number }) => ({ number, head }))
  const isKnown = open === null || JSON.stringify(members) === JSON.stringify(state.queue)
  return isKnown ? [] : [{ kind: "queue_seen", members }]
}

/** Open pull requests that left the platform's queue before it had built a group for them. */
const leavers = (state: EngineState.EngineState, { gone, queue }: Snapshot): ReadonlyArray<EngineEvent.EngineEvent> => {
  const grouped = new Set(openGroups(state).flatMap(({ members }) => members.map(({ number }) => number)))
  return state.queue
    .filter(({ number }) => !isIn(queue, number) && !grouped.has(number) && gone.get(number)?.state === "open")
    .map((member) => ({ kind: "evicted", member, cause: "other" }))
}

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

/** Why a group is no longer in the queue: it landed, the platform built it again, or its pull request left. */
const lostGroup = (
  group: EngineState.NativeGroup,
  { at, gone, queue }: Snapshot,
  { responseTimeout }: EngineConfiguration.EngineConfiguration
): ReadonlyArray<EngineEvent.EngineEvent> => {
  if (queue.some((entry) => entry.group?.id === group.id)) return []
  const { id } = group
  return group.members.flatMap((member): ReadonlyArray<EngineEvent.EngineEvent> => {
    const pull = gone.get(member.number)
    if (pull === undefined) return []
    if (pull.state === "merged") {
      const landed =
        pull.landed === null
          ? []
          : [{ kind: "group_landed", id, sha: pull.landed.sha, tree: pull.landed.tree } as const]
      return [...landed, { kind: "group_gone", id, cause: "merged" }]
    }
    if (isIn(queue, member.number)) return [{ kind: "group_gone", id, cause: "invalidated" }]
    const isSilent = group.concluded === null && at >= group.seenAt + responseTimeout
    const cause = group.concluded === "failure" ? "checks_failed" : isSilent ? "checks_timeout" : "other"
    return [
      { kind: "group_gone", id, cause: "dequeued" },
      { kind: "evicted", member, cause }
    ]
  })
}

const pulls = (
  { heads }: EngineState.EngineState,
  { at, closed, open }: Snapshot,
  branch: string
): ReadonlyArray<EngineEvent.EngineEvent> => {
  if (open === null) return []
  const seen = (pull: PullSnapshot): EngineEvent.EngineEvent => ({ kind: "pull_seen", pull: pullOf(pull, at) })
  const changed = open.filter((pull) => heads.find(({ number }) => number === pull.number)?.sha !== pull.head)
  const left = heads.flatMap(({ number, sha }): ReadonlyArray<EngineEvent.EngineEvent> => {
    const pull = closed.get(number)
    if (pull === undefined) return []
    const isOpen = pull !== null && pull.state === "open" && pull.base === branch
    if (isOpen) return pull.head === sha ? [] : [seen(pull)]
    return [seen({ ...(pull ?? unknown(number, sha, branch)), state: pull?.state === "merged" ? "merged" : "closed" })]
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
const unknown = (number: number, head: string, base: string): PullSnapshot => ({
  number,
  head,
  base,
  state: "closed",
  draft: false,
  mergeable: null,
  approved: false,
  landed: null,
  removal: null
})

const pullOf = ({ approved, base, draft, head, mergeable, number, state }: PullSnapshot, at: number) => ({
  number,
  state,
  draft,
  head,
  base,
  mergeable,
  approved,
  blockedBy: null,
  version: at
})

/** The rounds that a snapshot may change, those that begin with it among them. */
const roundsOf = ({ groups, heads }: EngineState.EngineState, { open, queue }: Snapshot): ReadonlyArray<Known> => {
  const known = [...groups, ...heads].map(({ round }) => round)
  const asked = [
    ...queue.flatMap(({ group }) => (group === null ? [] : [group.id])),
    ...(open ?? []).map(({ head }) => head)
  ]
  return [...new Set(asked)].map(
    (sha) => known.find((round) => round.sha === sha) ?? { sha, checks: [], reports: null, version: -1 }
  )
}

type Known = Pick<EngineState.NativeGroup["round"], "checks" | "reports" | "sha" | "version">

const newsOf = (
  { checks: known, reports: reported, sha, version }: Known,
  { at, checks, open, reports }: Snapshot
): ReadonlyArray<EngineEvent.EngineEvent> => {
  const all = checks.get(sha) ?? open?.find(({ head }) => head === sha)?.checks ?? []
  const seen = all
    .filter(({ name }) => name !== EngineConfiguration.ownCheck)
    .toSorted((a, b) => Text.compare(a.name, b.name))
  const before = known.map(
    ({ attempt, name, ranAt, state }) => `${name} ${attempt <= ranAt ? "again" : state} ${attempt}`
  )
  const after = seen.map(({ attempt, name, state }) => {
    const ranAt = known.find((check) => check.name === name)?.ranAt ?? 0
    return `${name} ${attempt <= ranAt ? "again" : state} ${attempt}`
  })
  const report = reports.get(sha)
  const isNew = after.join("\n") !== before.join("\n") && at > version
  const isReported = report !== undefined && JSON.stringify(report.failures) !== JSON.stringify(reported)
  return [
    ...(isNew ? [{ kind: "checks_seen", sha, version: at, checks: seen } as const] : []),
    ...(isReported ? [{ kind: "reports_seen", sha, ...report } as const] : [])
  ]
}

/**
 * The judged failures of each required check that verdicts are about.
 *
 * **Details**
 *
 * A check has the name of its job, or that of the pipeline and the job. Where a check has failures that block, the others
 * are not why it is red.
 */
export const failuresOf = (
  verdicts: ReadonlyArray<FailureVerdict.FailureVerdict>,
  required: ReadonlyArray<string>,
  policy: FailureClass.Policy
): ReadonlyArray<Observation.Failure> =>
  required.flatMap((check) => {
    const own = verdicts.filter(({ jobName, pipelineName }) =>
      [jobName, `${pipelineName} / ${jobName}`].includes(check)
    )
    const blocking = own.filter(({ isBlocking }) => isBlocking)
    return (blocking.length === 0 ? own : blocking).map((verdict) => ({
      check,
      test: verdict.testName,
      ...FailureClass.ofVerdict(verdict, policy)
    }))
  })
