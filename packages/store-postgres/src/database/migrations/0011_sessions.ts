/** Sessions of signed-in browsers. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates the table: small, and read by every server process. */
export const sessions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE sessions (
      session_id text COLLATE "C" PRIMARY KEY,
      hash text COLLATE "C" NOT NULL UNIQUE,
      kind text COLLATE "C" NOT NULL,
      subject_id text COLLATE "C" NOT NULL,
      name text COLLATE "C" NOT NULL,
      owner text COLLATE "C",
      grants jsonb NOT NULL,
      created_at timestamptz(3) NOT NULL,
      seen_at timestamptz(3) NOT NULL,
      address text COLLATE "C",
      agent text COLLATE "C"
    )`
})
