/** The log of events in PostgreSQL: the statements that the writes of all ports share. */
import type { Event } from "@lazaret/domain"
import { Effect } from "effect"
import * as Parameter from "../database/Parameter.ts"
import type { PostgresClient } from "../database/PostgresClient.ts"
import { RepositoryRemoved } from "../database/StoreFailure.ts"
import * as RepositorySettings from "./RepositorySettings.ts"

type Sql = PostgresClient["Service"]["sql"]

/**
 * Locks the log of a repository until the transaction ends.
 *
 * **Gotchas**
 *
 * Lock order: the log comes before every other lock of the repository. Exception: `Append` locks the head first and the
 * log last. This cannot deadlock, because no transaction that holds the log waits for the head.
 *
 * Fails when the repository has been removed. The row of a log is deleted with its repository, so that only a new row needs
 * to be asked about.
 */
export const lock = Effect.fnUntraced(function* (sql: Sql, repositoryId: number) {
  const { isNew, last } = yield* reserve(sql, repositoryId, 0)
  if (isNew && !(yield* RepositorySettings.exists(sql, repositoryId))) {
    return yield* new RepositoryRemoved({ repositoryId })
  }
  return last
})

/**
 * Appends the events that are not in the log yet, and yields their number. Must run in a transaction.
 *
 * **Details**
 *
 * Two statements, and three more when the log has some of the events already: the others then get the positions that those
 * had reserved.
 */
export const append = Effect.fnUntraced(function* (sql: Sql, repositoryId: number, events: ReadonlyArray<Event.Event>) {
  const given = withoutRepeats(events)
  if (given.length === 0) return 0
  const { last } = yield* reserve(sql, repositoryId, given.length)
  const before = last - given.length
  const written = new Set((yield* insert(sql, repositoryId, given, before)).map(({ id }) => id))
  if (written.size === given.length) return written.size
  yield* sql`DELETE FROM events WHERE repository_id = ${repositoryId} AND position > ${Parameter.int8(before)}`
  yield* reserve(sql, repositoryId, written.size - given.length)
  const appended = given.filter(({ id }) => written.has(id.toLowerCase()))
  if (appended.length > 0) yield* insert(sql, repositoryId, appended, before)
  return appended.length
})

const withoutRepeats = (events: ReadonlyArray<Event.Event>): ReadonlyArray<Event.Event> => {
  const ids = new Set<string>()
  return events.filter(({ id }) => ids.size < ids.add(id).size)
}

/** The position of the newest event ever appended, 0 before any. */
export const last = (sql: Sql, repositoryId: number) =>
  Effect.map(
    sql<{ readonly last: number }>`
      SELECT last_position AS last FROM event_heads WHERE repository_id = ${repositoryId}`,
    ([row]) => row?.last ?? 0
  )

/** Raises the version of the rows, reserves `count` positions and yields the last of them, and whether the log is new. */
const reserve = (sql: Sql, repositoryId: number, count: number) =>
  Effect.map(
    sql<{ readonly last: number; readonly is_new: boolean }>`
      INSERT INTO event_heads AS h (repository_id, last_position, version)
      VALUES (${repositoryId}, ${Parameter.int8(count)}, 1)
      ON CONFLICT (repository_id) DO UPDATE
      SET last_position = h.last_position + ${Parameter.int8(count)}, version = h.version + 1
      RETURNING last_position AS last, xmax = 0 AS is_new`,
    ([row]) => ({ last: row?.last ?? count, isNew: row?.is_new === true })
  )

const insert = (sql: Sql, repositoryId: number, events: ReadonlyArray<Event.Event>, before: number) =>
  sql<{ readonly id: string }>`
    INSERT INTO events (repository_id, position, event_id, type, at, event)
    SELECT ${repositoryId}, n.position, n.event_id, n.type, n.at, n.event FROM unnest(
      ${Parameter.int8s(events.map((_, index) => before + index + 1))},
      ${Parameter.uuids(events.map(({ id }) => id))},
      ${Parameter.texts(events.map(({ type }) => type))},
      ${Parameter.instants(events.map(({ at }) => at))},
      ${Parameter.jsons(events)}
    ) AS n (position, event_id, type, at, event)
    ON CONFLICT (repository_id, event_id) DO NOTHING
    RETURNING event_id AS id`
