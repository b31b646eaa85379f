/** The version of the plain rows of a repository. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Adds the version to the row that every writer of plain rows locks.
 *
 * **Details**
 *
 * Writers of executions raise `repository_heads.version` instead: both together are the version of a repository.
 */
export const versions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE event_heads ADD COLUMN version bigint NOT NULL DEFAULT 0`
})
