/** Executions, and the values computed from them. */

/**
 * The statements that create the tables.
 *
 * **Details**
 *
 * Facts:
 * - `repository_heads`: one row per repository, locked while a report is recorded; holds the next free numbers and a
 *   version that every write increments; `recalculated` is the version of the last write that recomputed everything.
 * - `jobs`, `commits`, `job_runs`, `uploads`, `tests`, `test_sources`: the fields that executions share. Their keys are
 *   hashes where the text may exceed the size limit of an index entry. A test (in one job) has a number: its block
 *   times 64 and its place in the block; a block belongs to one job.
 * - `job_runs.is_partial`: some executions of the run were dropped; its totals still count the whole run. `outcomes`: its tests with a
 *   passed and with a failed execution (`codec/TestSets`). `is_outage`, `excused`, `many_failed`, `hit`, `passed_before`: the judgement
 *   on it (`Outage.Judgement`); `tally`, `expected`, `reference_runs`, `row_commits`: the state of its job after it.
 * - `result_chunks`: the executions, packed (`codec/ResultChunk`), in weekly partitions; those before 2020 share one.
 * - `result_weeks`: the partitions by the start of their week; `is_rewritten` says that the chunks of a past week are
 *   stored in read order.
 * - `retention_bases`: the state of a block after its executions up to and including `at` on `branch`, the default
 *   branch at that time. Chunks up to `at` are not read any more, whether or not their partition still exists. `series`
 *   holds the last transition of each test and the exception of its episode, with surrogates (`codec/Surrogate`).
 *
 * Computed from the chunks of the default branch, and recomputable at any time:
 * - `block_state`: totals (`codec/BlockCounts`) and health (`codec/BlockState`) after every execution, and the version
 *   of the rules of the fold (`Replay.rules`). `base_at` is the instant of the latest row of `block_bases`; `since`
 *   counts the chunks after it. A block of 64 tests is about 4 KB: the storage setting keeps it in the page of the row.
 * - `block_bases`: totals and health after every execution up to some earlier instants. The fold restarts there for a
 *   late execution.
 * - `block_days`: the totals at the close of each day except the latest.
 * - `failed_days`: failures per day (`codec/FailedDay`).
 */
