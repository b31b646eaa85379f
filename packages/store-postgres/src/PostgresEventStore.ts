/** Events in PostgreSQL. */
import type { Event, Instant, Page } from "@lazaret/domain"
import { type EventQuery, EventStore, type LoggedEvent } from "@lazaret/store"
import { Effect, Layer } from "effect"
import * as EventLog from "./EventLog.ts"
import * as KeysetPage from "./KeysetPage.ts"
import * as Parameter from "./Parameter.ts"
import { PostgresClient } from "./PostgresClient.ts"
import { RepositoryDirectory, whenKnown } from "./RepositoryDirectory.ts"
import * as StorableText from "./StorableText.ts"

/** The event port on PostgreSQL. */
export const layer: Layer.Layer<EventStore, never, PostgresClient | RepositoryDirectory> = Layer.effect(
  EventStore,
  Effect.gen(function* () {
    const { run, sql, transaction } = yield* PostgresClient
    const directory = yield* RepositoryDirectory

    const about = whenKnown(directory, run)

    return EventStore.of({
      append: (ref, events, at) =>
        Effect.andThen(
          StorableText.guard("EventStore.append", StorableText.textsIn(events)),
          transaction(
            "EventStore.append",
            Effect.flatMap(directory.ensure(ref, at), (repositoryId) => EventLog.append(sql, repositoryId, events))
          )
        ),
      page: (ref, query) => about("EventStore.page", ref, emptyPage, (id) => selectPage(sql, id, query)),
      after: (ref, position, limit) =>
        about("EventStore.after", ref, [], (id) => selectAfter(sql, id, position, limit)),
      head: (ref) => about("EventStore.head", ref, 0, (id) => EventLog.last(sql, id)),
      prune: (ref, before) => about("EventStore.prune", ref, 0, (id) => deleteBefore(sql, id, before))
    })
  })
)

type Sql = PostgresClient["Service"]["sql"]

const emptyPage: Page.Page<LoggedEvent> = { rows: [], hasPrevious: false, hasNext: false, total: 0 }

interface Row {
  readonly position: number
  readonly event: Event.Event
}

const loggedOf = ({ event, position }: Row): LoggedEvent => ({ ...event, position })

/** The page and the counts in one statement, so that they agree. The list is newest first. */
const selectPage = (sql: Sql, repositoryId: number, { from, limit, type }: EventQuery) => {
  const matches = sql`repository_id = ${repositoryId}${type === null ? sql`` : sql` AND type = ${type}`}`
  const isIn = onSide(sql, from)
  const direction = sql.literal(KeysetPage.isBackward(from) ? "ASC" : "DESC")
  return Effect.map(
    sql<KeysetPage.Counted & (Row | { readonly position: null })>`
      WITH
        counted AS (
          SELECT count(*) AS total, count(*) FILTER (WHERE ${isIn}) AS found FROM events WHERE ${matches}
        ),
        page AS (
          SELECT position, event FROM events WHERE ${matches} AND ${isIn}
          ORDER BY position ${direction}
          LIMIT ${Parameter.int8(limit)}
        )
      SELECT counted.total, counted.found, page.* FROM counted LEFT JOIN page ON true
      ORDER BY page.position DESC`,
    (joined) => {
      const counted = joined[0] ?? { total: 0, found: 0 }
      const rows = joined.flatMap((row) => (row.position === null ? [] : [loggedOf(row)]))
      return KeysetPage.make(rows, counted, from, limit)
    }
  )
}

const onSide = (sql: Sql, from: Page.From<number>) => {
  if (from._tag === "Start" || from._tag === "End") return sql`true`
  return from._tag === "After"
    ? sql`position < ${Parameter.int8(from.position)}`
    : sql`position > ${Parameter.int8(from.position)}`
}

const selectAfter = (sql: Sql, repositoryId: number, position: number, limit: number) =>
  Effect.map(
    sql<Row>`
      SELECT position, event FROM events
      WHERE repository_id = ${repositoryId} AND position > ${Parameter.int8(position)}
      ORDER BY position
      LIMIT ${Parameter.int8(limit)}`,
    (rows) => rows.map(loggedOf)
  )

const deleteBefore = (sql: Sql, repositoryId: number, before: Instant.Instant) =>
  Effect.map(
    sql<{ readonly position: number }>`
      DELETE FROM events WHERE repository_id = ${repositoryId} AND at < ${Parameter.instant(before)}
      RETURNING position`,
    (rows) => rows.length
  )
