/** The projection of the engine's log onto queue events, so that the views of the mirror show a queue that acts. */
import type * as EngineCommand from "./EngineCommand.ts"
import * as DequeueReason from "./DequeueReason.ts"
import type * as EngineEvent from "./EngineEvent.ts"
import * as EngineFold from "./EngineFold.ts"
import * as EngineState from "./EngineState.ts"
import type { Check, Member, Pull } from "./Observation.ts"
import { v5 } from "uuid"
import { TestId } from "@lazaret/domain"
import type * as QueueEvent from "../QueueEvent.ts"

/** The longest reason of a queue event, in characters. */
const longestReason = 1000

type Body = QueueEvent.Known extends infer Event
  ? Event extends QueueEvent.Known
    ? Omit<Event, "id" | "at" | "branch">
    : never
  : never

/**
 * The queue events that a log gives, in its order.
 *
 * **Details**
 *
 * Ids are made of the place in the log and the branch, so that the same log gives the same events in the same order. A round is named by
 * its tested commit. A pull request that is queued again at another head leaves and enters. `from` is the state before the
 * log, the initial one if it is left out.
 */
export const project = (
  log: Iterable<EngineEvent.Logged>,
  branch: string,
  from: EngineState.EngineState = EngineState.initial
): ReadonlyArray<QueueEvent.QueueEvent> => {
  const events: Array<QueueEvent.QueueEvent> = []
  const queue = v5(branch, TestId.namespace)
  let state = from
  for (const logged of log) {
    const after = EngineFold.step(state, logged)
    const all = bodies(state, after, logged.event)
    for (const [index, body] of all.entries()) {
      const place = `${String(logged.seq).padStart(12, "0")}/${String(index).padStart(4, "0")}`
      // Pull requests that are read together are ordered by entry time, as in the platform's queue, and not by number.
      const at = body.kind === "queued" ? logged.at - (all.length - 1 - index) : logged.at
      events.push({ ...body, id: `${place}/${queue}`, at, branch })
    }
    state = after
  }
  return events
}

/**
 * Whether the projection is the queue of the branch: a gate reads it whole, and a queue that is driven is made here. A mirror
 * is fed by deliveries and by programs.
 */
export const isSource = ({ configuration }: EngineState.EngineState): boolean =>
  configuration?.mode === "gate" || (configuration?.mode === "drive" && !configuration.shadow)

const isDriven = ({ configuration }: EngineState.EngineState): boolean =>
  configuration?.mode === "drive" && !configuration.shadow

/** The pull requests in the queue enter the view when it begins to be driven, and leave it when that ends. */
const switched = (before: EngineState.EngineState, after: EngineState.EngineState): ReadonlyArray<Body> => {
  if (isDriven(before) === isDriven(after)) return []
  return isDriven(after)
    ? after.entries.map(({ number, priority, rule }) => ({
        kind: "queued",
        pullRequest: number,
        queueRule: rule,
        priority
      }))
    : before.entries.map(({ number }) => ({
        kind: "dequeued",
        pullRequest: number,
        reason: DequeueReason.sentence({ code: "mode_changed" }).slice(0, longestReason)
      }))
}

const bodies = (
  before: EngineState.EngineState,
  after: EngineState.EngineState,
  event: EngineEvent.EngineEvent
): ReadonlyArray<Body> => {
  switch (event.kind) {
    case "config_read":
      return switched(before, after)
    case "queue_asked":
      return queued(before, after, event)
    case "priority_asked":
      return EngineState.entryOf(before, event.number) === undefined
        ? []
        : [{ kind: "priority_changed", pullRequest: event.number, priority: event.priority }]
    case "dequeued":
      return [
        {
          kind: "dequeued",
          pullRequest: event.number,
          reason: DequeueReason.sentence(event.reason).slice(0, longestReason)
        }
      ]
    case "merged_elsewhere":
      return [{ kind: "merged", pullRequest: event.number }]
    case "round_passed":
    case "round_failed":
      return ended(before, event)
    case "round_voided":
    case "batch_dissolved":
      return voided(before, event)
    case "round_begun":
    case "round_reused":
      return started(before, after)
    case "checks_seen":
      return [...ofBatches(before, event), ...ofPlatform(before, event)]
    case "done":
    case "base_seen":
      return [...started(before, after), ...merged(before, event)]
    default:
      return ofPlatform(before, event)
  }
}

/** The checks of the batches that are tested as a commit. */
const ofBatches = (before: EngineState.EngineState, event: EngineEvent.Of<"checks_seen">): ReadonlyArray<Body> =>
  before.batches.flatMap(({ members, round }) =>
    round?.sha === event.sha ? members.flatMap(({ number }) => updated(round.checks, event, number)) : []
  )

/** A round that counts no more. */
const voided = (
  before: EngineState.EngineState,
  event: EngineEvent.Of<"batch_dissolved" | "round_voided">
): ReadonlyArray<Body> => {
  const batch = before.batches.find(({ id }) => id === event.batch)
  const round = batch?.round ?? null
  if (batch === undefined || round === null) return []
  return batch.members.map(({ number }) => ({
    kind: "checks_ended",
    pullRequest: number,
    state: "stale",
    round: round.sha
  }))
}

