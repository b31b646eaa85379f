/** The views for users of `psql`: packed data as plain rows. */
import * as BlockCounts from "../../../codec/BlockCounts.ts"
import * as Codes from "../../../codec/Codes.ts"
import * as ResultChunk from "../../../codec/ResultChunk.ts"

/**
 * A number of four bytes, little-endian. The parentheses are required: `<<` and `|` have the same precedence in
 * PostgreSQL.
 */
const unsigned = (bytes: string, offset: string): string => {
  const parts = [0, 1, 2, 3].map((part) => `(get_byte(${bytes}, ${offset} + ${part})::bigint << ${8 * part})`)
  return `(${parts.join(" | ")})`
}

/** The word for a code. */
const word = ({ words }: Codes.Codes<string>, code: string): string =>
  `(ARRAY[${words.map((each) => `'${each}'`).join(", ")}])[${code} + 1]`

const { layout: ofCounts } = BlockCounts

const testHealth = `
  CREATE VIEW test_health AS
  SELECT
    r.owner, r.name AS repository, t.test_name, j.pipeline_name, j.job_name, t.test_id,
    ${word(Codes.status, `get_byte(b.counts, s.place + ${ofCounts.status})`)} AS health_status,
    ${unsigned("b.counts", `s.place + ${ofCounts.executions}`)} AS executions,
    ${unsigned("b.counts", `s.place + ${ofCounts.failed}`)} AS failed,
    ${unsigned("b.counts", `s.place + ${ofCounts.skipped}`)} AS skipped,
    t.repository_id, t.test_no
  FROM repositories r
  JOIN tests t ON t.repository_id = r.repository_id
  JOIN jobs j ON j.repository_id = t.repository_id AND j.job_no = t.job_no
  JOIN block_state b ON b.repository_id = t.repository_id AND b.block_no = t.test_no / ${BlockCounts.slots}
  CROSS JOIN LATERAL (
    SELECT ${ofCounts.start} + t.test_no % ${BlockCounts.slots} * ${ofCounts.width}
      AS place
  ) s
  WHERE ${unsigned("b.counts", `s.place + ${ofCounts.executions}`)} > 0`

const { layout: ofChunk } = ResultChunk

/**
 * PostgreSQL underestimates the number of packed executions, and would join them with tests by a nested loop over all
 * tests. The statement prevents this plan, whatever the statistics are:
 * - The rows that belong to a chunk are looked up by key before the chunk is unpacked (`OFFSET 0` prevents another
 *   plan).
 * - Tests are joined by one number that is unique in the database, never by the repository alone.
 * - `= ANY (ARRAY[…])` repeats the condition on that number. It cannot be a join condition, but it finds the chunks of
 *   given tests in their index.
 */
const executionRows = `
  CREATE VIEW executions AS
  SELECT
    r.owner, r.name AS repository, t.test_name, j.pipeline_name, j.job_name,
    c.at + (e.word & ${ResultChunk.span - 1}) * interval '1 millisecond' AS at,
    ${word(Codes.conclusion, `(e.word >> ${ofChunk.conclusionShift} & 3)`)} AS conclusion,
    (e.word >> ${ofChunk.flakyShift} & 1) = 1 AS flaky,
    coalesce((e.detail ->> 'r')::int, (e.word >> ${ofChunk.rerunsShift} & 3)::int) AS reruns,
    coalesce((e.detail ->> 'd')::float8, e.duration / 1000.0::float8) AS duration_ms,
    e.detail ->> 'e' AS exception_type,
    m.sha AS commit, n.branch, n.base_branch, n.run_id, n.run_attempt, n.on_default_branch, n.excused,
    u.job_url,
    u.report_id || '.' || coalesce((e.detail ->> 'o')::bigint, e.ordinal) AS execution_id,
    c.repository_id, e.test_no
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
    SELECT c.block_no * ${BlockCounts.slots} + p.slot AS test_no, p.word, p.duration, p.ordinal,
      p.details -> p.slot::text -> p.ordinal::int AS detail
    FROM (
      SELECT
        d.details,
        get_byte(c.payload, i) AS slot,
        ${unsigned("c.payload", `i + ${ofChunk.word}`)} AS word,
        ${unsigned("c.payload", `i + ${ofChunk.duration}`)} AS duration,
        row_number() OVER (PARTITION BY get_byte(c.payload, i) ORDER BY i) - 1 AS ordinal
      FROM (
        SELECT n.records_end, nullif(convert_from(substring(c.payload FROM n.records_end + 1), 'UTF8'), '')::jsonb AS details
        FROM (
          SELECT ${ofChunk.records} + ${ofChunk.width} *
            ${unsigned("c.payload", String(ofChunk.count))}::int AS records_end
        ) n
        OFFSET 0
      ) d
      CROSS JOIN generate_series(${ofChunk.records}, d.records_end - 1, ${ofChunk.width}) AS i
    ) p
  ) e
  LEFT JOIN tests t
    ON (t.repository_id << 32) + t.test_no = (c.repository_id << 32) + e.test_no
      AND c.repository_id = ANY (ARRAY[t.repository_id])
      AND c.block_no = ANY (ARRAY[t.test_no / ${BlockCounts.slots}])`

/**
 * The statements that create the views.
 *
 * **Details**
 *
 * - `test_health`: the status of every test and its totals since the beginning.
 * - `executions`: every execution that is kept, one per row. Chunks before the horizon of their repository are not
 *   shown, whether or not the partition of their week still exists.
 *
 * The views repeat the layout of packed bytes in the codecs. A migration for a new layout must recreate the views.
 */
export const views: ReadonlyArray<string> = [testHealth, executionRows]
