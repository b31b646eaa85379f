/** Executions, and the values computed from them. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Creates the tables.
 *
 * **Details**
 *
 * Facts:
 * - `repository_heads`: one row per repository, locked while a report is recorded; holds the next free numbers and a
 *   version that every write increments; `recalculated` is the version of the last write that recomputed everything.
 * - `jobs`, `commits`, `job_runs`, `uploads`, `tests`, `test_sources`: the fields that executions share. Their keys are
 *   hashes where the text may exceed the size limit of an index entry. A test (in one job) has a number: its block
 *   times 64 and its place in the block; a block belongs to one job.
 * - `job_runs.is_partial`: some executions of the run were dropped; its totals still count the whole run.
 * - `result_chunks`: the executions, packed (`codec/ResultChunk`), in weekly partitions.
 * - `result_weeks`: the partitions by the start of their week; `is_rewritten` says that the chunks of a past week are
 *   stored in read order.
 * - `failure_groups`, `failure_events`: failures by test and branch ('' without a branch), so that a change of the
 *   default branch does not recount them.
 * - `retention_bases`: the state of a block after its executions up to and including `at` on `branch`, the default
 *   branch at that time. Chunks up to `at` are not read any more, whether or not their partition still exists. `series`
 *   holds the last transition of each test and the exception of its episode, with surrogates (`codec/Surrogate`).
 *
 * Computed from the chunks of the default branch, and recomputable at any time:
 * - `block_state`: totals (`codec/BlockCounts`) and health (`codec/BlockState`) after every execution, and the version
 *   of the rules of the fold (`Replay.rules`). `base_at` is the instant of the latest row of `block_bases`; `since`
 *   counts the chunks after it.
 * - `block_bases`: totals and health after every execution up to some earlier instants. The fold restarts there for a
 *   late execution.
 * - `block_days`: the totals at the close of each day except the latest.
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
      is_partial boolean NOT NULL DEFAULT false,
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
      PRIMARY KEY (repository_id, block_no, at, upload_no)
    ) PARTITION BY RANGE (at)`
  // Executions older than the first version of Lazaret share one partition.
  yield* sql`
    CREATE TABLE result_chunks_past PARTITION OF result_chunks
    FOR VALUES FROM (MINVALUE) TO ('2020-01-06T00:00:00Z')`
  yield* sql`
    CREATE TABLE result_weeks (
      start_at timestamptz(3) PRIMARY KEY,
      is_rewritten boolean NOT NULL DEFAULT false
    )`
})

/** A block of 64 tests is about 4 KB. The storage setting keeps it in the page of the row, next to its next version. */
const blocks = Effect.fnUntraced(function* (sql: Sql) {
  yield* sql`
    CREATE TABLE block_state (
      repository_id bigint NOT NULL,
      block_no int NOT NULL,
      version bigint NOT NULL,
      rules smallint NOT NULL,
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
  yield* sql`
    CREATE TABLE retention_bases (
      repository_id bigint NOT NULL,
      block_no int NOT NULL,
      at timestamptz(3) NOT NULL,
      branch text COLLATE "C" NOT NULL,
      counts bytea NOT NULL,
      state bytea NOT NULL,
      series jsonb NOT NULL,
      PRIMARY KEY (repository_id, block_no)
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
