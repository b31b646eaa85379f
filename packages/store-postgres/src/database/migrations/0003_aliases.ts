/** Aliases of tests. */

/**
 * The statements that create the tables.
 *
 * **Details**
 *
 * - `test_aliases`: who said when that which names are one test.
 * - `tests.alias_no`: the number of the test that stands for a name by the aliases that hold, null for its own.
 * - `aliased_executions`: of the executions that are stored as those of another test than their report names, the number of that
 *   test, `of_test_no`, and the ordinal in their report, `of_ordinal`. `test_no` and `ordinal` are their place in `result_chunks`.
 */
export const aliases: ReadonlyArray<string> = [
  `
    CREATE TABLE test_aliases (
      repository_id bigint NOT NULL,
      id text COLLATE "C" NOT NULL,
      kind text COLLATE "C" NOT NULL,
      from_name text COLLATE "C" NOT NULL,
      from_id uuid,
      to_name text COLLATE "C" NOT NULL,
      created_at timestamptz(3) NOT NULL,
      created_by text COLLATE "C" NOT NULL,
      revoked_at timestamptz(3),
      revoked_by text COLLATE "C",
      PRIMARY KEY (repository_id, id)
    )`,
  "ALTER TABLE tests ADD COLUMN alias_no int",
  "CREATE INDEX tests_with_alias ON tests (repository_id, alias_no) WHERE alias_no IS NOT NULL",
  `
    CREATE TABLE aliased_executions (
      repository_id bigint NOT NULL,
      test_no int NOT NULL,
      upload_no int NOT NULL,
      ordinal bigint NOT NULL,
      of_test_no int NOT NULL,
      of_ordinal bigint NOT NULL,
      at timestamptz(3) NOT NULL,
      PRIMARY KEY (repository_id, test_no, upload_no, ordinal)
    )`
]
