/** Uploaded CODEOWNERS: one per repository. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates the table. */
export const ownersFiles = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE owners_files (
      repository_id bigint PRIMARY KEY,
      text text COLLATE "C" NOT NULL,
      dialect text COLLATE "C" NOT NULL,
      uploaded_at timestamptz(3) NOT NULL,
      uploaded_by text COLLATE "C" NOT NULL
    )`
})
