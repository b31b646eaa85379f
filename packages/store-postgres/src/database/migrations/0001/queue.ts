/** Merge queues: events, pauses, configurations, and the queues that act. */

/**
 * The statements that create the tables.
 *
 * **Details**
 *
 * - `queue_events` is the log. It only grows; `event` is a `QueueEvent`, and the other columns repeat parts of it.
 * - `queue_bases` holds the fold of all but the newest events, and the version of the rules of the fold. It is derived:
 *   without its row, the log is folded from the start. Writers of the log lock its row.
 * - `queue_configurations.last_valid`: the text in force while a newer one is not valid.
 * - `engine_events`: the log of each engine, in the order of `seq`; `engine_states`: the fold of each log.
 * - `engines`: small rows that are read across all repositories to find what is due. The working process holds the lease.
 */
export const queue: ReadonlyArray<string> = [
  `
    CREATE TABLE queue_events (
      repository_id bigint NOT NULL,
      event_id text COLLATE "C" NOT NULL,
      at timestamptz(3) NOT NULL,
      branch text COLLATE "C" NOT NULL,
      event jsonb NOT NULL,
      PRIMARY KEY (repository_id, event_id)
    )`,
  "CREATE INDEX queue_events_order ON queue_events (repository_id, at, event_id)",
  `
    CREATE TABLE queue_bases (
      repository_id bigint PRIMARY KEY,
      rules int NOT NULL,
      queue jsonb NOT NULL
    )`,
  `
    CREATE TABLE queue_pauses (
      repository_id bigint PRIMARY KEY,
      reason text COLLATE "C" NOT NULL,
      paused_at timestamptz(3) NOT NULL
    )`,
  `
    CREATE TABLE queue_configurations (
      repository_id bigint PRIMARY KEY,
      configuration text COLLATE "C" NOT NULL,
      last_valid text COLLATE "C"
    )`,
  `
    CREATE TABLE engine_events (
      repository_id bigint NOT NULL,
      branch text COLLATE "C" NOT NULL,
      seq bigint NOT NULL,
      at timestamptz(3) NOT NULL,
      event jsonb NOT NULL,
      PRIMARY KEY (repository_id, branch, seq)
    )`,
  `
    CREATE TABLE engine_states (
      repository_id bigint NOT NULL,
      branch text COLLATE "C" NOT NULL,
      rules int NOT NULL,
      state jsonb NOT NULL,
      PRIMARY KEY (repository_id, branch)
    )`,
  `
    CREATE TABLE engines (
      repository_id bigint NOT NULL,
      branch text COLLATE "C" NOT NULL,
      next_at timestamptz(3),
      acting_until timestamptz(3) NOT NULL,
      lease text COLLATE "C",
      leased_until timestamptz(3) NOT NULL,
      PRIMARY KEY (repository_id, branch)
    )`
]
