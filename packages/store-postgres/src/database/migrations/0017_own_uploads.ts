/** Own uploads: whether the jobs of a repository upload their reports themselves. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates the table: one row per repository, written at most once an hour by each process. */
export const ownUploads = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE own_uploads (
      repository_id bigint NOT NULL PRIMARY KEY,
      at timestamptz(3) NOT NULL
    )`
})
