/** The work that the hosting platform asks for, and what it reports. */

/**
 * The statements that create the tables.
 *
 * **Details**
 *
 * - `publications`, `readings`: the commits to publish, and the CI runs whose artifacts are to be read. A row is deleted when its work
 *   is done, so that the tables stay small. They are read across all repositories. The working process holds the lease.
 * - `own_uploads`: when the jobs of a repository last uploaded their reports themselves; written at most once an hour by each process.
 * - `ci_runs`: runs as their CI system reports them. Each write deletes the rows of a day before it.
 */
export const platform: ReadonlyArray<string> = [
  `
    CREATE TABLE publications (
      repository_id bigint NOT NULL,
      commit_sha text COLLATE "C" NOT NULL,
      requests int NOT NULL,
      next_at timestamptz(3) NOT NULL,
      attempts int NOT NULL,
      lease text COLLATE "C",
      leased_until timestamptz(3) NOT NULL,
      PRIMARY KEY (repository_id, commit_sha)
    )`,
  `
    CREATE TABLE readings (
      repository_id bigint NOT NULL,
      run_id text COLLATE "C" NOT NULL,
      requests int NOT NULL,
      next_at timestamptz(3) NOT NULL,
      attempts int NOT NULL,
      lease text COLLATE "C",
      leased_until timestamptz(3) NOT NULL,
      PRIMARY KEY (repository_id, run_id)
    )`,
  `
    CREATE TABLE own_uploads (
      repository_id bigint NOT NULL PRIMARY KEY,
      at timestamptz(3) NOT NULL
    )`,
  `
    CREATE TABLE ci_runs (
      repository_id bigint NOT NULL,
      run_id text COLLATE "C" NOT NULL,
      pipeline_name text COLLATE "C" NOT NULL,
      commit text COLLATE "C" NOT NULL,
      attempt int NOT NULL,
      state text COLLATE "C" NOT NULL,
      at timestamptz(3) NOT NULL,
      PRIMARY KEY (repository_id, run_id)
    )`,
  "CREATE INDEX ci_runs_by_commit ON ci_runs (repository_id, commit)"
]
