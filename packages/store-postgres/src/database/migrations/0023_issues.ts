/** Issues of tests: the record of each, and when those of a repository are next compared with its tests. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Creates the tables.
 *
 * **Details**
 *
 * `issue_rounds` has one row per repository with issues. The process that compares holds the lease. It is read across all
 * repositories.
 */
export const issues = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE test_issues (
      repository_id bigint NOT NULL,
      test_id uuid NOT NULL,
      test_name text COLLATE "C" NOT NULL,
      issue text COLLATE "C" NOT NULL,
      url text COLLATE "C" NOT NULL,
      opened_at timestamptz(3) NOT NULL,
      closed_at timestamptz(3),
      closed_by text COLLATE "C",
      urgent text COLLATE "C" NOT NULL,
      detail text COLLATE "C" NOT NULL,
      told_at timestamptz(3) NOT NULL,
      PRIMARY KEY (repository_id, test_id)
    )`
  yield* sql`
    CREATE TABLE issue_rounds (
      repository_id bigint PRIMARY KEY,
      requests bigint NOT NULL,
      next_at timestamptz(3) NOT NULL,
      attempts int NOT NULL,
      lease text COLLATE "C",
      leased_until timestamptz(3) NOT NULL,
      failure text COLLATE "C",
      checked_at timestamptz(3)
    )`
})
