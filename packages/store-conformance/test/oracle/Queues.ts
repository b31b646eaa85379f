/** The oracle on merge queues: the fold of the whole log at every question (7). */
import { Event, MergeQueue, type QueueEvent, QueueOutcome } from "@lazaret/domain"
import { QueueStore } from "@lazaret/store"
import { Effect, Option } from "effect"
import * as Events from "./Events.ts"
import { compareText, type Facts } from "./Facts.ts"
import { ensure, find, requireText, type World } from "./World.ts"

/** What became of each event: a duplicate where one with its id came before, else what the fold of the whole log says. */
const appendEvents = (facts: Facts, events: ReadonlyArray<QueueEvent.QueueEvent>) => {
  const log = [...facts.events, ...events]
  const isFirst = (index: number) => log.findIndex(({ id }) => id === log[index]?.id) === index
  const known = facts.events.length
  facts.events = log.filter((_, index) => isFirst(index))
  const { outcomes } = MergeQueue.fold(facts.events)
  return events.flatMap((event, index): ReadonlyArray<QueueOutcome.QueueOutcome> =>
    isFirst(known + index) ? outcomes.filter(({ id }) => id === event.id) : [QueueOutcome.ignored(event, "duplicate")]
  )
}

export const storeOf = (world: World) =>
  QueueStore.of({
    append: (ref, events, at) =>
      Effect.andThen(
        requireText("QueueStore.append", events),
        Effect.sync(() => appendEvents(ensure(world, ref, at), events))
      ),
    queue: (ref) => Effect.sync(() => MergeQueue.fold(find(world, ref)?.events ?? []).queue),
    baseRefs: (ref, { end, start }) =>
      Effect.sync(() => {
        const events = (find(world, ref)?.events ?? []).filter(({ at }) => start <= at && at < end)
        return Array.from(new Set(events.map(({ branch }) => branch))).sort(compareText)
      }),
    pause: (ref) => Effect.sync(() => Option.fromNullOr(find(world, ref)?.pause ?? null)),
    setPause: (ref, reason, { at, by }) =>
      Effect.andThen(
        requireText("QueueStore.setPause", [reason, by]),
        Effect.sync(() => {
          const facts = ensure(world, ref, at)
          const before = facts.pause
          facts.pause = { reason, pause_date: before?.pause_date ?? at }
          if (before?.reason !== reason) Events.log(facts, [Event.paused(facts.pause, at, by)])
          return facts.pause
        })
      ),
    removePause: (ref, { at, by }) =>
      Effect.andThen(
        requireText("QueueStore.removePause", by),
        Effect.sync(() => {
          const facts = find(world, ref)
          if (facts === undefined || facts.pause === null) return false
          Events.log(facts, [Event.unpaused(facts.pause, at, by)])
          facts.pause = null
          return true
        })
      ),
    configuration: (ref) => Effect.sync(() => Option.fromNullOr(find(world, ref)?.configuration ?? null)),
    setConfiguration: (ref, text, at) =>
      Effect.andThen(
        requireText("QueueStore.setConfiguration", text),
        Effect.sync(() => {
          ensure(world, ref, at).configuration = text
        })
      )
  })
