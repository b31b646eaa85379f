/** The pins of names of owners and repositories at the issuers of tokens. */

/** Creates the table of pins, which belong to no repository. */
export const originPins: ReadonlyArray<string> = [
  `
    CREATE TABLE origin_pins (
      pin_id text COLLATE "C" PRIMARY KEY,
      issuer text COLLATE "C" NOT NULL,
      owner text COLLATE "C" NOT NULL,
      repository text COLLATE "C",
      platform_id text COLLATE "C" NOT NULL,
      subject text COLLATE "C" NOT NULL UNIQUE,
      created_at timestamptz(3) NOT NULL
    )`
]
