/** Executions, and what is computed from them. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Creates the tables.
 *
 * **Details**
 *
 * Facts:
 * - `repository_heads`: one row per repository, locked while a report is recorded; gives out numbers, and a version that
 *   moves with every write; `recalculated` is the version of the write that last computed everything anew.
 * - `jobs`, `commits`, `job_runs`, `uploads`, `tests`, `test_sources`: what executions have in common. Their keys are hashes
 *   where the text may be longer than an entry of an index. A test (in one job) has a number: its block times 64 and its
 *   place in the block; a block belongs to one job.
 * - `result_chunks`: the executions, packed (`codec/ResultChunk`), in weekly partitions.
 * - `failure_groups`, `failure_events`: failures by test and branch ('' where none was named), so that a change of the
 *   default branch needs no counting.
 *
 * Computed from the chunks of the default branch, and at any time again:
 * - `block_state`: totals (`codec/BlockCounts`) and health (`codec/BlockState`) after every execution. `base_at`
 *   is that of the latest row of `block_bases`, `since` counts the chunks that followed it.
 * - `block_bases`: totals and health after every execution up to some earlier instants, where the fold starts again for a
 *   late execution.
 * - `block_days`: the totals at the close of each day but the latest.
 * - `failed_days`: failures per day (`codec/FailedDay`).
 */
export const executions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* heads(sql)
  yield* dimensions(sql)
  yield* uploads(sql)
  yield* chunks(sql)
  yield* blocks(sql)
  yield* failures(sql)
  yield* testHealth(sql)
  yield* executionRows(sql)
})

type Sql = SqlClient.SqlClient

const heads = (sql: Sql) => sql`
  CREATE TABLE repository_heads (
    repository_id bigint PRIMARY KEY,
    version bigint NOT NULL DEFAULT 0,
    recalculated bigint NOT NULL DEFAULT 0,
    next_job int NOT NULL DEFAULT 0,
    next_commit int NOT NULL DEFAULT 0,
    next_run int NOT NULL DEFAULT 0,
    next_upload int NOT NULL DEFAULT 0,
    next_block int NOT NULL DEFAULT 0
  ) WITH (fillfactor = 50)`

const dimensions = Effect.fnUntraced(function* (sql: Sql) {
  yield* sql`
    CREATE TABLE jobs (
      repository_id bigint NOT NULL,
      job_no int NOT NULL,
      job_hash bytea NOT NULL,
      pipeline_name text COLLATE "C" NOT NULL,
      job_name text COLLATE "C" NOT NULL,
      open_block int,
      used smallint NOT NULL DEFAULT 64,
      version bigint NOT NULL,
      PRIMARY KEY (repository_id, job_no),
      UNIQUE (repository_id, job_hash)
    )`
  yield* sql`
    CREATE TABLE commits (
      repository_id bigint NOT NULL,
      commit_no int NOT NULL,
      sha text COLLATE "C" NOT NULL,
      PRIMARY KEY (repository_id, commit_no),
      UNIQUE (repository_id, sha)
    )`
  yield* sql`
    CREATE TABLE tests (
      repository_id bigint NOT NULL,
      test_no int NOT NULL,
      job_no int NOT NULL,
      test_id uuid NOT NULL,
      test_name text COLLATE "C" NOT NULL,
      version bigint NOT NULL,
      PRIMARY KEY (repository_id, test_no),
      UNIQUE (repository_id, test_id, job_no)
    )`
  yield* sql`CREATE INDEX tests_of_job ON tests (repository_id, job_no, version)`
  yield* sql`
    CREATE TABLE test_sources (
      repository_id bigint NOT NULL,
      test_no int NOT NULL,
      source_no smallint NOT NULL,
      job_no int NOT NULL,
      filepath text COLLATE "C",
      function_name text COLLATE "C",
      version bigint NOT NULL,
      PRIMARY KEY (repository_id, test_no, source_no)
    )`
  yield* sql`CREATE INDEX test_sources_of_job ON test_sources (repository_id, job_no, version)`
})

