/** Merge queues in memory: the whole log is folded on every read. */
import { Event, MergeQueue, QueueEvent, QueueOutcome, QueuePause } from "@lazaret/domain"
import { Effect, Option } from "effect"
import { QueueStore } from "../QueueStore.ts"
import * as EventLog from "./EventLog.ts"
import * as MemoryState from "./MemoryState.ts"

/** The queue port over a memory state. */
export const make = (state: MemoryState.MemoryState): QueueStore["Service"] =>
  QueueStore.of({
    append: (ref, events, at) =>
      Effect.andThen(
        MemoryState.requireStorable("QueueStore.append", MemoryState.textsIn(events)),
        Effect.sync(() => append(MemoryState.ensure(state, ref, at).queueEvents, events))
      ),
    queue: (ref) => Effect.sync(() => MergeQueue.fold(logOf(state, ref).values()).queue),
    baseRefs: (ref, window) => Effect.sync(() => QueueEvent.baseRefs(logOf(state, ref).values(), window)),
    pause: (ref) => Effect.sync(() => Option.fromNullOr(MemoryState.find(state, ref)?.pause ?? null)),
    setPause: (ref, reason, { at, by }) =>
      Effect.andThen(
        MemoryState.requireStorable("QueueStore.setPause", [reason, by]),
        Effect.sync(() => {
          const entry = MemoryState.ensure(state, ref, at)
          const pause = QueuePause.pause(entry.pause, reason, at)
          if (entry.pause?.reason !== reason) EventLog.append(entry.events, [Event.paused(pause, at, by)])
          entry.pause = pause
          return pause
        })
      ),
    removePause: (ref, { at, by }) =>
      Effect.andThen(
        MemoryState.requireStorable("QueueStore.removePause", [by]),
        Effect.sync(() => {
          const entry = MemoryState.find(state, ref)
          if (entry === undefined || entry.pause === null) return false
          EventLog.append(entry.events, [Event.unpaused(entry.pause, at, by)])
          entry.pause = null
          return true
        })
      ),
    configuration: (ref) =>
      Effect.sync(() => Option.fromNullOr(MemoryState.find(state, ref)?.queueConfiguration ?? null)),
    setConfiguration: (ref, text, at) =>
      Effect.andThen(
        MemoryState.requireStorable("QueueStore.setConfiguration", [text]),
        Effect.sync(() => {
          MemoryState.ensure(state, ref, at).queueConfiguration = text
        })
      )
  })

type Log = Map<string, QueueEvent.QueueEvent>

const emptyLog: ReadonlyMap<string, QueueEvent.QueueEvent> = new Map()

const logOf = (state: MemoryState.MemoryState, ref: Parameters<typeof MemoryState.find>[1]) =>
  MemoryState.find(state, ref)?.queueEvents ?? emptyLog

const append = (log: Log, events: ReadonlyArray<QueueEvent.QueueEvent>): ReadonlyArray<QueueOutcome.QueueOutcome> => {
  const isFresh = events.map((event) => {
    if (log.has(event.id)) return false
    log.set(event.id, event)
    return true
  })
  const outcomes = new Map(MergeQueue.fold(log.values()).outcomes.map((outcome) => [outcome.id, outcome]))
  return events.map((event, index) => {
    const outcome = isFresh[index] === true ? outcomes.get(event.id) : undefined
    return outcome ?? QueueOutcome.ignored(event, "duplicate")
  })
}
