/** The count of tests that reports of forks have added to a repository on a day. */

/** Adds the columns of the count, which is 0 in every repository. */
export const forkTests: ReadonlyArray<string> = [
  `
    ALTER TABLE repository_heads
      ADD COLUMN fork_day int NOT NULL DEFAULT 0,
      ADD COLUMN fork_tests int NOT NULL DEFAULT 0`
]
