/** Commands and their answers, folded into the state of the engine. */
import * as Batch from "./Batch.ts"
import * as EngineCommand from "./EngineCommand.ts"
import type * as EngineEvent from "./EngineEvent.ts"
import * as EngineState from "./EngineState.ts"
import { Instant } from "@lazaret/domain"
import type { Tip } from "./Observation.ts"
import * as PullFold from "./PullFold.ts"
import * as Round from "./Round.ts"

type State = EngineState.EngineState
type Command = EngineCommand.EngineCommand

/** How long a refused landing waits before it is tried again: the hosting platform's caches lag by up to this. */
const refusalWait = 30_000

/** The state after the outcome of a command. Only the first outcome of a command that is under way counts. */
export const step = (state: State, event: typeof EngineEvent.Outcome.Type, at: number): State => {
  const inflight = state.inflight.find(({ command }) => command.id === event.command)
  if (inflight === undefined) return state
  switch (event.kind) {
    case "done":
      return done(state, inflight.command, event.answer, at)
    case "refused":
      return isRepeated(state, inflight, event)
        ? tried(state, inflight, { notBefore: at + pauseAfter(inflight.tries), refusal: event.detail })
        : refused(without(state, inflight.command), inflight.command, event, at)
    case "unknown":
      return tried(state, inflight, { notBefore: at, refusal: null })
  }
}

/** A command whose subject is gone is not repeated, nor a build that names its culprits: it goes on without them. */
const isRepeated = (
  { batches }: State,
  { command, tries }: EngineState.Inflight,
  { members, refusal }: EngineEvent.Of<"refused">
): boolean => {
  const isGone =
    refusal === "gone" || (EngineCommand.isBuild(command) && batches.every(({ id }) => id !== command.batch))
  return !isGone && members === undefined && tries + 1 < triesOf(command)
}

const tried = (
  state: State,
  inflight: EngineState.Inflight,
  change: Pick<EngineState.Inflight, "notBefore" | "refusal">
): State => ({
  ...state,
  inflight: state.inflight.map((each) => (each === inflight ? { ...each, ...change, tries: each.tries + 1 } : each))
})

/**
 * How often a command is tried that the platform refuses.
 *
 * **Details**
 *
 * A refusal is rarely for ever: the app is suspended for a minute, a repository is renamed, a new commit is not known yet. What
 * is decided about a group or a batch stays wanted as long as that; a rerun is not worth the time that others wait for it. A refused
 * landing is decided again, after another read of its members.
 */
const triesOf = ({ kind }: Command): number => {
  switch (kind) {
    case "set_check":
    case "enqueue":
    case "dequeue":
    case "build":
    case "publish":
    case "discard":
    case "close":
      return Infinity
    case "rerun":
    case "tell":
      return 4
    case "cancel":
      return 8
    case "land":
    case "merge":
    case "read":
      return 1
  }
}

/** The pause after this many refusals: it doubles from one second to five minutes. */
const pauseAfter = (tries: number): number => Math.min(2 ** Math.min(tries, 20) * Instant.second, 5 * Instant.minute)

const without = (state: State, { id }: Command): State => EngineState.withoutCommands(state, (each) => each.id === id)

/** The state after a command was issued. */
export const issued = (state: State, command: Command): State => {
  const sent = { ...state, inflight: [...state.inflight, { command, tries: 0, notBefore: 0, refusal: null }] }
  switch (command.kind) {
    case "build":
      return EngineState.withBatch(sent, command.batch, (batch) => build(sent, batch))
    case "publish":
      return {
        ...EngineState.withBatch(sent, command.batch, (batch) => ({ ...batch, phase: "publishing" })),
        branches: [...sent.branches, { name: command.branch, sha: null }]
      }
    case "land":
    case "merge":
      return EngineState.withBatch(sent, command.batch, (batch) => ({
        ...batch,
        phase: "landing",
        tries: batch.tries + 1
      }))
    case "set_check":
      return {
        ...sent,
        shown: { ...shownOf(sent), [command.sha]: `${command.state} ${command.title}` },
        inflight: sent.inflight.filter(
          (each) => each.command === command || each.command.kind !== "set_check" || each.command.sha !== command.sha
        )
      }
    case "cancel":
      // The jobs of a group that passed by its tree are cancelled, and the group is still there.
      return command.checks !== undefined
        ? sent
        : withGroups(sent, (group) => group.id === command.sha, { gone: "cancelled" })
    case "dequeue":
      return withGroups(
        { ...sent, leaving: sent.leaving.filter(({ number }) => number !== command.number) },
        (group) => group.concluded === "failure" && group.members.some(({ number }) => number === command.number),
        { isRemoved: true }
      )
    case "close":
      return { ...sent, closing: sent.closing.filter(({ number }) => number !== command.number) }
    case "tell":
      return {
        ...sent,
        messages: sent.messages.filter(({ number }) => number !== command.number),
        inflight: sent.inflight.filter((each) => !isOlderNote(each.command, command))
      }
    case "enqueue": {
      const isMeant = ({ number }: EngineState.Parked) => number === command.member.number
      return {
        ...sent,
        parked: sent.parked.filter((parked) => !isMeant(parked)),
        lastReenqueue: [...sent.lastReenqueue.filter((each) => !isMeant(each)), ...sent.parked.filter(isMeant)]
      }
    }
    default:
      return sent
  }
}

