/** The views for people, readable at any size. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Replaces the view of executions.
 *
 * **Details**
 *
 * PostgreSQL knows too little of packed executions to plan joins with them: it took them for few, and compared each with
 * every test. So the statement leaves it no such choice, whatever the statistics say:
 * - What belongs to a chunk is looked up by key (`OFFSET 0` keeps it a look-up) before the chunk is unpacked.
 * - Tests are joined by one number that no other test has, and never by the repository alone.
 * - `= ANY (ARRAY[…])` says again what that number says. It cannot be joined by, but finds the chunks of the tests that
 *   somebody asks for in their index.
 *
 * Chunks before the horizon of their repository are not shown, whether or not their week has been given back.
 */
export const views = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP VIEW executions`
  yield* executionRows(sql)
})

const unsigned = (start: number) =>
  [0, 1, 2, 3].map((part) => `(get_byte(c.payload, i + ${start + part})::bigint << ${8 * part})`).join(" | ")

const executionRows = (sql: SqlClient.SqlClient) => sql`
  CREATE VIEW executions AS
  SELECT
    r.owner, r.name AS repository, t.test_name, j.pipeline_name, j.job_name,
    c.at + (e.word & 16777215) * interval '1 millisecond' AS at,
    (ARRAY['passed', 'failed', 'skipped'])[(e.word >> 24 & 3) + 1] AS conclusion,
    (e.word >> 26 & 1) = 1 AS flaky,
    coalesce((e.detail ->> 'r')::int, (e.word >> 27 & 3)::int) AS reruns,
    coalesce((e.detail ->> 'd')::float8, e.duration / 1000.0::float8) AS duration_ms,
    e.detail ->> 'e' AS exception_type,
    m.sha AS commit, n.branch, n.base_branch, n.run_id, n.run_attempt, n.on_default_branch, n.excused,
    u.job_url,
    u.report_id || '.' || coalesce((e.detail ->> 'o')::bigint, e.ordinal) AS execution_id,
    c.repository_id, c.block_no * 64 + e.slot AS test_no
  FROM result_chunks c
  JOIN repositories r ON r.repository_id = c.repository_id AND c.at >= coalesce(r.horizon, '-infinity')
  LEFT JOIN LATERAL (
    SELECT run_no, report_id, job_url
    FROM uploads
    WHERE repository_id = c.repository_id AND upload_no = c.upload_no
    OFFSET 0
  ) u ON true
  LEFT JOIN LATERAL (
    SELECT job_no, branch, base_branch, run_id, run_attempt, on_default_branch, excused
    FROM job_runs
    WHERE repository_id = c.repository_id AND run_no = u.run_no
    OFFSET 0
  ) n ON true
  LEFT JOIN LATERAL (
    SELECT pipeline_name, job_name
    FROM jobs
    WHERE repository_id = c.repository_id AND job_no = n.job_no
    OFFSET 0
  ) j ON true
  LEFT JOIN LATERAL (
    SELECT sha
    FROM commits
    WHERE repository_id = c.repository_id AND commit_no = c.commit_no
    OFFSET 0
  ) m ON true
  CROSS JOIN LATERAL (
    SELECT p.slot, p.word, p.duration, p.ordinal, c.details -> p.slot::text -> p.ordinal::int AS detail
    FROM (
      SELECT
        get_byte(c.payload, i) AS slot,
        ${sql.literal(unsigned(1))} AS word,
        ${sql.literal(unsigned(5))} AS duration,
        row_number() OVER (PARTITION BY get_byte(c.payload, i) ORDER BY i) - 1 AS ordinal
      FROM generate_series(0, length(c.payload) - 9, 9) AS i
    ) p
  ) e
  LEFT JOIN tests t
    ON (t.repository_id << 32) + t.test_no = (c.repository_id << 32) + c.block_no * 64 + e.slot
      AND c.repository_id = ANY (ARRAY[t.repository_id]) AND c.block_no = ANY (ARRAY[t.test_no >> 6])`