export const executions: ReadonlyArray<string> = [
  `
    CREATE TABLE repository_heads (
      repository_id bigint PRIMARY KEY,
      version bigint NOT NULL DEFAULT 0,
      recalculated bigint NOT NULL DEFAULT 0,
      next_job int NOT NULL DEFAULT 0,
      next_commit int NOT NULL DEFAULT 0,
      next_run int NOT NULL DEFAULT 0,
      next_upload int NOT NULL DEFAULT 0,
      next_block int NOT NULL DEFAULT 0
    ) WITH (fillfactor = 50)`,
  `
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
    )`,
  `
    CREATE TABLE commits (
      repository_id bigint NOT NULL,
      commit_no int NOT NULL,
      sha text COLLATE "C" NOT NULL,
      PRIMARY KEY (repository_id, commit_no),
      UNIQUE (repository_id, sha)
    )`,
  `
    CREATE TABLE tests (
      repository_id bigint NOT NULL,
      test_no int NOT NULL,
      job_no int NOT NULL,
      test_id uuid NOT NULL,
      test_name text COLLATE "C" NOT NULL,
      version bigint NOT NULL,
      PRIMARY KEY (repository_id, test_no),
      UNIQUE (repository_id, test_id, job_no)
    )`,
  "CREATE INDEX tests_of_job ON tests (repository_id, job_no, version)",
  `
    CREATE TABLE test_sources (
      repository_id bigint NOT NULL,
      test_no int NOT NULL,
      source_no smallint NOT NULL,
      job_no int NOT NULL,
      filepath text COLLATE "C",
      function_name text COLLATE "C",
      version bigint NOT NULL,
      PRIMARY KEY (repository_id, test_no, source_no)
    )`,
  "CREATE INDEX test_sources_of_job ON test_sources (repository_id, job_no, version)",
  `
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
      outcomes bytea NOT NULL,
      is_outage boolean NOT NULL DEFAULT false,
      many_failed boolean NOT NULL DEFAULT false,
      hit int NOT NULL DEFAULT 0,
      passed_before int NOT NULL DEFAULT 0,
      tally bytea,
      expected int NOT NULL DEFAULT 0,
      reference_runs int[] NOT NULL DEFAULT '{}',
      row_commits int[] NOT NULL DEFAULT '{}',
      duration_us bigint NOT NULL,
      PRIMARY KEY (repository_id, run_no),
      UNIQUE (repository_id, run_hash)
    )`,
  `
    CREATE INDEX job_runs_in_order ON job_runs (repository_id, job_no, finished_at)
    WHERE on_default_branch`,
  "CREATE INDEX job_runs_of_commit ON job_runs (repository_id, commit_no, job_no)",
  "CREATE INDEX job_runs_of_run_id ON job_runs (repository_id, run_id)",
  `
    CREATE INDEX job_runs_of_branch ON job_runs (repository_id, job_no, branch, finished_at)
    WHERE base_branch IS NULL`,
  `
    CREATE INDEX job_runs_with_failures ON job_runs (repository_id, job_no, finished_at)
    WHERE failed > 0`,
  `
    CREATE INDEX job_runs_of_base ON job_runs (repository_id, base_branch)
    WHERE base_branch IS NOT NULL`,
  `
    CREATE INDEX job_runs_elsewhere ON job_runs (repository_id, job_no, finished_at)
    WHERE NOT on_default_branch`,
  `
    CREATE INDEX job_runs_by_finish ON job_runs (repository_id, finished_at) INCLUDE (commit_no)`,
  `
    CREATE INDEX job_runs_with_outage ON job_runs (repository_id, finished_at)
    WHERE is_outage`,
  `
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
    )`,
  "CREATE INDEX uploads_of_run ON uploads (repository_id, run_no)",
  `
    CREATE TABLE result_chunks (
      at timestamptz(3) NOT NULL,
      repository_id bigint NOT NULL,
      block_no int NOT NULL,
      upload_no int NOT NULL,
      commit_no int NOT NULL,
      flags smallint NOT NULL,
      payload bytea NOT NULL,
      PRIMARY KEY (repository_id, block_no, at, upload_no)
    ) PARTITION BY RANGE (at)`,
  `
    CREATE TABLE result_chunks_past PARTITION OF result_chunks
    FOR VALUES FROM (MINVALUE) TO ('2020-01-06T00:00:00Z')`,
  `
    CREATE TABLE result_weeks (
      start_at timestamptz(3) PRIMARY KEY,
      is_rewritten boolean NOT NULL DEFAULT false
    )`,
  `
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
    ) WITH (fillfactor = 50, toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0.05)`,
  `
    ALTER TABLE block_state
    ALTER COLUMN counts SET STORAGE MAIN,
    ALTER COLUMN state SET STORAGE MAIN`,
  `
    CREATE TABLE block_bases (
      repository_id bigint NOT NULL,
      block_no int NOT NULL,
      at timestamptz(3) NOT NULL,
      counts bytea NOT NULL,
      state bytea NOT NULL,
      PRIMARY KEY (repository_id, block_no, at)
    )`,
  `
    CREATE TABLE block_days (
      repository_id bigint NOT NULL,
      block_no int NOT NULL,
      day int NOT NULL,
      counts bytea NOT NULL,
      PRIMARY KEY (repository_id, block_no, day)
    )`,
  `
    CREATE TABLE failed_days (
      repository_id bigint NOT NULL,
      day int NOT NULL,
      block_no int NOT NULL,
      version bigint NOT NULL,
      failures bytea NOT NULL,
      PRIMARY KEY (repository_id, day, block_no)
    )`,
  `
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
]
