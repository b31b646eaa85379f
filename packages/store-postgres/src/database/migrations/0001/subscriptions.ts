/** Subscriptions to events. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Creates the tables.
 *
 * **Details**
 *
 * - `subscriptions`: the receivers, and up to which position of the log each has received events. The process that sends
 *   holds the lease. The secret is stored as it is: requests are signed with it. It is a directory, small and read over
 *   all repositories.
 * - `dead_letters`: events whose delivery was given up, as they were.
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
