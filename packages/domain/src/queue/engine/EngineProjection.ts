/** The projection of the engine's log onto queue events, so that the views of the mirror show a queue that acts. */
import type * as EngineCommand from "./EngineCommand.ts"
import * as DequeueReason from "./DequeueReason.ts"
import type * as EngineEvent from "./EngineEvent.ts"
import * as EngineFold from "./EngineFold.ts"
import * as EngineState from "./EngineState.ts"
import type { Member } from "./Observation.ts"
import { v5 } from "uuid"
import * as TestId from "../../execution/TestId.ts"
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
 * its tested commit. A pull request that is queued again at another head leaves and enters.
 */
export const project = (log: Iterable<EngineEvent.Logged>, branch: string): ReadonlyArray<QueueEvent.QueueEvent> => {
  const events: Array<QueueEvent.QueueEvent> = []
  const queue = v5(branch, TestId.namespace)
  let state = EngineState.initial
  for (const logged of log) {
    const after = EngineFold.step(state, logged)
    for (const [index, body] of bodies(state, after, logged.event).entries()) {
      const place = `${String(logged.seq).padStart(12, "0")}/${String(index).padStart(4, "0")}`
      events.push({ ...body, id: `${place}/${queue}`, at: logged.at, branch })
    }
    state = after
  }
  return events
}

const bodies = (
  before: EngineState.EngineState,
  after: EngineState.EngineState,
  event: EngineEvent.EngineEvent
): ReadonlyArray<Body> => {
  switch (event.kind) {
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
    case "done":
    case "base_seen":
      return [...started(before, after), ...merged(before, event)]
    default:
      return []
  }
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

const start = ({ number }: Member, round: string): Body => ({
  kind: "checks_started",
  pullRequest: number,
  checkType: "draft_pr",
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
