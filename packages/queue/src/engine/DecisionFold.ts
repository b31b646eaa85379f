/** Decisions of the engine, folded into its state. */
import * as Batch from "./Batch.ts"
import * as Bisection from "./Bisection.ts"
import * as CommandFold from "./CommandFold.ts"
import * as DequeueReason from "./DequeueReason.ts"
import type * as EngineEvent from "./EngineEvent.ts"
import * as EngineState from "./EngineState.ts"
import type * as Entry from "./Entry.ts"
import * as Foresight from "./Foresight.ts"
import * as Incident from "./Incident.ts"
import * as Round from "./Round.ts"
import * as Savings from "./Savings.ts"

type State = EngineState.EngineState
type Decision = EngineEvent.Decision

/** How many passed trees are remembered for reuse: several times the longest queue that is tested in a day. */
const greensKept = 50

/** The state after a decision at an instant. */
export const step = (state: State, event: Decision, at: number): State => {
  const clock = EngineState.clock(state, at)
  switch (event.kind) {
    case "issued":
      return CommandFold.issued(state, event.command)
    case "batch_formed":
      return form(state, event)
    case "round_begun":
      return CommandFold.begin(state, event.batch, event.sha, at)
    case "round_reused":
      return reuse(state, event, at)
    case "batch_foreseen":
      return foreseen(state, event)
    case "round_passed":
      return pass(state, event)
    case "round_reopened":
      return EngineState.withBatch(state, event.batch, (batch) => ({ ...batch, phase: "testing" }))
    case "round_failed":
      return fail(state, event, at)
    case "round_inferred":
      return EngineState.withBatch(state, event.batch, (batch) => ({
        ...batch,
        phase: "red",
        failed: batch.suspect?.failed ?? null
      }))
    case "round_rerun":
      return rerun(state, event, { at, clock })
    case "round_voided":
      return voided(
        EngineState.withBatch(state, event.batch, (batch) => ({
          ...Batch.reset(batch),
          edits: batch.edits + (event.reason === "edited" ? 1 : 0)
        })),
        event.batch
      )
    case "batch_split":
      return { ...state, batches: Bisection.split(state.batches, event.batch) }
    case "parts_joined":
      return { ...state, batches: Bisection.join(state.batches, event.root, `b${state.seq}`) }
    case "batches_joined":
      return joined(state, event.batch)
    case "batch_dissolved": {
      const freed = voided(state, event.batch)
      return { ...freed, batches: freed.batches.filter(({ id }) => id !== event.batch) }
    }
    case "dequeued":
      return leave(state, event.number, `Left the queue: ${DequeueReason.sentence(event.reason)}`)
    case "merged_elsewhere":
      return leave(state, event.number, "It is already merged.")
    case "conflict_held":
      return hold(state, event)
    case "conflict_freed":
      return EngineState.withEntry(state, event.number, (entry) => ({ ...entry, hold: null }))
    case "incident_began":
    case "incident_probed":
    case "incident_ended":
      return Incident.step(state, event, at)
    case "tree_audited":
      return {
        ...state,
        landings: state.landings.filter(({ group }) => group !== event.group),
        alarm:
          event.outcome === "mismatch"
            ? `group ${event.group} was tested as tree ${event.tested} and landed as tree ${event.landed}`
            : state.alarm
      }
    case "group_concluded":
      return {
        ...concluded(state, event, at),
        groups: state.groups.map((group) =>
          group.id === event.group
            ? { ...group, concluded: event.conclusion, concludedAt: at, reason: event.reason }
            : group
        )
      }
    case "fate":
      return {
        ...state,
        fates: [...state.fates, event.key].slice(-fatesKept),
        savings: Savings.afterFate(state.savings, event, at)
      }
    case "entry_removed":
      return {
        ...state,
        conflicting: state.conflicting.filter(({ number }) => number !== event.member.number),
        removals: EngineState.withRemoval(state, { number: event.member.number, reason: { code: "conflict" } })
      }
    case "group_healed":
      return heal(state, event, at)
    case "group_reopened":
      return {
        ...state,
        groups: state.groups.map((group) => (group.id === event.group ? { ...group, concluded: null } : group))
      }
  }
}

