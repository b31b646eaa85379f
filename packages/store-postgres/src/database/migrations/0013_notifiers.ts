/** Notifiers: the channels that events are reported in, and the progress of each. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Creates the table.
 *
 * **Details**
 *
 * `until` is the last event of a message that was begun and not confirmed. The process that sends holds the lease. It is read
 * across all repositories.
 */
export const notifiers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE notifiers (
      repository_id bigint NOT NULL,
      notifier_id text COLLATE "C" NOT NULL,
      channel jsonb NOT NULL,
      types jsonb NOT NULL,
      owners jsonb NOT NULL,
      schedule jsonb NOT NULL,
      created_at timestamptz(3) NOT NULL,
      created_by text COLLATE "C" NOT NULL,
      position bigint NOT NULL,
      until bigint,
      attempts int NOT NULL,
      next_at timestamptz(3) NOT NULL,
      failure text COLLATE "C",
      sent_at timestamptz(3),
      lease text COLLATE "C",
      leased_until timestamptz(3) NOT NULL,
      PRIMARY KEY (repository_id, notifier_id)
    )`
})
