/** Causes of failures that tests share. */

/**
 * The statements that create the tables.
 *
 * **Details**
 *
 * - `causes`: one row per cause. `known` is computed from the stored failures and replaced by each round; the columns from `owner` on are
 *   decisions of people. `gone_at`: since when no stored failure belongs to it.
 * - `cause_rounds`: one row per repository with failures; the process that computes holds the lease.
 */
export const causes: ReadonlyArray<string> = [
  `
    CREATE TABLE causes (
      repository_id bigint NOT NULL,
      cause_id uuid NOT NULL,
      known jsonb NOT NULL,
      born_at timestamptz(3) NOT NULL,
      gone_at timestamptz(3),
      came_from jsonb NOT NULL,
      owner text COLLATE "C",
      ticket text COLLATE "C",
      silenced_until timestamptz(3),
      closed_at timestamptz(3),
      changed_by text COLLATE "C",
      changed_at timestamptz(3),
      PRIMARY KEY (repository_id, cause_id)
    )`,
  `
    CREATE TABLE cause_rounds (
      repository_id bigint PRIMARY KEY,
      requests bigint NOT NULL,
      next_at timestamptz(3) NOT NULL,
      attempts int NOT NULL,
      lease text COLLATE "C",
      leased_until timestamptz(3) NOT NULL,
      computed_at timestamptz(3),
      red_runs int NOT NULL,
      missing_runs int NOT NULL,
      changes bigint NOT NULL
    )`
]
