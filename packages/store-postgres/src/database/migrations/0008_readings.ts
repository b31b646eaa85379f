/** Readings: the CI runs whose artifacts are to be read. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Creates the table.
 *
 * **Details**
 *
 * A row is deleted when its run is read, so that the table stays small. It is read across all repositories. The reading
 * process holds the lease.
 */
export const readings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE readings (
      repository_id bigint NOT NULL,
      run_id text COLLATE "C" NOT NULL,
      requests int NOT NULL,
      next_at timestamptz(3) NOT NULL,
      attempts int NOT NULL,
      lease text COLLATE "C",
      leased_until timestamptz(3) NOT NULL,
      PRIMARY KEY (repository_id, run_id)
    )`
})
