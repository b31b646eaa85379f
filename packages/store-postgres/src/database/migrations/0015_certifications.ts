/** Certifications: the tries of what a driven queue depends on, the last one of each repository and host. */

/** Creates the table. */
export const certifications: ReadonlyArray<string> = [
  `
    CREATE TABLE certifications (
      repository_id bigint NOT NULL,
      host text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      scratch text COLLATE "C" NOT NULL,
      started_by text COLLATE "C" NOT NULL,
      started_at timestamptz(3) NOT NULL,
      beat_at timestamptz(3) NOT NULL,
      ended_at timestamptz(3),
      total int NOT NULL,
      cases jsonb NOT NULL,
      failure text COLLATE "C",
      PRIMARY KEY (repository_id, host)
    )`
]