/** How many fates are known to be decided: several times the groups and evictions that are remembered. */
const fatesKept = 500

/** How many healings are remembered. */
const healedKept = 100

const heal = (state: State, { checks, group }: EngineEvent.Of<"group_healed">, at: number): State => {
  const members = membersOf(state, group)
  const healed = [...state.healed, ...members.map((member) => ({ ...member, group, checks }))]
  return { ...EngineState.park(state, members, { cause: "lost", pausedAt: at }), healed: healed.slice(-healedKept) }
}

/** A group that was about to be queued again and is decided stays where it is: its run came after all. */
const concluded = (state: State, { group, returns }: EngineEvent.Of<"group_concluded">, at: number): State => {
  const healed = state.healed.filter((each) => each.group === group)
  const isHealed = ({ number }: { readonly number: number }) => healed.some((each) => each.number === number)
  const kept = {
    ...EngineState.withoutCommands(state, (command) => command.kind === "dequeue" && isHealed(command)),
    parked: state.parked.filter((parked) => !isHealed(parked))
  }
  return returns === true ? EngineState.park(kept, membersOf(state, group), { cause: "hold", pausedAt: at }) : kept
}

const membersOf = ({ groups }: State, group: string): EngineState.NativeGroup["members"] =>
  groups.find(({ id }) => id === group)?.members ?? []

const form = (state: State, { members, overtaken, rule }: EngineEvent.Of<"batch_formed">): State => ({
  ...state,
  batches: [...state.batches, Batch.make(`b${state.seq}`, rule, members)],
  entries: state.entries.map((entry) =>
    overtaken.includes(entry.number) ? { ...entry, overtaken: entry.overtaken + members.length } : entry
  )
})

/** The state without the batch: who would have left is gone, and who would have landed waits for a person to merge it. */
const foreseen = (state: State, event: EngineEvent.Of<"batch_foreseen">): State => {
  const foresight = Foresight.after(state.foresight, event)
  if (event.outcome === "rerun") return { ...state, foresight }
  const isMeant = ({ number }: { readonly number: number }) => event.members.some((member) => member.number === number)
  const isLanded = event.outcome === "landed"
  const held = (entry: Entry.Entry): Entry.Entry => (isMeant(entry) ? { ...entry, hold: { kind: "foreseen" } } : entry)
  return {
    ...state,
    foresight,
    entries: isLanded ? state.entries.map(held) : state.entries.filter((entry) => !isMeant(entry)),
    batches: event.members.reduce((left, { number }) => Batch.withoutMember(left, number), state.batches)
  }
}

const reuse = (state: State, { batch: id, sha }: EngineEvent.Of<"round_reused">, at: number): State => {
  if (state.groups.some((group) => group.id === id)) {
    const groups = state.groups.map((group) => (group.id === id ? { ...group, reused: sha } : group))
    return { ...state, groups, savings: Savings.afterReuse(state.savings, at) }
  }
  const green = state.greens.find((each) => each.sha === sha)
  return green === undefined
    ? state
    : EngineState.withBatch(state, id, (batch) => ({ ...batch, phase: "green", round: green.round, suspect: null }))
}

const pass = (state: State, { batch: id, required }: EngineEvent.Of<"round_passed">): State => {
  const passed = EngineState.withBatch(state, id, (batch) => ({
    ...batch,
    phase: "green",
    suspect: null,
    failed: null
  }))
  const groups = state.groups.map((group) => (group.id === id ? { ...group, greenWith: required } : group))
  const round = [...passed.batches, ...groups].find((each) => each.id === id)?.round
  if (round === null || round === undefined) return { ...passed, groups }
  const others = state.greens.filter(({ tree }) => tree !== round.tree)
  const green = { sha: round.sha, tree: round.tree, required, round }
  return { ...passed, groups, greens: [...others, green].slice(-greensKept) }
}

