/** Requests of people, folded into the state of the engine. */
import type { EngineCommand } from "./EngineCommand.ts"
import type * as EngineEvent from "./EngineEvent.ts"
import * as Batch from "./Batch.ts"
import * as EngineState from "./EngineState.ts"
import type { Entry } from "./Entry.ts"
import type { Member } from "./Observation.ts"
import * as Round from "./Round.ts"

type State = EngineState.EngineState
type Intent = typeof EngineEvent.Intent.Type

/** The state after an intent. One that asks for what is already so changes nothing. */
export const step = (state: State, event: Intent, at: number): State => {
  switch (event.kind) {
    case "queue_asked":
      return enter(state, event, at)
    case "dequeue_asked":
      return leave(state, event, at)
    case "priority_asked":
      return EngineState.withEntry(state, event.number, (entry) => ({ ...entry, priority: event.priority }))
    case "retry_asked":
      return retry(state, event.number, at)
    case "pause_set":
      return {
        ...state,
        pause:
          state.pause === null ? { at, reason: event.reason, by: event.by } : { ...state.pause, reason: event.reason }
      }
    case "pause_cleared":
      return resume(state, at)
    case "trial_waived":
      return {
        ...state,
        [event.mode === "drive" ? "driveWaiver" : "waiver"]: { at, reason: event.reason, by: event.by }
      }
    case "config_read":
      return configure(state, event, at)
  }
}

/** Decisions of the shadow mode were not sent to the platform: they are made, and sent, again. */
const configure = (state: State, { digest, mode, shadow }: EngineEvent.Of<"config_read">, at: number): State => {
  const isSame = state.configuration?.mode === mode
  const configured = {
    ...(state.configuration?.mode === "drive" && (!isSame || state.configuration.shadow !== shadow)
      ? undriven(state)
      : state),
    queue: isSame ? state.queue : [],
    configuration: { digest, mode, shadow },
    hasActed: state.hasActed || (mode === "gate" && !shadow)
  }
  if (state.configuration?.shadow !== true || shadow) return configured
  const again = { failed: null, concluded: null, concludedAt: 0, reason: null, isRemoved: false, reused: null }
  const clock = EngineState.clock(state, at)
  return {
    ...configured,
    shown: {},
    healed: [],
    parked: state.parked.filter(({ number }) => !state.healed.some((each) => each.number === number)),
    groups: state.groups.map((group) =>
      group.gone === null ? { ...group, ...again, round: Round.begin(group.id, group.tree, clock, true) } : group
    )
  }
}

/** The state without batches: who is queued stays queued; what was built or planned for it in another mode counts for nothing. */
const undriven = (state: State): State => ({
  ...EngineState.withoutCommands(state, ({ kind }) => driven.has(kind)),
  batches: [],
  closing: [],
  messages: [],
  entries: state.entries.map((entry) => ({ ...entry, confirmed: null, hold: null }))
})

const driven: ReadonlySet<EngineCommand["kind"]> = new Set([
  "build",
  "publish",
  "read",
  "land",
  "merge",
  "discard",
  "tell"
])

/** A pull request that is queued at another head is a new acceptance: it starts again at the end, with nothing tested. */
const enter = (state: State, event: EngineEvent.Of<"queue_asked">, at: number): State => {
  const present = EngineState.entryOf(state, event.number)
  if (present?.head === event.head) return state
  if (EngineState.batchOf(state, event.number)?.phase === "landing") return state
  const entry: Entry = {
    number: event.number,
    head: event.head,
    rule: event.rule,
    priority: event.priority,
    queuedAt: at,
    by: event.by,
    pull: null,
    readyAt: null,
    confirmed: null,
    overtaken: 0,
    reruns: 0,
    hold: null,
    leaving: null
  }
  const changed = EngineState.batchOf(state, event.number)
  return {
    ...(changed === undefined ? state : EngineState.withoutBuild(state, changed.id)),
    entries: [...state.entries.filter(({ number }) => number !== event.number), entry],
    batches: Batch.withoutMember(state.batches, event.number)
  }
}

/** A pull request that waits to be put into the platform's own queue, or is on its way, is not put into it either. */
const leave = (state: State, { by, number }: EngineEvent.Of<"dequeue_asked">, at: number): State => {
  const asked = EngineState.withEntry(state, number, (entry) => ({ ...entry, leaving: by }))
  const isMeant = (each: { readonly number: number }) => each.number === number
  const isEntering = (command: EngineCommand) => command.kind === "enqueue" && isMeant(command.member)
  const isBuilt = state.groups.some(({ gone, members }) => gone === null && members.some(isMeant))
  const isPresent = isBuilt || state.queue.some(isMeant) || EngineState.isInflight(state, isEntering)
  const leaving = isPresent && !state.leaving.some(isMeant) ? [{ number, at, by }] : []
  return {
    ...EngineState.withoutCommands(asked, isEntering),
    parked: asked.parked.filter((parked) => !isMeant(parked)),
    leaving: [...asked.leaving, ...leaving],
    removals: isPresent
      ? EngineState.withRemoval(asked, { number, reason: { code: "dequeued_by", who: by } })
      : asked.removals
  }
}

/**
 * Frees what a rule of the repository kept back, and puts an open pull request at its head of now into the platform's own
 * queue, which may have evicted it: once per request.
 */
const retry = (state: State, number: number, at: number): State => {
  const evicted = outside(state, number)
  const freed = EngineState.withEntry(state, number, (entry) =>
    entry.hold?.kind === "refused" ? { ...entry, hold: null } : entry
  )
  if (evicted === undefined) return freed
  return {
    ...freed,
    evicted: freed.evicted.filter((member) => member.number !== number),
    leaving: freed.leaving.filter((each) => each.number !== number),
    parked: [...freed.parked, { ...evicted, cause: "asked", pausedAt: at, place: state.groups.length }]
  }
}

/** The pull request at the head that enters the platform's own queue; undefined when it is on its way, or not known. */
const outside = (state: State, number: number): Member | undefined => {
  const isMeant = (each: { readonly number: number }) => each.number === number
  const isEntering = EngineState.isInflight(state, (command) => command.kind === "enqueue" && isMeant(command.member))
  if (isEntering || state.queue.some(isMeant) || state.parked.some(isMeant)) return undefined
  const head = state.heads.find(isMeant)
  const known = head?.sha ?? state.evicted.find(isMeant)?.head
  return known === undefined ? undefined : { number, head: known }
}

/** Ends a pause. Reads before that confirm nothing: every landing reads again. */
const resume = (state: State, at: number): State =>
  state.pause === null
    ? state
    : {
        ...state,
        pausedFor: state.pausedFor + Math.max(0, at - state.pause.at),
        pause: null,
        lastHold: { at: state.pause.at, until: at },
        isRewritten: false,
        alarm: null,
        entries: state.entries.map((entry) => ({ ...entry, confirmed: null }))
      }
