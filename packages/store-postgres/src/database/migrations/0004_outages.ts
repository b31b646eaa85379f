/** The judgements on job runs, and the state for the judgement of the next run of their job. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Adds the tests of a run and its standing (`Judgement.Standing`) to `job_runs`.
 *
 * **Details**
 *
 * - `outcomes`: its tests with a passed and with a failed execution (`codec/TestSets`); null until a refold makes them.
 * - `is_outage`, `excused`, `many_failed`, `hit`, `passed_before`: what is said of it (`Outage.Judgement`).
 * - `tally`, `expected`, `reference_runs`, `row_commits`: the state of its job after it.
 */
export const outages = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE job_runs
    ADD COLUMN outcomes bytea,
    ADD COLUMN is_outage boolean NOT NULL DEFAULT false,
    ADD COLUMN many_failed boolean NOT NULL DEFAULT false,
    ADD COLUMN hit int NOT NULL DEFAULT 0,
    ADD COLUMN passed_before int NOT NULL DEFAULT 0,
    ADD COLUMN tally bytea,
    ADD COLUMN expected int NOT NULL DEFAULT 0,
    ADD COLUMN reference_runs int[] NOT NULL DEFAULT '{}',
    ADD COLUMN row_commits int[] NOT NULL DEFAULT '{}'`
})
