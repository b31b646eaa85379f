/**
 * The log of merge queues over a driver, and its fold.
 *
 * A log only grows, and most events arrive nearly in order. So the fold of all but the newest events is kept as a base: a
 * read folds the few hundred events after it, and an event that lies before the base has the whole log folded again.
 */
import { MergeQueue, QueueEvent, QueueOutcome } from "@lazaret/queue"
import { Effect } from "effect"
import type { Transaction, View } from "../Driver.ts"
import { queueBases, queueEvents, type QueueEventRow } from "../Rows.ts"

/**
 * The version of the rules of the fold. A change of `MergeQueue` that could fold a log differently raises it: bases of
 * other versions are not used.
 */
export const rules = 1

/** Events are read this many at a time; between one and two times as many lie behind the base. */
export const pageSize = 500

/** Adds events, and yields the outcome of each: the laws are those of `QueueStore.append`. */
export const append = Effect.fnUntraced(function* (
  transaction: Transaction,
  events: ReadonlyArray<QueueEvent.QueueEvent>
) {
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

/** The fold of the log. */
export const queue = (view: View) =>
  Effect.flatMap(baseIn(view), (base) => Effect.map(fold(view, base, new Set()), (folded) => folded.queue))

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
