/** Engines: the merge queues that act. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Creates the tables.
 *
 * **Details**
 *
 * - `engine_events`: the log of each engine, in the order of `seq`.
 * - `engine_states`: the fold of each log, so that a step reads no more than one row of it.
 * - `queue_configurations.last_valid`: the text in force while a newer one is not valid.
 * - `engines`: small rows that are read across all repositories to find what is due. The working process holds the lease.
 */
export const engines = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE engine_events (
      repository_id bigint NOT NULL,
      branch text COLLATE "C" NOT NULL,
      seq bigint NOT NULL,
      at timestamptz(3) NOT NULL,
      event jsonb NOT NULL,
      PRIMARY KEY (repository_id, branch, seq)
    )`
  yield* sql`
    CREATE TABLE engine_states (
      repository_id bigint NOT NULL,
      branch text COLLATE "C" NOT NULL,
      rules int NOT NULL,
      state jsonb NOT NULL,
      PRIMARY KEY (repository_id, branch)
    )`
  yield* sql`ALTER TABLE queue_configurations ADD COLUMN last_valid text COLLATE "C"`
  yield* sql`
    CREATE TABLE engines (
      repository_id bigint NOT NULL,
      branch text COLLATE "C" NOT NULL,
      next_at timestamptz(3),
      acting_until timestamptz(3) NOT NULL,
      lease text COLLATE "C",
      leased_until timestamptz(3) NOT NULL,
      PRIMARY KEY (repository_id, branch)
    )`
})
