/** Tests and jobs that became slower. */

/**
 * The statements that create the tables.
 *
 * **Details**
 *
 * - `slower_tests`: one row per repository; `known` is computed from the stored executions and replaced by each round (`SlowerKnown`).
 * - `slower_rounds`: one row per repository with reports; the process that computes holds the lease.
 */
export const slowerTests: ReadonlyArray<string> = [
  `
    CREATE TABLE slower_tests (
      repository_id bigint PRIMARY KEY,
      known jsonb NOT NULL
    )`,
  `
    CREATE TABLE slower_rounds (
      repository_id bigint PRIMARY KEY,
      requests bigint NOT NULL,
      next_at timestamptz(3) NOT NULL,
      attempts int NOT NULL,
      lease text COLLATE "C",
      leased_until timestamptz(3) NOT NULL,
      computed_at timestamptz(3)
    )`
]
