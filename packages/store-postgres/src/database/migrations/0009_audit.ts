/** The audit log. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Creates the table.
 *
 * **Details**
 *
 * It belongs to no repository: an entry outlives the repository that it names.
 */
export const audit = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE audit_entries (
      entry_id text COLLATE "C" PRIMARY KEY,
      at timestamptz(3) NOT NULL,
      actor_kind text COLLATE "C" NOT NULL,
      actor_id text COLLATE "C" NOT NULL,
      actor_name text COLLATE "C" NOT NULL,
      address text COLLATE "C",
      action text COLLATE "C" NOT NULL,
      owner text COLLATE "C",
      owner_key text COLLATE "C",
      repository text COLLATE "C",
      repository_key text COLLATE "C",
      target jsonb NOT NULL,
      outcome text COLLATE "C" NOT NULL,
      before jsonb,
      after jsonb
    )`
  yield* sql`CREATE INDEX audit_entries_list ON audit_entries (at, entry_id)`
  yield* sql`CREATE INDEX audit_entries_of_owner ON audit_entries (owner_key, at, entry_id)`
})
