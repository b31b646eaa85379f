/** Merge queues: events, pauses and configurations. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Creates the tables.
 *
 * **Details**
 *
 * - `queue_events` is the log. It only grows; `event` is a `QueueEvent` of the domain, and the other columns repeat parts of it.
 * - `queue_bases` holds the fold of all but the newest events, and the version of the rules of the fold. It is derived:
 *   without its row, the log is folded from the start. Writers of the log lock its row.
 */
export const queue = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE queue_events (
      repository_id bigint NOT NULL,
      event_id text COLLATE "C" NOT NULL,
      at timestamptz(3) NOT NULL,
      branch text COLLATE "C" NOT NULL,
      event jsonb NOT NULL,
      PRIMARY KEY (repository_id, event_id)
    )`
  yield* sql`CREATE INDEX queue_events_order ON queue_events (repository_id, at, event_id)`
  yield* sql`
    CREATE TABLE queue_bases (
      repository_id bigint PRIMARY KEY,
      rules int NOT NULL,
      queue jsonb NOT NULL
    )`
  yield* sql`
    CREATE TABLE queue_pauses (
      repository_id bigint PRIMARY KEY,
      reason text COLLATE "C" NOT NULL,
      paused_at timestamptz(3) NOT NULL
    )`
  yield* sql`
    CREATE TABLE queue_configurations (
      repository_id bigint PRIMARY KEY,
      configuration text COLLATE "C" NOT NULL
    )`
})
