/** News for a queue that is driven: the difference of what a platform shows and the state of the engine, as observations. */
import type { Repository } from "@lazaret/domain"
import { type EngineConfiguration, type EngineEvent, type EngineState, QueueBranch } from "@lazaret/queue"
import { Clock, Effect, Equal, Option } from "effect"
import type { DriveForge, NamedBranch } from "./DriveForge.ts"
import type { PullSnapshot, QueueForge } from "./QueueForge.ts"
import * as Reading from "./Reading.ts"
import type { Reports } from "./Reports.ts"

/** The ports that are read; without `drive` there are no queue branches. */
export interface Ports {
  readonly forge: QueueForge["Service"]
  readonly drive: Option.Option<DriveForge["Service"]>
  readonly reports: Reports["Service"]
}

interface Asked extends Pick<Reading.Snapshot, "rules"> {
  readonly configuration: EngineConfiguration.EngineConfiguration
}

/** The observations since the last run. The tip of the base branch comes before what is judged by it. */
export const observe = Effect.fnUntraced(function* (
  { drive, forge, reports }: Ports,
  ref: Repository.RepositoryRef,
  state: EngineState.EngineState,
  { configuration, rules }: Asked
) {
  const { branch } = configuration
  const at = yield* Clock.currentTimeMillis
  const tip = Option.getOrNull(yield* forge.tip(ref, branch, state.base?.sha ?? null))
  const open = yield* forge.openPulls(ref, branch)
  const closed = yield* readRest(forge, ref, state, open)
  const rounds = roundsOf(state)
  const read = yield* Effect.forEach(
    rounds,
    ({ sha }) => Effect.map(forge.checks(ref, sha), (found) => [sha, found] as const),
    { concurrency: 4 }
  )
  const ofHeads = state.entries.flatMap(({ head, number }) => {
    const pull = open.find((each) => each.number === number && each.head === head)
    return pull === undefined || rounds.some(({ sha }) => sha === head) ? [] : [[head, pull.checks] as const]
  })
  const checks = new Map([...ofHeads, ...read])
  const failing = [...checks].flatMap(([sha, found]) =>
    found.some((check) => check.state === "failure" || check.state === "error") ? [sha] : []
  )
  const judged = yield* Effect.forEach(failing, (sha) =>
    Effect.map(reports.ofCommit(ref, sha, configuration), (found) => [sha, found] as const)
  )
  const snapshot: Reading.Snapshot = {
    at,
    queue: [],
    rules,
    gone: new Map(),
    unmergeable: new Map(),
    open,
    closed,
    checks,
    running: new Map(),
    tip,
    reports: new Map(judged.flatMap(([sha, found]) => (found === null ? [] : [[sha, found] as const])))
  }
  const branches = Option.isNone(drive) ? [] : yield* branchesOf(drive.value, ref, configuration)
  return [
    ...Reading.newRules(state, snapshot),
    ...Reading.newTip(state, snapshot),
    ...pulls(state, snapshot, configuration.blockingLabels),
    ...known(state).flatMap((round) => Reading.newsOf(round, snapshot)),
    ...newBranches(state, branches, at)
  ]
})

/** The pull requests that the engine knows, and that are not open on its base branch any more. */
const readRest = Effect.fnUntraced(function* (
  forge: QueueForge["Service"],
  ref: Repository.RepositoryRef,
  state: EngineState.EngineState,
  open: ReadonlyArray<PullSnapshot>
) {
  const numbers = [...state.entries, ...state.heads].map(({ number }) => number)
  const absent = [...new Set(numbers)].filter((number) => open.every((pull) => pull.number !== number))
  const found = yield* Effect.forEach(
    absent.slice(0, mostClosed),
    (number) => Effect.map(forge.pull(ref, number), (pull) => [number, Option.getOrNull(pull)] as const),
    { concurrency: 4 }
  )
  return new Map(found)
})

/** The most pull requests that left the list of open ones and are read in one run. */
const mostClosed = 20

/** The rounds of batches whose checks still matter. */
const roundsOf = ({ batches }: EngineState.EngineState): ReadonlyArray<Reading.KnownRound> =>
  batches.flatMap(({ round }) => (round === null ? [] : [round]))

/** The rounds of batches and of heads that are queued, each commit once. */
const known = (state: EngineState.EngineState): ReadonlyArray<Reading.KnownRound> => {
  const rounds = roundsOf(state)
  const heads = state.heads
    .filter(({ number }) => state.entries.some((entry) => entry.number === number))
    .map(({ round }) => round)
  return [...rounds, ...heads.filter(({ sha }) => rounds.every((round) => round.sha !== sha))]
}

/** Every change of a pull request that is queued or was: a head that nobody queued is news as well. */
const pulls = (
  state: EngineState.EngineState,
  { at, closed, open }: Reading.Snapshot,
  blocking: ReadonlyArray<string>
): ReadonlyArray<EngineEvent.EngineEvent> => {
  const rest = [...closed].map(([number, pull]) => {
    const { head = "" } = state.entries.find((entry) => entry.number === number) ?? {}
    const sha = state.heads.find((each) => each.number === number)?.sha ?? head
    return pull ?? Reading.unknown(number, sha, "")
  })
  return [...(open ?? []), ...rest].flatMap((pull): ReadonlyArray<EngineEvent.EngineEvent> => {
    const seen = Reading.pullOf(pull, at, blocking)
    const entry = state.entries.find(({ number }) => number === pull.number)
    const head = state.heads.find(({ number }) => number === pull.number)
    const before = entry?.pull ?? null
    const isKnown =
      (entry === undefined || (before !== null && isSame(before, seen))) &&
      (pull.state === "open" ? head?.sha === pull.head : head === undefined)
    return isKnown ? [] : [{ kind: "pull_seen", pull: seen }]
  })
}

type Pull = ReturnType<typeof Reading.pullOf>

const isSame = (a: Pull, b: Pull): boolean => Equal.equals(shown(a), shown(b))

/** The fields of a pull request that are compared: a mergeability that the platform has not computed does not count. */
const shown = ({ approved, base, blockedBy, draft, head, mergeable, state }: Pull) => ({
  approved,
  base,
  blockedBy,
  draft,
  head,
  isConflicting: mergeable === false,
  state
})

const branchesOf = Effect.fnUntraced(function* (
  drive: DriveForge["Service"],
  ref: Repository.RepositoryRef,
  configuration: EngineConfiguration.EngineConfiguration
) {
  const found = yield* Effect.forEach(QueueBranch.prefixes(configuration), (prefix) =>
    Effect.map(drive.branches(ref, prefix), (branches) =>
      branches.filter(({ name }) => QueueBranch.isOfBatch(name.slice(prefix.length)))
    )
  )
  return found.flat()
})

const newBranches = (
  state: EngineState.EngineState,
  branches: ReadonlyArray<NamedBranch>,
  at: number
): ReadonlyArray<EngineEvent.EngineEvent> =>
  branches.flatMap(({ name, sha }) =>
    state.branches.some((each) => each.name === name && (each.sha === null || each.sha === sha))
      ? []
      : [{ kind: "branch_seen", branch: name, sha, version: at } as const]
  )
