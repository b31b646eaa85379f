/** The log of events. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Creates the tables.
 *
 * **Details**
 *
 * - `events` is the log: `event` is an `Event` of the domain, and the other columns repeat parts of it.
 * - `event_heads` assigns positions. Its row is locked until the transaction ends, so that an event becomes visible
 *   after all events with lower positions.
 */
export const events = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE event_heads (
      repository_id bigint PRIMARY KEY,
      last_position bigint NOT NULL
    )`
  yield* sql`
    CREATE TABLE events (
      repository_id bigint NOT NULL,
      position bigint NOT NULL,
      event_id uuid NOT NULL,
      type text COLLATE "C" NOT NULL,
      at timestamptz(3) NOT NULL,
      event jsonb NOT NULL,
      PRIMARY KEY (repository_id, position),
      UNIQUE (repository_id, event_id)
    )`
  yield* sql`CREATE INDEX events_of_type ON events (repository_id, type, position)`
  yield* sql`CREATE INDEX events_in_time ON events (repository_id, at)`
})
