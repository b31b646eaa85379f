/** Notifiers of several repositories: their channels, and how far each has read which log. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Creates the table: small, and read by every server process.
 *
 * **Details**
 *
 * `places` holds a position for each repository, so that the end of a message about several of them is stored at once. `staged`
 * holds those of a message that was begun and not confirmed.
 */
export const wideNotifiers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE wide_notifiers (
      notifier_id text COLLATE "C" PRIMARY KEY,
      repositories jsonb NOT NULL,
      channel jsonb NOT NULL,
      types jsonb NOT NULL,
      owners jsonb NOT NULL,
      schedule jsonb NOT NULL,
      created_at timestamptz(3) NOT NULL,
      created_by text COLLATE "C" NOT NULL,
      places jsonb NOT NULL,
      staged jsonb,
      attempts int NOT NULL,
      next_at timestamptz(3) NOT NULL,
      failure text COLLATE "C",
      sent_at timestamptz(3),
      lease text COLLATE "C",
      leased_until timestamptz(3) NOT NULL
    )`
})
