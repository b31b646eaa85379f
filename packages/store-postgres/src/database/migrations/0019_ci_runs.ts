/** Runs as their CI system reports them: which are running, and which are over. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates the table. Each write deletes the rows of a day before it, so that the table stays small. */
export const ciRuns = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE ci_runs (
      repository_id bigint NOT NULL,
      run_id text COLLATE "C" NOT NULL,
      pipeline_name text COLLATE "C" NOT NULL,
      commit text COLLATE "C" NOT NULL,
      attempt int NOT NULL,
      state text COLLATE "C" NOT NULL,
      at timestamptz(3) NOT NULL,
      PRIMARY KEY (repository_id, run_id)
    )`
  yield* sql`CREATE INDEX ci_runs_by_commit ON ci_runs (repository_id, commit)`
})
