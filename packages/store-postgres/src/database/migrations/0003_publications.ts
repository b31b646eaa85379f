/** Publications: the commits whose report on the hosting platform is to be brought up to date. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Creates the table.
 *
 * **Details**
 *
 * A row is deleted when its commit is published, so that the table stays small. It is read across all repositories. The
 * publishing process holds the lease.
 */
export const publications = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE publications (
      repository_id bigint NOT NULL,
      commit_sha text COLLATE "C" NOT NULL,
      requests int NOT NULL,
      next_at timestamptz(3) NOT NULL,
      attempts int NOT NULL,
      lease text COLLATE "C",
      leased_until timestamptz(3) NOT NULL,
      PRIMARY KEY (repository_id, commit_sha)
    )`
})
