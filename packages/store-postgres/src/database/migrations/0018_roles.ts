/** Roles that people are given by hand, and the provider of the sign-in in sessions. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates the table: small, and read by every server process. */
export const roles = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE assigned_roles (
      role_id text COLLATE "C" PRIMARY KEY,
      provider text COLLATE "C" NOT NULL,
      login text COLLATE "C" NOT NULL,
      login_key text COLLATE "C" NOT NULL,
      person_id text COLLATE "C",
      role text COLLATE "C" NOT NULL,
      owner text COLLATE "C",
      repository text COLLATE "C",
      subject text COLLATE "C" NOT NULL UNIQUE,
      created_at timestamptz(3) NOT NULL
    )`
  yield* sql`CREATE INDEX assigned_roles_of_person ON assigned_roles (person_id)`
  yield* sql`CREATE INDEX assigned_roles_of_login ON assigned_roles (provider, login_key)`
  yield* sql`ALTER TABLE sessions ADD COLUMN provider text COLLATE "C"`
})
