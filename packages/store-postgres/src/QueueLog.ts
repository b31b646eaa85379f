/**
 * The log of queue events in PostgreSQL, and its fold.
 *
 * A log grows for ever, and most events arrive nearly in order. So the fold of all but the newest events is kept as a base:
 * a read folds the few hundred events after it, and only an event that lies before the base has the whole log folded anew.
 */
import { MergeQueue, QueueEvent, QueueOutcome } from "@lazaret/domain"
import { Effect } from "effect"
import * as Parameter from "./Parameter.ts"
import type { PostgresClient } from "./PostgresClient.ts"

/**
 * The rules that a base was folded by. To be raised with every change of `MergeQueue` that could fold a log differently:
 * bases of other rules are not used.
 */
export const rules = 1

/** So many events are read at a time; between one and two times as many lie behind the base. */
export const pageSize = 500

/** Adds events to the log and yields what became of each. To be run within a transaction. */
export const append = Effect.fnUntraced(function* (
  sql: Sql,
  repositoryId: number,
  events: ReadonlyArray<QueueEvent.QueueEvent>
) {
  const base = yield* lockBase(sql, repositoryId)
  const fresh = yield* insertEvents(sql, repositoryId, firstOfEach(events))
  const isLate = events.some((event) => fresh.has(event.id) && isBefore(event, base))
  const folded = yield* fold(sql, repositoryId, isLate ? MergeQueue.empty : base, fresh)
  if (folded.base !== base) yield* updateBase(sql, repositoryId, folded.base)
  return events.map((event) => {
    const outcome = folded.outcomes.get(event.id)
    // Only the first of several with one id is answered with what became of it.
    folded.outcomes.delete(event.id)
    return outcome ?? QueueOutcome.ignored(event, "duplicate")
  })
})

/** The fold of the log. To be run in a transaction that sees one moment. */
export const queue = Effect.fnUntraced(function* (sql: Sql, repositoryId: number) {
  const base = baseOf(yield* selectBase(sql, repositoryId))
  return (yield* fold(sql, repositoryId, base, new Set())).queue
})

type Sql = PostgresClient["Service"]["sql"]
type Position = Pick<QueueEvent.QueueEvent, "at" | "id">

/** Before any event: an id is never empty. */
const start: Position = { at: 0, id: "" }

const isBefore = (event: QueueEvent.QueueEvent, { last }: MergeQueue.MergeQueue): boolean =>
  QueueEvent.order(event, last ?? start) < 0

const firstOfEach = (events: ReadonlyArray<QueueEvent.QueueEvent>): ReadonlyArray<QueueEvent.QueueEvent> => [
  ...new Map(events.toReversed().map((event) => [event.id, event])).values()
]

/** Folds the log from a state on; the new base lies at least one page behind its end. */
const fold = Effect.fnUntraced(function* (
  sql: Sql,
  repositoryId: number,
  from: MergeQueue.MergeQueue,
  wanted: ReadonlySet<string>
) {
  const outcomes = new Map<string, QueueOutcome.QueueOutcome>()
  let [base, current] = [from, from]
  for (;;) {
    const page = yield* selectAfter(sql, repositoryId, current.last ?? start)
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

interface BaseRow {
  readonly rules: number
  readonly queue: MergeQueue.MergeQueue
}

const baseOf = ([row]: ReadonlyArray<BaseRow>): MergeQueue.MergeQueue =>
  row === undefined || row.rules !== rules ? MergeQueue.empty : row.queue

/** One append to a log at a time. */
const lockBase = Effect.fnUntraced(function* (sql: Sql, repositoryId: number) {
  yield* sql`
    INSERT INTO queue_bases (repository_id, rules, queue)
    VALUES (${repositoryId}, ${rules}, ${Parameter.json(MergeQueue.empty)})
    ON CONFLICT (repository_id) DO NOTHING`
  return baseOf(
    yield* sql<BaseRow>`SELECT rules, queue FROM queue_bases WHERE repository_id = ${repositoryId} FOR UPDATE`
  )
})

const selectBase = (sql: Sql, repositoryId: number) =>
  sql<BaseRow>`SELECT rules, queue FROM queue_bases WHERE repository_id = ${repositoryId}`

const updateBase = (sql: Sql, repositoryId: number, base: MergeQueue.MergeQueue) =>
  sql`
    UPDATE queue_bases SET rules = ${rules}, queue = ${Parameter.json(base)}
    WHERE repository_id = ${repositoryId}`

/** Yields the ids that were not in the log. */
const insertEvents = (sql: Sql, repositoryId: number, events: ReadonlyArray<QueueEvent.QueueEvent>) => {
  const sorted = events.toSorted(QueueEvent.order)
  return Effect.map(
    sql<{ readonly id: string }>`
      INSERT INTO queue_events (repository_id, event_id, at, branch, event)
      SELECT ${repositoryId}, event_id, at, branch, event::jsonb FROM unnest(
        ${Parameter.texts(sorted.map(({ id }) => id))},
        ${Parameter.instants(sorted.map(({ at }) => at))},
        ${Parameter.texts(sorted.map(({ branch }) => branch))},
        ${Parameter.texts(sorted.map((event) => JSON.stringify(event)))}
      ) AS given (event_id, at, branch, event)
      ON CONFLICT (repository_id, event_id) DO NOTHING
      RETURNING event_id AS id`,
    (rows) => new Set(rows.map(({ id }) => id))
  )
}

const selectAfter = (sql: Sql, repositoryId: number, { at, id }: Position) =>
  sql<{ readonly event: QueueEvent.QueueEvent }>`
    SELECT event FROM queue_events
    WHERE repository_id = ${repositoryId} AND (at, event_id) > (${Parameter.instant(at)}, ${Parameter.text(id)})
    ORDER BY at, event_id COLLATE "C"
    LIMIT ${pageSize}`
