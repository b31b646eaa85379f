/** The lives of quarantines: until when they hold, where, and who looks after them. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Adds the life of a quarantine (`QuarantineLife.Life`) to `quarantines`.
 *
 * **Details**
 *
 * Quarantines that exist hold in every run until they are removed. The indexes serve the search for ends and reminders that
 * are due, over all repositories: most quarantines have neither.
 */
export const quarantineLives = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE quarantines
    ADD COLUMN expires_at timestamptz(3),
    ADD COLUMN remind_at timestamptz(3),
    ADD COLUMN owner text COLLATE "C",
    ADD COLUMN ticket text COLLATE "C",
    ADD COLUMN scope text COLLATE "C" NOT NULL DEFAULT 'every_run'`
  yield* sql`CREATE INDEX quarantines_ending ON quarantines (expires_at) WHERE removed_at IS NULL`
  yield* sql`CREATE INDEX quarantines_reminding ON quarantines (remind_at) WHERE removed_at IS NULL`
})
