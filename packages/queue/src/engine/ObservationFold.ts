/** Snapshots of the hosting platform, folded into the state of the engine. */
import * as CheckMatch from "./CheckMatch.ts"
import * as CommandFold from "./CommandFold.ts"
import type * as EngineEvent from "./EngineEvent.ts"
import * as EngineState from "./EngineState.ts"
import type { Group, Member } from "./Observation.ts"
import * as PullFold from "./PullFold.ts"
import * as Round from "./Round.ts"
import * as Trial from "./Trial.ts"

/** How many groups and evictions of the hosting platform's queue are remembered. */
const groupsKept = 100

type State = EngineState.EngineState
type Observation = typeof EngineEvent.Observation.Type

/** The state after a snapshot. One that is not newer than the last of its subject, or names nothing known, changes nothing. */
export const step = (state: State, event: Observation, at: number): State => {
  switch (event.kind) {
    case "pull_seen":
      return PullFold.see(state, event.pull, at)
    case "base_seen":
      return seeBase(state, event)
    case "checks_seen":
      return withRounds(state, event.sha, (round) =>
        Round.see(round, event, { clock: EngineState.clock(state, at), isPaused: state.pause !== null })
      )
    case "reports_seen":
      return withRounds(state, event.sha, (round) => Round.report(round, event.attempt, event.failures))
    case "branch_seen":
      return seeBranch(state, event)
    case "group_seen":
      return seeGroup(state, event.group, at)
    case "group_gone":
      return leaveGroup(tried(state, event, at), event)
    case "group_landed":
      return { ...state, landings: [...state.landings, { group: event.id, sha: event.sha, tree: event.tree }] }
    case "evicted":
      return evict(state, event, at)
    case "bypassed":
      return state
    case "conflict_seen":
      return seeConflict(state, event, at)
    case "queue_seen":
      return seeQueue(state, event.members)
    case "rules_seen":
      return { ...state, rules: event.rules }
    case "jobs_seen":
      return {
        ...state,
        matched: { sha: event.sha, matches: CheckMatch.merge(state.matched?.matches ?? [], event.matches) }
      }
  }
}

/** A base branch that is where a landing under way puts it has been landed on, whatever its answer will be. */
const seeBase = (state: State, { rewritten, tip }: EngineEvent.Of<"base_seen">): State => {
  if (state.base !== null && tip.version <= state.base.version) return state
  const landing = state.inflight.find(({ command }) => command.kind === "land" && command.to === tip.sha)
  if (landing !== undefined) return CommandFold.done(state, landing.command, { kind: "landed", base: tip })
  return { ...state, base: tip, isRewritten: state.isRewritten || rewritten }
}

const withRounds = (state: State, sha: string, change: (round: Round.Round) => Round.Round): State => {
  const changed = <Holder extends { readonly round: Round.Round | null }>(holder: Holder): Holder =>
    holder.round?.sha === sha ? { ...holder, round: change(holder.round) } : holder
  return {
    ...state,
    batches: state.batches.map(changed),
    groups: state.groups.map(changed),
    heads: state.heads.map(changed)
  }
}

/** A branch that no batch has published is put on the list of what has to go. */
const seeBranch = (state: State, { branch, sha }: EngineEvent.Of<"branch_seen">): State => {
  const known = state.branches.find(({ name }) => name === branch)
  if (sha === null) return state
  return known === undefined
    ? { ...state, branches: [...state.branches, { name: branch, sha }] }
    : { ...state, branches: state.branches.map((each) => (each === known ? { ...each, sha } : each)) }
}

const withGroup = (
  state: State,
  id: string,
  change: (group: EngineState.NativeGroup) => EngineState.NativeGroup
): State => ({ ...state, groups: state.groups.map((group) => (group.id === id ? change(group) : group)) })

