/** Contradictions on other branches: what the health of a test reads of them. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Creates the table.
 *
 * **Details**
 *
 * A row is derived from the executions of one test in the attempts of one run (`run_hash`) of a branch other than the
 * default branch. `at`, `upload_no` and `ordinal` are those of the execution that completed the contradiction; `opened_at`
 * is the instant of the first of its two executions. Where that lies before the horizon, the row can not be derived again
 * and stays as it is.
 */
export const contradictions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE branch_contradictions (
      repository_id bigint NOT NULL,
      test_no int NOT NULL,
      run_hash bytea NOT NULL,
      at timestamptz(3) NOT NULL,
      upload_no int NOT NULL,
      ordinal int NOT NULL,
      commit_no int NOT NULL,
      run_id text COLLATE "C" NOT NULL,
      branch text COLLATE "C",
      base_branch text COLLATE "C",
      opened_at timestamptz(3) NOT NULL,
      PRIMARY KEY (repository_id, test_no, run_hash)
    )`
  yield* sql`CREATE INDEX branch_contradictions_of_run ON branch_contradictions (repository_id, run_hash)`
})
