/** How many failures of a job run have an error of their own. */

/** Adds the column, which is 0 in runs that were recorded before; a refold counts them from their failed executions. */
export const ownFailures: ReadonlyArray<string> = [
  `
    ALTER TABLE job_runs
      ADD COLUMN own_failed int NOT NULL DEFAULT 0`
]
