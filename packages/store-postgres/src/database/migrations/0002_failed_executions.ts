/** Failed executions by test, by run and by signature: what the verdict on a failure reads. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Creates the tables and the indexes.
 *
 * **Details**
 *
 * - `failed_executions`: the failed executions of every branch, and the passes on retry (`is_failed` false). `signature` is
 *   null for a failure without type and message.
 * - `failure_sightings`: per upload and signature the latest failure with it.
 * - Executions that were recorded before this migration are missing in both: they count as before, and no verdict on a
 *   failure rests on them.
 */
export const failedExecutions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE failed_executions (
      repository_id bigint NOT NULL,
      test_no int NOT NULL,
      at timestamptz(3) NOT NULL,
      execution_id text COLLATE "C" NOT NULL,
      run_no int NOT NULL,
      upload_no int NOT NULL,
      is_failed boolean NOT NULL,
      reruns int NOT NULL,
      signature uuid,
      exception_type text COLLATE "C",
      message text COLLATE "C",
      filepath text COLLATE "C",
      PRIMARY KEY (repository_id, test_no, at, execution_id)
    )`
  yield* sql`CREATE INDEX failed_executions_of_run ON failed_executions (repository_id, run_no)`
  yield* sql`
    CREATE TABLE failure_sightings (
      repository_id bigint NOT NULL,
      signature uuid NOT NULL,
      at timestamptz(3) NOT NULL,
      upload_no int NOT NULL,
      run_no int NOT NULL,
      PRIMARY KEY (repository_id, signature, at, upload_no)
    )`
  yield* sql`CREATE INDEX job_runs_of_commit ON job_runs (repository_id, commit_no, job_no)`
  yield* sql`CREATE INDEX job_runs_of_run_id ON job_runs (repository_id, run_id)`
  yield* sql`
    CREATE INDEX job_runs_of_branch ON job_runs (repository_id, job_no, branch, finished_at)
    WHERE base_branch IS NULL`
  yield* sql`
    CREATE INDEX job_runs_with_failures ON job_runs (repository_id, job_no, finished_at)
    WHERE failed > 0`
  yield* sql`
    CREATE INDEX job_runs_of_base ON job_runs (repository_id, base_branch)
    WHERE base_branch IS NOT NULL`
})
