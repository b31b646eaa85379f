/** Tests and jobs that did not run although they were expected. */

/**
 * The statements that create the tables.
 *
 * **Details**
 *
 * - `losses`: one row per loss; `known` is computed from the stored job runs (`LossRecord`), `at` is the instant of its first run.
 * - `missing_rounds`: one row per repository with reports; the process that computes holds the lease.
 */
export const losses: ReadonlyArray<string> = [
  `
    CREATE TABLE losses (
      repository_id bigint NOT NULL,
      loss_id uuid NOT NULL,
      at timestamptz(3) NOT NULL,
      known jsonb NOT NULL,
      PRIMARY KEY (repository_id, loss_id)
    )`,
  `
    CREATE TABLE missing_rounds (
      repository_id bigint PRIMARY KEY,
      requests bigint NOT NULL,
      next_at timestamptz(3) NOT NULL,
      attempts int NOT NULL,
      lease text COLLATE "C",
      leased_until timestamptz(3) NOT NULL,
      computed_at timestamptz(3),
      jobs int NOT NULL,
      missing_runs int NOT NULL
    )`
]