/** A comment that is not written yet is not written any more: it would replace the newer one. */
const isOlderNote = (command: Command, { id, number }: EngineCommand.Of<"tell">): boolean =>
  command.kind === "tell" && command.number === number && command.id !== id

/** The statuses shown at commits that the engine still knows. */
const shownOf = ({ groups, heads, shown }: State): State["shown"] => {
  const known = new Set([...groups.map(({ id }) => id), ...heads.map(({ sha }) => sha)])
  return Object.fromEntries(Object.entries(shown).filter(([sha]) => known.has(sha)))
}

const withGroups = (
  state: State,
  isMeant: (group: EngineState.NativeGroup) => boolean,
  change: Partial<EngineState.NativeGroup>
): State => ({ ...state, groups: state.groups.map((group) => (isMeant(group) ? { ...group, ...change } : group)) })

const build = (state: State, batch: Batch.Batch): Batch.Batch => {
  if (state.base === null) return batch
  const foundation = Batch.beneath(state.batches, state.batches.indexOf(batch), state.base)
  return { ...batch, phase: "building", generation: batch.generation + 1, foundation }
}

/** The state after a command was executed. */
export const done = (before: State, command: Command, answer: EngineCommand.Answer, at = 0): State => {
  const state = without(before, command)
  switch (command.kind) {
    case "build":
      return answer.kind === "built"
        ? EngineState.withBatch(state, command.batch, (batch) => ({ ...batch, phase: "built", ...pick(answer) }))
        : state
    case "publish":
      return publish(state, command, at)
    case "read":
      return answer.kind === "read" ? confirm(state, command, answer, at) : state
    case "land":
      return answer.kind === "landed" ? land(state, command, answer.base) : state
    case "merge":
      return answer.kind === "merged" ? merged(state, command, answer) : state
    case "discard":
      return { ...state, branches: state.branches.filter(({ name }) => name !== command.branch) }
    default:
      return state
  }
}

const pick = ({ conflicts, contained, steps }: Extract<EngineCommand.Answer, { readonly kind: "built" }>) => ({
  conflicts,
  contained,
  steps
})

/** A commit that is tested from now on. */
export const begin = (state: State, id: string, sha: string, at: number): State => {
  const clock = EngineState.clock(state, at)
  const tested = EngineState.withBatch(state, id, (batch) => ({
    ...batch,
    phase: "testing",
    round: Round.begin(sha, batch.steps.at(-1)?.tree ?? sha, clock)
  }))
  return { ...tested, rounds: [...state.rounds, at] }
}

const publish = (state: State, { batch: id, branch, sha }: EngineCommand.Of<"publish">, at: number): State => {
  return {
    ...begin(state, id, sha, at),
    branches: state.branches.map((each) => (each.name === branch ? { ...each, sha } : each))
  }
}

const confirm = (
  state: State,
  { numbers, round }: EngineCommand.Of<"read">,
  { base, pulls }: Extract<EngineCommand.Answer, { readonly kind: "read" }>,
  at: number
): State => {
  const seen = pulls.reduce((next, pull) => PullFold.see(next, pull, at), state)
  const isNewer = seen.base === null || base.version > seen.base.version
  return {
    ...seen,
    base: isNewer ? base : seen.base,
    entries: seen.entries.map((entry) => (numbers.includes(entry.number) ? { ...entry, confirmed: round } : entry))
  }
}