/** The platform has decided about a group: in the shadow that is compared with what the gate decided. */
const tried = (state: State, { cause, id }: EngineEvent.Of<"group_gone">, at: number): State => {
  const group = state.groups.find((each) => each.id === id && each.gone === null)
  const isTrial = state.configuration?.mode === "gate" && state.configuration.shadow
  return group === undefined || !isTrial ? state : { ...state, trial: Trial.after(state.trial, group, { at, cause }) }
}

/** The check and the jobs of a group that is gone do not matter any more, also where the platform refused to set them. */
const leaveGroup = (state: State, { cause, id }: EngineEvent.Of<"group_gone">): State =>
  EngineState.withoutCommands(
    withGroup(state, id, (group) => ({ ...group, gone: cause })),
    (command) => (command.kind === "set_check" || command.kind === "rerun") && command.sha === id
  )

const seeGroup = (state: State, group: Group, at: number): State =>
  state.groups.some(({ id }) => id === group.id)
    ? state
    : {
        ...state,
        groups: [
          ...state.groups,
          {
            ...group,
            seenAt: at,
            round: Round.begin(group.id, group.tree, EngineState.clock(state, at), true),
            rerunAt: at,
            failed: null,
            gone: null,
            concluded: null,
            concludedAt: 0,
            reason: null,
            isRemoved: false,
            greenWith: null,
            reused: null
          }
        ].slice(-groupsKept),
        rounds: [...state.rounds, at]
      }

const seeConflict = (state: State, { isConflict, member }: EngineEvent.Of<"conflict_seen">, at: number): State => {
  const others = state.conflicting.filter(({ number }) => number !== member.number)
  if (!isConflict) return { ...state, conflicting: others }
  const before = state.conflicting.find(({ head, number }) => number === member.number && head === member.head)
  return { ...state, conflicting: [...others, { ...member, at, reads: (before?.reads ?? 0) + 1 }] }
}

/** Nobody is evicted, entering or leaving who is in the queue again, or not in it any more. */
const seeQueue = (state: State, members: ReadonlyArray<Member>): State => {
  const isQueued = ({ number }: { readonly number: number }) => members.some((member) => member.number === number)
  const isNew = (number: number) => isQueued({ number }) && !state.queue.some((member) => member.number === number)
  return {
    ...state,
    queue: members,
    inflight: state.inflight.filter(({ command }) => command.kind !== "enqueue" || !isQueued(command.member)),
    evicted: state.evicted.filter((member) => !isQueued(member)),
    parked: state.parked.filter((member) => !isReturned(state, member, members)),
    leaving: state.leaving.filter(isQueued),
    removals: state.removals.filter(({ number }) => !isNew(number))
  }
}

/** A pull request that waits to be queued again, and that somebody has queued meanwhile. */
const isReturned = ({ queue }: State, { number }: Member, members: ReadonlyArray<Member>): boolean =>
  members.some((member) => member.number === number) && !queue.some((member) => member.number === number)

/**
 * The state that remembers a pull request which the platform took out.
 *
 * **Details**
 *
 * Where it gave up on a check that was held, it is queued again afterwards, once for each hold. The platform says when it was
 * taken out: the read may come much later.
 */
const evict = (state: State, { at: leftAt, by, cause, member }: EngineEvent.Of<"evicted">, at: number): State => {
  const heldAt = cause === "checks_timeout" ? EngineState.holdAt(state, leftAt ?? at) : null
  const evicted = state.evicted.filter(({ number }) => number !== member.number)
  if (heldAt !== null) return EngineState.park({ ...state, evicted }, [member], { cause: "hold", pausedAt: heldAt })
  const before = state.evicted.find(({ number }) => number === member.number)
  const group = state.groups.findLast(({ members }) => members.some(({ number }) => number === member.number))
  const since = before?.since ?? group?.seenAt ?? at
  return {
    ...state,
    evicted: [...evicted, { ...member, cause, by: by ?? null, at: before?.at ?? at, since }].slice(-groupsKept)
  }
}
