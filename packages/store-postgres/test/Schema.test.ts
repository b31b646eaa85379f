import { assert, layer } from "@effect/vitest"
import { stepsOf } from "@lazaret/tools/steps"
import { Distribution, PostgresClient } from "@lazaret/store-postgres"
import { Effect } from "effect"
import * as TestDatabase from "./support/TestDatabase.ts"

const uniqueKeys = Effect.gen(function* () {
  const { sql } = yield* PostgresClient
  return yield* sql<{ readonly table: string; readonly name: string; readonly first: string }>`
    SELECT t.relname AS table, i.relname AS name, a.attname AS first
    FROM pg_index x
    JOIN pg_class t ON t.oid = x.indrelid
    JOIN pg_class i ON i.oid = x.indexrelid
    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = x.indkey[0]
    WHERE t.relnamespace = 'public'::regnamespace AND (x.indisunique OR x.indisprimary)
    ORDER BY t.relname, i.relname`
})

layer(TestDatabase.layer, { excludeTestServices: true })("the tables", (it) => {
  const test = stepsOf(it)
  test("lead every primary and unique key with the repository, as distribution by it needs", function* () {
    const keys = (yield* uniqueKeys).filter(({ table }) => !Distribution.directories.has(table))
    assert.isAbove(keys.length, 0)
    assert.deepStrictEqual(
      keys.filter(({ first }) => first !== "repository_id"),
      []
    )
  })

  test("all have a primary key", function* () {
    const { sql } = yield* PostgresClient
    const rows = yield* sql`
        SELECT t.relname FROM pg_class t
        WHERE t.relnamespace = 'public'::regnamespace AND t.relkind IN ('r', 'p') AND NOT EXISTS (
          SELECT 1 FROM pg_index x WHERE x.indrelid = t.oid AND x.indisprimary
        )`
    assert.deepStrictEqual(rows, [])
  })

  test("compare text by code points, and keep instants to the millisecond", function* () {
    const { sql } = yield* PostgresClient
    const rows = yield* sql`
        SELECT c.relname, a.attname, a.atttypid::regtype::text AS type
        FROM pg_attribute a
        JOIN pg_class c ON c.oid = a.attrelid
        LEFT JOIN pg_collation o ON o.oid = a.attcollation
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0
          AND c.relname <> 'lazaret_migrations'
          AND ((a.atttypid = 'text'::regtype AND o.collname IS DISTINCT FROM 'C')
            OR (a.atttypid = 'timestamptz'::regtype AND a.atttypmod <> 3))`
    assert.deepStrictEqual(rows, [])
  })

  test("no index holds a test name, which may be longer than an entry can be", function* () {
    const { sql } = yield* PostgresClient
    const rows = yield* sql`
        SELECT indexname FROM pg_indexes WHERE schemaname = 'public' AND indexdef LIKE '%test_name%'`
    assert.deepStrictEqual(rows, [])
  })
})