const fail = (state: State, event: EngineEvent.Of<"round_failed">, at: number): State => {
  const failed: Batch.Batch | EngineState.NativeGroup | undefined =
    state.batches.find(({ id }) => id === event.batch) ?? state.groups.find(({ id }) => id === event.batch)
  const round = failed?.round
  if (failed === undefined || round === null || round === undefined) return state
  const { checks, class: of, failures, outcome, probability } = event
  const evidence: Batch.Failed = {
    outcome,
    class: of,
    probability,
    checks,
    failures,
    sha: round.sha,
    tree: round.tree,
    members: failed.members.map(({ number }) => number),
    attempts: round.attempt
  }
  const next = {
    ...EngineState.withBatch(state, event.batch, (batch) => ({ ...batch, phase: "red", failed: evidence })),
    groups: state.groups.map((group) => (group.id === event.batch ? { ...group, failed: evidence } : group))
  }
  return Incident.remember(
    { ...next, greens: state.greens.filter(({ tree }) => tree !== round.tree) },
    failed,
    event,
    at
  )
}

const rerun = (
  state: State,
  event: EngineEvent.Of<"round_rerun">,
  { at, clock }: { readonly at: number; readonly clock: number }
): State => {
  const { checks, class: of, failures, isFree } = event
  const again = <Holder extends { readonly round: Round.Round | null }>(holder: Holder): Holder =>
    holder.round === null
      ? holder
      : { ...holder, round: Round.rerun(holder.round, { checks, failures, class: of }, clock) }
  const numbers = [...state.batches, ...state.groups].find(({ id }) => id === event.batch)?.members ?? []
  const isCharged = (number: number) => !isFree && numbers.some((member) => member.number === number)
  return {
    ...state,
    batches: state.batches.map((batch) => (batch.id === event.batch ? again(batch) : batch)),
    groups: state.groups.map((group) =>
      group.id === event.batch ? { ...again(group), failed: null, rerunAt: at } : group
    ),
    reruns: isFree ? state.reruns : [...state.reruns, at],
    entries: state.entries.map((entry) => (isCharged(entry.number) ? { ...entry, reruns: entry.reruns + 1 } : entry))
  }
}

/** The batches up to one that passed are one batch, with its round: what they asked for is not wanted any more. */
const joined = (state: State, id: string): State => {
  const index = state.batches.findIndex((batch) => batch.id === id)
  const parts = state.batches.slice(0, index + 1)
  const whole = Batch.whole(parts)
  if (whole === null) return state
  const left = parts.slice(0, -1).reduce((rest, part) => EngineState.withoutBuild(rest, part.id), state)
  return { ...left, batches: [whole, ...left.batches.slice(index + 1)] }
}

/** Discards the reads and the commands of a round that counts no more. */
const voided = (state: State, id: string): State => {
  const members = state.batches.find((batch) => batch.id === id)?.members ?? []
  const isMember = (number: number) => members.some((member) => member.number === number)
  return EngineState.withoutBuild(
    {
      ...state,
      entries: state.entries.map((entry) => (isMember(entry.number) ? { ...entry, confirmed: null } : entry))
    },
    id
  )
}

/** The shadow tells nobody. */
const leave = (state: State, number: number, text: string): State => {
  const changed = EngineState.batchOf(state, number)
  const isShadow = state.configuration?.mode === "drive" && state.configuration.shadow
  const left = {
    ...state,
    entries: state.entries.filter((entry) => entry.number !== number),
    batches: Batch.withoutMember(state.batches, number),
    messages: isShadow ? state.messages : [...state.messages, { number, seq: state.seq, text }]
  }
  return changed === undefined ? left : EngineState.withoutBuild(left, changed.id)
}

/** The batch goes on with the members that could be merged; they keep their steps. */
const hold = (state: State, { ahead, batch: id, number }: EngineEvent.Of<"conflict_held">): State => {
  const held = EngineState.withEntry(state, number, (entry) => ({
    ...entry,
    hold: { kind: "conflict", ahead, baseTree: state.base?.tree ?? "" }
  }))
  const left = EngineState.withBatch(held, id, (batch) => ({
    ...batch,
    members: batch.members.filter((member) => member.number !== number),
    conflicts: batch.conflicts.filter((each) => each !== number)
  }))
  return { ...left, batches: left.batches.filter(({ members }) => members.length > 0) }
}
