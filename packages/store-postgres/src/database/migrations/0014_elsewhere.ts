/** The job runs of other branches, and those that are outages. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Creates the indexes.
 *
 * **Details**
 *
 * - `job_runs_elsewhere`: the latest runs of a job on other branches.
 * - `job_runs_with_outage`: the outages of a repository, of which there are few.
 */
export const elsewhere = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE INDEX job_runs_elsewhere ON job_runs (repository_id, job_no, finished_at)
    WHERE NOT on_default_branch`
  yield* sql`
    CREATE INDEX job_runs_with_outage ON job_runs (repository_id, finished_at)
    WHERE is_outage`
})
