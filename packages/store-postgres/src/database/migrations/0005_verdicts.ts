/** The first verdicts on failures, and whether excuses by verdict hold. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Creates the tables.
 *
 * **Details**
 *
 * - `first_verdicts`: one row per failed execution that somebody asked about, kept for 90 days after the failure. `truth`
 *   is what a person said of it.
 * - `excuse_suspensions`: one row per repository while its gate excuses nothing by verdict.
 */
export const verdicts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE first_verdicts (
      repository_id bigint NOT NULL,
      test_id uuid NOT NULL,
      execution_id text COLLATE "C" NOT NULL,
      test_name text COLLATE "C" NOT NULL,
      pipeline_name text COLLATE "C" NOT NULL,
      job_name text COLLATE "C" NOT NULL,
      commit_sha text COLLATE "C" NOT NULL,
      run_id text COLLATE "C",
      at timestamptz(3) NOT NULL,
      verdict text COLLATE "C" NOT NULL,
      probability jsonb NOT NULL,
      truth text COLLATE "C",
      marked_by text COLLATE "C",
      marked_at timestamptz(3),
      PRIMARY KEY (repository_id, execution_id, test_id)
    )`
  yield* sql`CREATE INDEX first_verdicts_in_time ON first_verdicts (repository_id, at)`
  yield* sql`
    CREATE TABLE excuse_suspensions (
      repository_id bigint PRIMARY KEY,
      since timestamptz(3) NOT NULL,
      reason text COLLATE "C" NOT NULL
    )`
})
