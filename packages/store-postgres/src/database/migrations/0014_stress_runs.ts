/** Stress runs: what running a test again and again on one commit has shown. */

/** Creates the table. */
export const stressRuns: ReadonlyArray<string> = [
  `
    CREATE TABLE stress_runs (
      repository_id bigint NOT NULL,
      run_id text COLLATE "C" NOT NULL,
      test_id uuid NOT NULL,
      test_name text COLLATE "C" NOT NULL,
      commit text COLLATE "C" NOT NULL,
      passed int NOT NULL,
      failed int NOT NULL,
      claim jsonb NOT NULL,
      at timestamptz(3) NOT NULL,
      PRIMARY KEY (repository_id, run_id, test_id)
    )`,
  "CREATE INDEX stress_runs_of_test ON stress_runs (repository_id, test_id, at)",
  "CREATE INDEX stress_runs_by_time ON stress_runs (repository_id, at)"
]
