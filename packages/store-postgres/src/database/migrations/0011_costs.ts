/** The cost of flaky tests. */

/**
 * The statements that create the tables.
 *
 * **Details**
 *
 * - `costs`: one row per repository; `known` is computed from the stored job runs and replaced by each round.
 * - `cost_rounds`: one row per repository with reports; the process that computes holds the lease.
 */
export const costs: ReadonlyArray<string> = [
  `
    CREATE TABLE costs (
      repository_id bigint PRIMARY KEY,
      known jsonb NOT NULL
    )`,
  `
    CREATE TABLE cost_rounds (
      repository_id bigint PRIMARY KEY,
      requests bigint NOT NULL,
      next_at timestamptz(3) NOT NULL,
      attempts int NOT NULL,
      lease text COLLATE "C",
      leased_until timestamptz(3) NOT NULL,
      computed_at timestamptz(3),
      rest_until timestamptz(3) NOT NULL
    )`
]
