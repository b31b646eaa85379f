/** Keys, sign-ins and the audit log. */

/**
 * The statements that create the tables.
 *
 * **Details**
 *
 * Small tables that every server process reads; none belongs to a repository.
 *
 * - `audit_entries`: an entry outlives the repository that it names.
 */
export const access: ReadonlyArray<string> = [
  `
    CREATE TABLE application_keys (
      key_id text COLLATE "C" PRIMARY KEY,
      name text COLLATE "C" NOT NULL,
      owner text COLLATE "C",
      scope text COLLATE "C" NOT NULL,
      hash text COLLATE "C" NOT NULL UNIQUE,
      created_at timestamptz(3) NOT NULL,
      revoked_at timestamptz(3)
    )`,
  `
    CREATE TABLE sessions (
      session_id text COLLATE "C" PRIMARY KEY,
      hash text COLLATE "C" NOT NULL UNIQUE,
      kind text COLLATE "C" NOT NULL,
      subject_id text COLLATE "C" NOT NULL,
      name text COLLATE "C" NOT NULL,
      owner text COLLATE "C",
      grants jsonb NOT NULL,
      created_at timestamptz(3) NOT NULL,
      seen_at timestamptz(3) NOT NULL,
      address text COLLATE "C",
      agent text COLLATE "C",
      provider text COLLATE "C"
    )`,
  `
    CREATE TABLE sign_in_codes (
      hash text COLLATE "C" PRIMARY KEY,
      key_id text COLLATE "C" NOT NULL,
      created_at timestamptz(3) NOT NULL
    )`,
  "CREATE INDEX sign_in_codes_of_key ON sign_in_codes (key_id)",
  `
    CREATE TABLE assigned_roles (
      role_id text COLLATE "C" PRIMARY KEY,
      provider text COLLATE "C" NOT NULL,
      login text COLLATE "C" NOT NULL,
      login_key text COLLATE "C" NOT NULL,
      person_id text COLLATE "C",
      role text COLLATE "C" NOT NULL,
      owner text COLLATE "C",
      repository text COLLATE "C",
      subject text COLLATE "C" NOT NULL UNIQUE,
      created_at timestamptz(3) NOT NULL
    )`,
  "CREATE INDEX assigned_roles_of_person ON assigned_roles (person_id)",
  "CREATE INDEX assigned_roles_of_login ON assigned_roles (provider, login_key)",
  `
    CREATE TABLE audit_entries (
      entry_id text COLLATE "C" PRIMARY KEY,
      at timestamptz(3) NOT NULL,
      actor_kind text COLLATE "C" NOT NULL,
      actor_id text COLLATE "C" NOT NULL,
      actor_name text COLLATE "C" NOT NULL,
      address text COLLATE "C",
      action text COLLATE "C" NOT NULL,
      owner text COLLATE "C",
      owner_key text COLLATE "C",
      repository text COLLATE "C",
      repository_key text COLLATE "C",
      target jsonb NOT NULL,
      outcome text COLLATE "C" NOT NULL,
      before jsonb,
      after jsonb
    )`,
  "CREATE INDEX audit_entries_list ON audit_entries (at, entry_id)",
  "CREATE INDEX audit_entries_of_owner ON audit_entries (owner_key, at, entry_id)"
]
