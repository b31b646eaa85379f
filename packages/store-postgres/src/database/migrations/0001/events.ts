/** The log of events, and who receives them. */

/**
 * The statements that create the tables.
 *
 * **Details**
 *
 * - `events` is the log: `event` is an `Event` of the domain, and the other columns repeat parts of it.
 * - `event_heads` assigns positions. Its row is locked until the transaction ends, so that an event becomes visible
 *   after all events with lower positions. Writers of plain rows raise its `version`, writers of executions
 *   `repository_heads.version`: both together are the version of a repository.
 * - `subscriptions`: the receivers, and the position in the log up to which each has received events. The sending
 *   process holds the lease. It is a directory: small, and read across all repositories, as are the notifiers.
 * - `dead_letters`: events whose delivery was given up, unchanged.
 * - `notifiers.until` is the last event of a message that was begun and not confirmed.
 * - `wide_notifiers.places` holds a position for each repository, so that the end of a message about several of them is stored at
 *   once; `staged` holds those of a message that was begun and not confirmed.
 */
export const events: ReadonlyArray<string> = [
  `
    CREATE TABLE event_heads (
      repository_id bigint PRIMARY KEY,
      last_position bigint NOT NULL,
      version bigint NOT NULL DEFAULT 0
    )`,
  `
    CREATE TABLE events (
      repository_id bigint NOT NULL,
      position bigint NOT NULL,
      event_id uuid NOT NULL,
      type text COLLATE "C" NOT NULL,
      at timestamptz(3) NOT NULL,
      event jsonb NOT NULL,
      PRIMARY KEY (repository_id, position),
      UNIQUE (repository_id, event_id)
    )`,
  "CREATE INDEX events_of_type ON events (repository_id, type, position)",
  "CREATE INDEX events_in_time ON events (repository_id, at)",
  `
    CREATE TABLE subscriptions (
      repository_id bigint NOT NULL,
      subscription_id text COLLATE "C" NOT NULL,
      url text COLLATE "C" NOT NULL,
      secret text COLLATE "C" NOT NULL,
      types jsonb NOT NULL,
      created_at timestamptz(3) NOT NULL,
      created_by text COLLATE "C" NOT NULL,
      position bigint NOT NULL,
      attempts int NOT NULL DEFAULT 0,
      next_at timestamptz(3) NOT NULL DEFAULT 'epoch',
      lease text COLLATE "C",
      leased_until timestamptz(3) NOT NULL DEFAULT 'epoch',
      PRIMARY KEY (repository_id, subscription_id)
    )`,
  `
    CREATE TABLE dead_letters (
      repository_id bigint NOT NULL,
      subscription_id text COLLATE "C" NOT NULL,
      event_id uuid NOT NULL,
      at timestamptz(3) NOT NULL,
      attempts int NOT NULL,
      error text COLLATE "C" NOT NULL,
      event jsonb NOT NULL,
      PRIMARY KEY (repository_id, subscription_id, event_id)
    )`,
  `
    CREATE TABLE notifiers (
      repository_id bigint NOT NULL,
      notifier_id text COLLATE "C" NOT NULL,
      channel jsonb NOT NULL,
      types jsonb NOT NULL,
      owners jsonb NOT NULL,
      schedule jsonb NOT NULL,
      created_at timestamptz(3) NOT NULL,
      created_by text COLLATE "C" NOT NULL,
      position bigint NOT NULL,
      until bigint,
      attempts int NOT NULL,
      next_at timestamptz(3) NOT NULL,
      failure text COLLATE "C",
      sent_at timestamptz(3),
      lease text COLLATE "C",
      leased_until timestamptz(3) NOT NULL,
      PRIMARY KEY (repository_id, notifier_id)
    )`,
  `
    CREATE TABLE wide_notifiers (
      notifier_id text COLLATE "C" PRIMARY KEY,
      repositories jsonb NOT NULL,
      channel jsonb NOT NULL,
      types jsonb NOT NULL,
      owners jsonb NOT NULL,
      schedule jsonb NOT NULL,
      created_at timestamptz(3) NOT NULL,
      created_by text COLLATE "C" NOT NULL,
      places jsonb NOT NULL,
      staged jsonb,
      attempts int NOT NULL,
      next_at timestamptz(3) NOT NULL,
      failure text COLLATE "C",
      sent_at timestamptz(3),
      lease text COLLATE "C",
      leased_until timestamptz(3) NOT NULL
    )`
]