/** The bodies of what happens in the platform's own queue. */
const ofPlatform = (before: EngineState.EngineState, event: EngineEvent.EngineEvent): ReadonlyArray<Body> => {
  const ofGroup = (id: string, make: (number: number) => ReadonlyArray<Body>) =>
    (before.groups.find((group) => group.id === id)?.members ?? []).flatMap(({ number }) => make(number))
  switch (event.kind) {
    case "queue_seen":
      return event.members
        .filter(({ number }) => !isQueued(before, number))
        .map(({ number }) => ({ kind: "queued", pullRequest: number }))
    case "pull_seen":
      return isQueued(before, event.pull.number) ? left(event.pull) : []
    case "group_seen":
      return event.group.members.map((member) => start(member, event.group.id))
    case "checks_seen":
      return ofGroup(event.sha, (number) =>
        updated(before.groups.find(({ id }) => id === event.sha)?.round.checks ?? [], event, number)
      )
    case "group_concluded":
      return ofGroup(event.group, (number) => [
        { kind: "checks_ended", pullRequest: number, state: event.conclusion, round: event.group }
      ])
    case "group_gone":
      return ofGroup(event.id, (number) => ofGone(event, number))
    case "evicted":
      return [{ kind: "dequeued", pullRequest: event.member.number, reason: evictions[event.cause] }]
    default:
      return []
  }
}

const isQueued = ({ queue }: EngineState.EngineState, number: number): boolean =>
  queue.some((member) => member.number === number)

const left = ({ number, state }: Pull): ReadonlyArray<Body> => {
  if (state === "open") return []
  return state === "merged"
    ? [{ kind: "merged", pullRequest: number }]
    : [{ kind: "dequeued", pullRequest: number, reason: DequeueReason.sentence({ code: "closed" }) }]
}

/** A group that is built again leaves a round behind that counts no more. */
const ofGone = ({ cause, id }: EngineEvent.Of<"group_gone">, number: number): ReadonlyArray<Body> => {
  switch (cause) {
    case "merged":
      return [{ kind: "merged", pullRequest: number }]
    case "invalidated":
      return [{ kind: "checks_ended", pullRequest: number, state: "stale", round: id }]
    case "dequeued":
      return []
  }
}

const updated = (
  known: ReadonlyArray<Check>,
  { checks, sha }: EngineEvent.Of<"checks_seen">,
  number: number
): ReadonlyArray<Body> => {
  return checks
    .filter(({ name, state }) => known.find((check) => check.name === name)?.state !== state)
    .map(({ name, state, url }) => ({
      kind: "check_updated",
      pullRequest: number,
      round: sha,
      check: { name, description: "", url: url ?? null, state, avatarUrl: null }
    }))
}

/** The sentences that explain why the platform took a pull request out of its queue. */
const evictions: Record<EngineEvent.Of<"evicted">["cause"], string> = {
  checks_failed: "Its checks failed.",
  checks_timeout: "Its checks did not end in time.",
  conflict: "It conflicts with the base branch, or with a pull request ahead.",
  closed: DequeueReason.sentence({ code: "closed" }),
  by_hand: "Somebody took it out of the queue of the platform.",
  other: "It left the queue of the platform.",
  unknown: "It left the queue of the platform."
}

const queued = (
  before: EngineState.EngineState,
  after: EngineState.EngineState,
  { number, priority, rule }: EngineEvent.Of<"queue_asked">
): ReadonlyArray<Body> => {
  const present = EngineState.entryOf(before, number)
  if (present?.head === EngineState.entryOf(after, number)?.head) return []
  const entered: Body = { kind: "queued", pullRequest: number, queueRule: rule, priority }
  return present === undefined ? [entered] : [{ kind: "dequeued", pullRequest: number }, entered]
}

/** A round begins for every member of the batch that was published. */
const started = (before: EngineState.EngineState, after: EngineState.EngineState): ReadonlyArray<Body> =>
  after.batches.flatMap((batch) => {
    const isNew = batch.round !== null && before.batches.find(({ id }) => id === batch.id)?.round === null
    return isNew ? batch.members.map((member) => start(member, batch.round?.sha ?? "")) : []
  })

const start = ({ head, number }: Member, round: string): Body => ({
  kind: "checks_started",
  pullRequest: number,
  checkType: head === round ? "in_place" : "draft_pr",
  round
})

const ended = (
  before: EngineState.EngineState,
  event: EngineEvent.Of<"round_passed" | "round_failed">
): ReadonlyArray<Body> => {
  const batch = before.batches.find(({ id }) => id === event.batch)
  const state = event.kind === "round_passed" ? "success" : event.outcome === "red" ? "failure" : "timed_out"
  return (batch?.members ?? []).map(({ number }) => ({
    kind: "checks_ended",
    pullRequest: number,
    state,
    round: batch?.round?.sha ?? ""
  }))
}

const merged = (before: EngineState.EngineState, event: EngineEvent.Of<"done" | "base_seen">): ReadonlyArray<Body> => {
  const isMeant = (command: EngineCommand.EngineCommand) =>
    event.kind === "done" ? command.id === event.command : command.kind === "land" && command.to === event.tip.sha
  const command = before.inflight.find((each) => isMeant(each.command))?.command
  const members = command?.kind === "land" ? command.members : command?.kind === "merge" ? [command.member] : []
  return members.map(({ number }) => ({ kind: "merged", pullRequest: number }))
}
