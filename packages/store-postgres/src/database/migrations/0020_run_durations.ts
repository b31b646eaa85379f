/** How long the tests of a job run took. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Adds the sum of the durations of the passed and failed executions of a run, in microseconds.
 *
 * **Details**
 *
 * Runs that were recorded before have none: the durations are packed, and unpacking them here would hold up every server that
 * waits for the migration. A refold of the repository fills them in.
 */
export const runDurations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE job_runs ADD COLUMN duration_us bigint`
})
