/** Subscriptions to events. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Creates the tables.
 *
 * **Details**
 *
 * - `subscriptions`: the receivers, and the position in the log up to which each has received events. The sending
 *   process holds the lease. The secret is stored in plain text, because it signs requests. The table is a directory:
 *   small, and read across all repositories.
 * - `dead_letters`: events whose delivery was given up, unchanged.
 */
export const subscriptions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE subscriptions (
      repository_id bigint NOT NULL,
      subscription_id text COLLATE "C" NOT NULL,
      url text COLLATE "C" NOT NULL,
      secret text COLLATE "C" NOT NULL,
      types jsonb NOT NULL,
      created_at timestamptz(3) NOT NULL,
      created_by text COLLATE "C" NOT NULL,
      position bigint NOT NULL,
      attempts int NOT NULL DEFAULT 0,
      next_at timestamptz(3) NOT NULL DEFAULT 'epoch',
      lease text COLLATE "C",
      leased_until timestamptz(3) NOT NULL DEFAULT 'epoch',
      PRIMARY KEY (repository_id, subscription_id)
    )`
  yield* sql`
    CREATE TABLE dead_letters (
      repository_id bigint NOT NULL,
      subscription_id text COLLATE "C" NOT NULL,
      event_id uuid NOT NULL,
      at timestamptz(3) NOT NULL,
      attempts int NOT NULL,
      error text COLLATE "C" NOT NULL,
      event jsonb NOT NULL,
      PRIMARY KEY (repository_id, subscription_id, event_id)
    )`
})