const uploads = Effect.fnUntraced(function* (sql: Sql) {
  yield* sql`
    CREATE TABLE job_runs (
      repository_id bigint NOT NULL,
      run_no int NOT NULL,
      run_hash bytea NOT NULL,
      job_no int NOT NULL,
      run_id text COLLATE "C" NOT NULL,
      run_attempt int NOT NULL,
      commit_no int NOT NULL,
      branch text COLLATE "C",
      base_branch text COLLATE "C",
      on_default_branch boolean NOT NULL,
      excused boolean NOT NULL,
      finished_at timestamptz(3) NOT NULL,
      passed int NOT NULL,
      failed int NOT NULL,
      PRIMARY KEY (repository_id, run_no),
      UNIQUE (repository_id, run_hash)
    )`
  yield* sql`
    CREATE INDEX job_runs_in_order ON job_runs (repository_id, job_no, finished_at)
    WHERE on_default_branch`
  yield* sql`
    CREATE TABLE uploads (
      repository_id bigint NOT NULL,
      upload_no int NOT NULL,
      key_hash bytea NOT NULL,
      content_hash bytea NOT NULL,
      report_id text COLLATE "C" NOT NULL,
      run_no int NOT NULL,
      job_url text COLLATE "C",
      framework text COLLATE "C",
      framework_version text COLLATE "C",
      language text COLLATE "C",
      results int NOT NULL,
      earliest_at timestamptz(3) NOT NULL,
      latest_at timestamptz(3) NOT NULL,
      received_at timestamptz(3) NOT NULL,
      PRIMARY KEY (repository_id, upload_no),
      UNIQUE (repository_id, key_hash),
      UNIQUE (repository_id, content_hash)
    )`
  yield* sql`CREATE INDEX uploads_of_run ON uploads (repository_id, run_no)`
})

const chunks = Effect.fnUntraced(function* (sql: Sql) {
  yield* sql`
    CREATE TABLE result_chunks (
      at timestamptz(3) NOT NULL,
      repository_id bigint NOT NULL,
      block_no int NOT NULL,
      upload_no int NOT NULL,
      commit_no int NOT NULL,
      flags smallint NOT NULL,
      payload bytea NOT NULL,
      details jsonb,
      PRIMARY KEY (repository_id, block_no, at, upload_no)
    ) PARTITION BY RANGE (at)`
  // What comes from before Lazaret was written needs no partition for each of its weeks.
  yield* sql`
    CREATE TABLE result_chunks_past PARTITION OF result_chunks
    FOR VALUES FROM (MINVALUE) TO ('2020-01-06T00:00:00Z')`
})

/** A block of 64 tests is about 4 KB. It stays in its page, beside its next version. */
const blocks = Effect.fnUntraced(function* (sql: Sql) {
  yield* sql`
    CREATE TABLE block_state (
      repository_id bigint NOT NULL,
      block_no int NOT NULL,
      version bigint NOT NULL,
      last_day int NOT NULL,
      base_at timestamptz(3),
      since smallint NOT NULL,
      counts bytea NOT NULL,
      state bytea NOT NULL,
      PRIMARY KEY (repository_id, block_no)
    ) WITH (fillfactor = 50, toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0.05)`
  yield* sql`
    ALTER TABLE block_state
    ALTER COLUMN counts SET STORAGE MAIN,
    ALTER COLUMN state SET STORAGE MAIN`
  yield* sql`
    CREATE TABLE block_bases (
      repository_id bigint NOT NULL,
      block_no int NOT NULL,
      at timestamptz(3) NOT NULL,
      counts bytea NOT NULL,
      state bytea NOT NULL,
      PRIMARY KEY (repository_id, block_no, at)
    )`
  yield* sql`
    CREATE TABLE block_days (
      repository_id bigint NOT NULL,
      block_no int NOT NULL,
      day int NOT NULL,
      counts bytea NOT NULL,
      PRIMARY KEY (repository_id, block_no, day)
    )`
  yield* sql`
    CREATE TABLE failed_days (
      repository_id bigint NOT NULL,
      day int NOT NULL,
      block_no int NOT NULL,
      version bigint NOT NULL,
      failures bytea NOT NULL,
      PRIMARY KEY (repository_id, day, block_no)
    )`
})

