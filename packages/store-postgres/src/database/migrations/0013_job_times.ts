/** The times of jobs as their hosting platform says them (`JobTime`). */

/** Creates the table. A write deletes rows that are older than `JobTime.bounds.days`. */
export const jobTimes: ReadonlyArray<string> = [
  `
    CREATE TABLE job_times (
      repository_id bigint NOT NULL,
      run_id text COLLATE "C" NOT NULL,
      run_attempt int NOT NULL,
      job_name text COLLATE "C" NOT NULL,
      at timestamptz(3) NOT NULL,
      duration_ms int NOT NULL,
      PRIMARY KEY (repository_id, run_id, run_attempt, job_name)
    )`,
  "CREATE INDEX job_times_by_time ON job_times (repository_id, at)"
]
