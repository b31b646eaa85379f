/** Removals: the numbers of removed repositories whose rows are not deleted yet. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Creates the table.
 *
 * **Details**
 *
 * A row exists while the rows of its repository are deleted in slices. It holds no name. It is read across all repositories.
 */
export const removals = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE removed_repositories (
      repository_id bigint PRIMARY KEY,
      removed_at timestamptz(3) NOT NULL
    )`
})
