/** Failures, the evidence for their verdicts, and the verdicts. */

/**
 * The statements that create the tables.
 *
 * **Details**
 *
 * - `failure_groups`, `failure_events`: failures by test and branch ('' without a branch), so that a change of the
 *   default branch does not recount them.
 * - `failed_executions`: the failed executions of every branch, and the passes on retry (`is_failed` false). `signature` is
 *   null for a failure without type and message.
 * - `failure_sightings`: per job run and signature the latest failure with it.
 * - `branch_contradictions`: derived from the executions of one test in the attempts of one run (`run_hash`) of a branch other than
 *   the default branch. `at`, `upload_no` and `ordinal` are those of the execution that completed the contradiction; `opened_at`
 *   is the instant of the first of its two executions. Where that lies before the horizon, the row cannot be derived again
 *   and stays as it is.
 * - `first_verdicts`: one row per failed execution that was judged, kept for 90 days after the failure, and for 365 days with an outcome.
 *   `outcome` is what later runs of the same code show, `truth` the answer of a person.
 * - `excuse_suspensions`: one row per repository while its gate excuses nothing by verdict.
 * - `test_issues`: the issue of each test; `issue_rounds`: one row per repository with issues. The process that compares holds the lease.
 */
export const failures: ReadonlyArray<string> = [
  `
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
    )`,
  `
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
    )`,
  `
    CREATE TABLE failed_executions (
      repository_id bigint NOT NULL,
      test_no int NOT NULL,
      at timestamptz(3) NOT NULL,
      execution_id text COLLATE "C" NOT NULL,
      run_no int NOT NULL,
      upload_no int NOT NULL,
      is_failed boolean NOT NULL,
      reruns int NOT NULL,
      signature uuid,
      exception_type text COLLATE "C",
      message text COLLATE "C",
      filepath text COLLATE "C",
      PRIMARY KEY (repository_id, test_no, at, execution_id)
    )`,
  "CREATE INDEX failed_executions_of_run ON failed_executions (repository_id, run_no, signature)",
  `
    CREATE TABLE failure_sightings (
      repository_id bigint NOT NULL,
      signature uuid NOT NULL,
      at timestamptz(3) NOT NULL,
      run_no int NOT NULL,
      PRIMARY KEY (repository_id, signature, at, run_no)
    )`,
  `
    CREATE TABLE branch_contradictions (
      repository_id bigint NOT NULL,
      test_no int NOT NULL,
      run_hash bytea NOT NULL,
      at timestamptz(3) NOT NULL,
      upload_no int NOT NULL,
      ordinal int NOT NULL,
      commit_no int NOT NULL,
      run_id text COLLATE "C" NOT NULL,
      branch text COLLATE "C",
      base_branch text COLLATE "C",
      opened_at timestamptz(3) NOT NULL,
      PRIMARY KEY (repository_id, test_no, run_hash)
    )`,
  "CREATE INDEX branch_contradictions_of_run ON branch_contradictions (repository_id, run_hash)",
  `
    CREATE TABLE first_verdicts (
      repository_id bigint NOT NULL,
      test_id uuid NOT NULL,
      execution_id text COLLATE "C" NOT NULL,
      test_name text COLLATE "C" NOT NULL,
      pipeline_name text COLLATE "C" NOT NULL,
      job_name text COLLATE "C" NOT NULL,
      commit_sha text COLLATE "C" NOT NULL,
      run_id text COLLATE "C",
      at timestamptz(3) NOT NULL,
      verdict text COLLATE "C" NOT NULL,
      probability jsonb NOT NULL,
      odds jsonb NOT NULL,
      base text COLLATE "C" NOT NULL,
      outcome text COLLATE "C",
      truth text COLLATE "C",
      marked_by text COLLATE "C",
      marked_at timestamptz(3),
      PRIMARY KEY (repository_id, execution_id, test_id)
    )`,
  "CREATE INDEX first_verdicts_in_time ON first_verdicts (repository_id, at)",
  "CREATE INDEX first_verdicts_of_commit ON first_verdicts (repository_id, commit_sha)",
  `
    CREATE TABLE excuse_suspensions (
      repository_id bigint PRIMARY KEY,
      since timestamptz(3) NOT NULL,
      reason text COLLATE "C" NOT NULL
    )`,
  `
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
    )`,
  `
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
]