const land = (state: State, command: EngineCommand.Of<"land">, base: Tip): State => {
  const { batch, closes = false, members, to, tree } = command
  const after = landed(state, batch, members, { sha: to, tree, version: base.version }, base)
  return closes
    ? { ...after, closing: [...after.closing, ...members.map(({ number }) => ({ number, sha: to }))] }
    : after
}

/** Members have landed: they leave the queue as merged, and what stands on them keeps its round. */
const landed = (state: State, id: string, members: EngineCommand.Of<"land">["members"], tip: Tip, base: Tip): State => {
  const isMember = (number: number) => members.some((member) => member.number === number)
  const merged = members.map(({ number }) => ({ number, seq: state.seq, text: `Merged as ${tip.sha}.` }))
  return {
    ...state,
    base: state.base !== null && state.base.version > base.version ? state.base : base,
    entries: state.entries.filter(({ number }) => !isMember(number)),
    heads: state.heads.filter(({ number }) => !isMember(number)),
    batches: Batch.land(state.batches, id, members.length, tip),
    messages: [...state.messages, ...merged]
  }
}

/** A merge whose tree differs from the tested one raises the alarm; the pull request is merged all the same. */
const merged = (
  state: State,
  { batch, member, tree }: EngineCommand.Of<"merge">,
  answer: Extract<EngineCommand.Answer, { readonly kind: "merged" }>
): State => {
  const tip = { sha: answer.sha, tree: answer.tree, version: answer.base.version }
  const after = landed(state, batch, [member], tip, answer.base)
  return answer.tree === tree
    ? after
    : { ...after, alarm: `#${member.number} was tested as tree ${tree} and merged as tree ${answer.tree}` }
}

const refused = (state: State, command: Command, event: EngineEvent.Of<"refused">, at: number): State => {
  const base =
    event.base !== null && (state.base === null || event.base.version > state.base.version) ? event.base : state.base
  const seen = { ...state, base }
  switch (command.kind) {
    case "build":
    case "publish":
      if (event.members !== undefined) return refuseMembers(seen, event.members, event.detail)
      return EngineState.withBatch(seen, command.batch, (batch) => ({
        ...Batch.reset(batch),
        notBefore: at + refusalWait
      }))
    case "land":
    case "merge":
      return event.refusal === "rule" || event.refusal === "not_possible"
        ? refuseMembers(seen, numbersOf(command), event.detail)
        : retryLanding(seen, command, at)
    case "rerun":
      return {
        ...seen,
        batches: seen.batches.map((batch) => refuseRerun(batch, command.sha, EngineState.clock(state, at))),
        groups: seen.groups.map((group) => refuseRerun(group, command.sha, EngineState.clock(state, at)))
      }
    case "discard":
      return { ...seen, branches: seen.branches.filter(({ name }) => name !== command.branch) }
    default:
      return seen
  }
}

const refuseRerun = <Holder extends { readonly round: Round.Round | null }>(
  holder: Holder,
  sha: string,
  clock: number
): Holder => (holder.round?.sha === sha ? { ...holder, round: Round.refuseRerun(holder.round, clock) } : holder)

/** Lands again later: reads before the refusal confirm nothing any more. */
const retryLanding = (state: State, command: EngineCommand.Of<"land" | "merge">, at: number): State => {
  const numbers = numbersOf(command)
  const waiting = EngineState.withBatch(state, command.batch, (batch) => ({
    ...batch,
    phase: "green",
    notBefore: at + refusalWait
  }))
  return {
    ...waiting,
    entries: waiting.entries.map((entry) => (numbers.includes(entry.number) ? { ...entry, confirmed: null } : entry))
  }
}

const numbersOf = (command: EngineCommand.Of<"land" | "merge">): ReadonlyArray<number> =>
  command.kind === "land" ? command.members.map(({ number }) => number) : [command.member.number]

/** The members are held with the refusal until somebody asks for a retry, and the queue goes on without them. */
const refuseMembers = (state: State, members: ReadonlyArray<number>, detail: string): State => {
  const isMember = (number: number) => members.includes(number)
  const batches = members.reduce(Batch.withoutMember, state.batches)
  return {
    ...state,
    batches,
    entries: state.entries.map((entry) =>
      isMember(entry.number) ? { ...entry, hold: { kind: "refused", detail } } : entry
    ),
    messages: [
      ...state.messages,
      ...members.map((number) => ({ number, seq: state.seq, text: `The repository refused to merge it: ${detail}` }))
    ]
  }
}
