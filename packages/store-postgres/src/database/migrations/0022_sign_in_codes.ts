/** The one-time codes of sign-in links. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates the table: small, and read by every server process. */
export const signInCodes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE sign_in_codes (
      hash text COLLATE "C" PRIMARY KEY,
      key_id text COLLATE "C" NOT NULL,
      created_at timestamptz(3) NOT NULL
    )`
  yield* sql`CREATE INDEX sign_in_codes_of_key ON sign_in_codes (key_id)`
})
