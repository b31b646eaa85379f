/** Failures that their report proves to be attempts of another test. */

/** Adds the column, which is null for failures that were recorded before. */
export const attempts: ReadonlyArray<string> = [
  `
    ALTER TABLE failed_executions
      ADD COLUMN attempt_of text COLLATE "C"`
]
