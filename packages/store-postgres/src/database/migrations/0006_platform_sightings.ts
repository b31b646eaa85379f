/** The last sightings of a hosting platform. */

/**
 * The statements that create the table.
 *
 * **Details**
 *
 * One row for each kind and name of a repository: some dozens at most. A sighting that repeats another one is not written.
 */
export const platformSightings: ReadonlyArray<string> = [
  `
    CREATE TABLE platform_sightings (
      repository_id bigint NOT NULL,
      kind text COLLATE "C" NOT NULL,
      name text COLLATE "C" NOT NULL,
      at timestamptz(3) NOT NULL,
      detail text COLLATE "C",
      PRIMARY KEY (repository_id, kind, name)
    )`
]
