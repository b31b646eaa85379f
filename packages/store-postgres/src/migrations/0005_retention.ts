/** What is kept of dropped executions. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Creates the table and the columns.
 *
 * **Details**
 *
 * - `repositories.horizon`: nothing that finished before it is taken any more; `dropped_to`: the horizon up to which
 *   everything has been dropped.
 * - `retention_bases`: what the executions of a block up to and including `at` led to on `branch`, which was the default
 *   branch. Chunks up to `at` are not read any more, whether or not their partition is still there. `series` holds the last
 *   change of each test and the exception of its episode, with surrogates (`codec/Surrogate`).
 * - `job_runs.is_partial`: executions of the run were dropped; its totals are those of the whole run.
 */
export const retention = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE repositories ADD COLUMN horizon timestamptz(3), ADD COLUMN dropped_to timestamptz(3)`
  yield* sql`ALTER TABLE job_runs ADD COLUMN is_partial boolean NOT NULL DEFAULT false`
  yield* sql`
    CREATE TABLE retention_bases (
      repository_id bigint NOT NULL,
      block_no int NOT NULL,
      at timestamptz(3) NOT NULL,
      branch text COLLATE "C" NOT NULL,
      counts bytea NOT NULL,
      state bytea NOT NULL,
      series jsonb NOT NULL,
      PRIMARY KEY (repository_id, block_no)
    )`
})
