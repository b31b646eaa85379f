/**
 * Merge queues over a driver: the log, its fold, the pause and the configuration.
 *
 * A log only grows, and most events arrive nearly in order. So the fold of all but the newest events is kept as a base: a
 * read folds the few hundred events after it, and an event that lies before the base has the whole log folded again.
 */
import { Event, MergeQueue, QueueConfiguration, QueueEvent, QueueOutcome, QueuePause, Text } from "@lazaret/domain"
import { Effect, Option, Result } from "effect"
import type { Driver, Transaction, View } from "../Driver.ts"
import { QueueStore } from "../QueueStore.ts"
import * as Engines from "./Engines.ts"
import { configurations, pauses, type PauseRow, queueBases, queueEvents, type QueueEventRow } from "../Rows.ts"

/** The port of merge queues. */
export const make = (driver: Driver["Service"]): QueueStore["Service"] =>
  QueueStore.of({
    append: (ref, events, at) =>
      driver.transact("QueueStore.append", ref, at, (transaction) => append(transaction, events)),
    queue: (ref) => driver.snapshot("QueueStore.queue", ref, queue),
    snapshot: (ref) =>
      driver.snapshot("QueueStore.snapshot", ref, (view) =>
        Effect.all({ queue: queue(view), pause: pauseIn(view), configuration: configurationIn(view) })
      ),
    baseRefs: (ref, window) =>
      driver.read("QueueStore.baseRefs", ref, (view) =>
        Effect.map(
          view.distinct(queueEvents, "branch", [
            ["at", ">=", window.start],
            ["at", "<", window.end]
          ]),
          (branches) => branches.toSorted(Text.compare)
        )
      ),
    pause: (ref) => driver.read("QueueStore.pause", ref, (view) => Effect.map(pauseIn(view), Option.fromNullOr)),
    setPause: (ref, reason, { at, by }) =>
      driver.transact("QueueStore.setPause", ref, at, (transaction) =>
        Effect.gen(function* () {
          const before = yield* pauseIn(transaction)
          const pause = QueuePause.pause(before, reason, at)
          yield* transaction.put(pauses, [{ reason, pausedAt: pause.pauseDate }])
          if (before?.reason !== reason) {
            yield* transaction.log([Event.paused(pause, at, by)])
            yield* Engines.broadcast(transaction, { kind: "pause_set", reason, by }, { at, except: null })
          }
          return pause
        })
      ),
    removePause: (ref, { at, by }) =>
      driver.transact("QueueStore.removePause", ref, null, (transaction) =>
        Effect.gen(function* () {
          const pause = yield* pauseIn(transaction)
          if (pause === null) return false
          yield* transaction.remove(pauses, [])
          yield* transaction.log([Event.unpaused(pause, at, by)])
          yield* Engines.broadcast(transaction, { kind: "pause_cleared", by }, { at, except: null })
          return true
        })
      ),
    configuration: (ref) =>
      driver.read("QueueStore.configuration", ref, (view) => Effect.map(configurationIn(view), Option.fromNullOr)),
    setConfiguration: (ref, text, at) =>
      driver.transact("QueueStore.setConfiguration", ref, at, (transaction) =>
        text === null
          ? Effect.asVoid(transaction.remove(configurations, []))
          : Effect.flatMap(lastValidIn(transaction), (held) =>
              transaction.put(configurations, [{ configuration: text, lastValid: isValid(text) ? text : held }])
            )
      ),
    lastValidConfiguration: (ref) =>
      driver.read("QueueStore.lastValidConfiguration", ref, (view) => Effect.map(lastValidIn(view), Option.fromNullOr))
  })

/**
 * The version of the rules of the fold. A change of `MergeQueue` that could fold a log differently raises it: bases of
 * other versions are not used.
 */
export const rules = 1

/** Events are read this many at a time; between one and two times as many lie behind the base. */
export const pageSize = 500

const append = Effect.fnUntraced(function* (transaction: Transaction, events: ReadonlyArray<QueueEvent.QueueEvent>) {
  const fresh = yield* freshAmong(transaction, events)
  yield* transaction.put(queueEvents, [...fresh.values()].map(rowOf))
  const base = yield* baseIn(transaction)
  const isLate = [...fresh.values()].some((event) => QueueEvent.order(event, base.last ?? start) < 0)
  const folded = yield* fold(transaction, isLate ? MergeQueue.empty : base, new Set(fresh.keys()))
  if (folded.base !== base) yield* transaction.put(queueBases, [{ rules, queue: folded.base }])
  return events.map((event) => {
    const outcome = folded.outcomes.get(event.id)
    // Of several events with one id the first one has the outcome, and the others are its duplicates.
    folded.outcomes.delete(event.id)
    return outcome ?? QueueOutcome.ignored(event, "duplicate")
  })
})

const queue = (view: View) =>
  Effect.flatMap(baseIn(view), (base) => Effect.map(fold(view, base, new Set()), (folded) => folded.queue))

const pauseIn = (view: View) =>
  Effect.map(view.select(pauses, { where: [], order: [] }), ([row]) => (row === undefined ? null : pauseOf(row)))

const pauseOf = ({ pausedAt, reason }: PauseRow): QueuePause.QueuePause => ({ reason, pauseDate: pausedAt })

const configurationIn = (view: View) =>
  Effect.map(view.select(configurations, { where: [], order: [] }), ([row]) => row?.configuration ?? null)

/** Before the column was there, only the text was kept. */
const lastValidIn = (view: View) =>
  Effect.map(view.select(configurations, { where: [], order: [] }), ([row]) => {
    if (row === undefined) return null
    return row.lastValid ?? (isValid(row.configuration) ? row.configuration : null)
  })

const isValid = (text: string): boolean => Result.isSuccess(QueueConfiguration.parseAll(text))

/** Before any event: an id is never empty. */
const start: Pick<QueueEvent.QueueEvent, "at" | "id"> = { at: 0, id: "" }

/** The events that are not in the log, each id once. */
const freshAmong = Effect.fnUntraced(function* (view: View, events: ReadonlyArray<QueueEvent.QueueEvent>) {
  const fresh = new Map(events.toReversed().map((event) => [event.id, event]))
  for (const { id } of yield* view.select(queueEvents, { where: [["id", "in", [...fresh.keys()]]], order: [] })) {
    fresh.delete(id)
  }
  return fresh
})

const rowOf = (event: QueueEvent.QueueEvent): QueueEventRow => ({
  id: event.id,
  at: event.at,
  branch: event.branch,
  event
})

const baseIn = (view: View) =>
  Effect.map(view.select(queueBases, { where: [], order: [] }), ([row]) =>
    row === undefined || row.rules !== rules ? MergeQueue.empty : row.queue
  )

/** Folds the log from a state on; the new base lies at least one page behind its end. */
const fold = Effect.fnUntraced(function* (view: View, from: MergeQueue.MergeQueue, wanted: ReadonlySet<string>) {
  const outcomes = new Map<string, QueueOutcome.QueueOutcome>()
  let [base, current] = [from, from]
  for (;;) {
    const { at, id } = current.last ?? start
    const page = yield* view.select(queueEvents, { where: [], order: ["at", "id"], after: [at, id], limit: pageSize })
    const before = current
    for (const { event } of page) {
      const next = MergeQueue.step(current, event)
      current = next.queue
      if (wanted.has(event.id)) outcomes.set(event.id, next.outcome)
    }
    if (page.length < pageSize) return { base, queue: current, outcomes }
    base = before
  }
})
