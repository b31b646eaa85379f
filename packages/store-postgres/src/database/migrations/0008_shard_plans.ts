/** The plans of shards. */

/**
 * Creates the tables.
 *
 * **Details**
 *
 * - `shard_plans`: the plan of each run and job. `shards` holds numbers only; `list_id` stands for the names.
 * - `latest_shard_plans`: the latest plan of each job and number of shards, with its names.
 */
export const shardPlans: ReadonlyArray<string> = [
  `
    CREATE TABLE shard_plans (
      repository_id bigint NOT NULL,
      run_id text COLLATE "C" NOT NULL,
      job_name text COLLATE "C" NOT NULL,
      total int NOT NULL,
      piece text COLLATE "C" NOT NULL,
      list_id text COLLATE "C" NOT NULL,
      shards jsonb NOT NULL,
      at timestamptz(3) NOT NULL,
      PRIMARY KEY (repository_id, run_id, job_name)
    )`,
  "CREATE INDEX shard_plans_by_time ON shard_plans (repository_id, at)",
  `
    CREATE TABLE latest_shard_plans (
      repository_id bigint NOT NULL,
      job_name text COLLATE "C" NOT NULL,
      total int NOT NULL,
      names jsonb NOT NULL,
      shards jsonb NOT NULL,
      at timestamptz(3) NOT NULL,
      PRIMARY KEY (repository_id, job_name, total)
    )`
]