const failures = Effect.fnUntraced(function* (sql: Sql) {
  yield* sql`
    CREATE TABLE failure_groups (
      repository_id bigint NOT NULL,
      test_id uuid NOT NULL,
      failure_id uuid NOT NULL,
      branch text COLLATE "C" NOT NULL,
      exception_type text COLLATE "C" NOT NULL,
      exception_message text COLLATE "C" NOT NULL,
      failure_count int NOT NULL,
      first_at timestamptz(3) NOT NULL,
      last_at timestamptz(3) NOT NULL,
      last_id text COLLATE "C" NOT NULL,
      PRIMARY KEY (repository_id, test_id, failure_id, branch)
    )`
  yield* sql`
    CREATE TABLE failure_events (
      repository_id bigint NOT NULL,
      test_id uuid NOT NULL,
      failure_id uuid NOT NULL,
      branch text COLLATE "C" NOT NULL,
      at timestamptz(3) NOT NULL,
      execution_id text COLLATE "C" NOT NULL,
      stacktrace text COLLATE "C",
      filepath text COLLATE "C",
      language text COLLATE "C",
      job_url text COLLATE "C",
      PRIMARY KEY (repository_id, test_id, failure_id, branch, at, execution_id)
    )`
})

/** The parentheses matter: shifting and joining bits bind alike. */
const unsigned = (bytes: string, offset: string) =>
  [0, 1, 2, 3].map((part) => `(get_byte(${bytes}, ${offset} + ${part})::bigint << ${8 * part})`).join(" | ")

/** For people: what is known of every test, since the beginning. */
const testHealth = (sql: Sql) => sql`
  CREATE VIEW test_health AS
  SELECT
    r.owner, r.name AS repository, t.test_name, j.pipeline_name, j.job_name, t.test_id,
    (ARRAY['healthy', 'flaky', 'broken'])[get_byte(b.counts, s.place + 24) + 1] AS health_status,
    ${sql.literal(unsigned("b.counts", "s.place"))} AS executions,
    ${sql.literal(unsigned("b.counts", "s.place + 4"))} AS failed,
    ${sql.literal(unsigned("b.counts", "s.place + 8"))} AS skipped,
    t.repository_id, t.test_no
  FROM repositories r
  JOIN tests t ON t.repository_id = r.repository_id
  JOIN jobs j ON j.repository_id = t.repository_id AND j.job_no = t.job_no
  JOIN block_state b ON b.repository_id = t.repository_id AND b.block_no = t.test_no >> 6
  CROSS JOIN LATERAL (SELECT (t.test_no & 63) * 28 AS place) s
  WHERE ${sql.literal(unsigned("b.counts", "s.place"))} > 0`

/** For people: every execution that is kept, one per row. */
const executionRows = (sql: Sql) => sql`
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
    c.repository_id, t.test_no
  FROM result_chunks c
  CROSS JOIN LATERAL (
    SELECT p.slot, p.word, p.duration, p.ordinal, c.details -> p.slot::text -> p.ordinal::int AS detail
    FROM (
      SELECT
        get_byte(c.payload, i) AS slot,
        ${sql.literal(unsigned("c.payload", "i + 1"))} AS word,
        ${sql.literal(unsigned("c.payload", "i + 5"))} AS duration,
        row_number() OVER (PARTITION BY get_byte(c.payload, i) ORDER BY i) - 1 AS ordinal
      FROM generate_series(0, length(c.payload) - 9, 9) AS i
    ) p
  ) e
  JOIN repositories r ON r.repository_id = c.repository_id
  JOIN tests t ON t.repository_id = c.repository_id AND t.test_no = c.block_no * 64 + e.slot
  JOIN jobs j ON j.repository_id = t.repository_id AND j.job_no = t.job_no
  JOIN uploads u ON u.repository_id = c.repository_id AND u.upload_no = c.upload_no
  JOIN job_runs n ON n.repository_id = u.repository_id AND n.run_no = u.run_no
  JOIN commits m ON m.repository_id = c.repository_id AND m.commit_no = c.commit_no`
