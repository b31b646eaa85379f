/** The rows of a database, as a file that later versions load and migrate. */
import { PostgresClient } from "@lazaret/store-postgres"
import { Effect, Schema } from "effect"

const Row = Schema.Record(Schema.String, Schema.Unknown)

/** Schema of a fixture: statements to run first, and the rows of each table. */
export const Fixture = Schema.Struct({
  statements: Schema.Array(Schema.String),
  tables: Schema.Record(Schema.String, Schema.Array(Row))
})

/** The rows of all tables, and the statements that create the partitions and advance the sequences. */
export const dump = Effect.gen(function* () {
  const { sql } = yield* PostgresClient
  const statements = yield* sql<{ readonly statement: string }>`
    SELECT format('CREATE TABLE %I PARTITION OF result_chunks %s', c.relname, pg_get_expr(c.relpartbound, c.oid)) AS statement
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'result_chunks'::regclass AND c.relname <> 'result_chunks_past'
    UNION ALL
    SELECT format('SELECT setval(%L, %s)', sequencename, last_value) FROM pg_sequences
    WHERE schemaname = 'public' AND last_value IS NOT NULL
    ORDER BY statement`
  const names = yield* sql<{ readonly name: string }>`
    SELECT relname AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
    ORDER BY relname COLLATE "C"`
  const tables: Record<string, ReadonlyArray<typeof Row.Type>> = {}
  for (const { name } of names) {
    const rows = yield* sql<{ readonly row: typeof Row.Type }>`
      SELECT to_jsonb(t) AS row FROM ${sql(name)} t ORDER BY to_jsonb(t)::text COLLATE "C"`
    if (rows.length > 0) tables[name] = rows.map(({ row }) => row)
  }
  return { statements: statements.map(({ statement }) => statement), tables } satisfies typeof Fixture.Type
})

/** Loads a fixture into a database with the tables of its version, and nothing in them. */
export const load = Effect.fnUntraced(function* ({ statements, tables }: typeof Fixture.Type) {
  const { sql } = yield* PostgresClient
  for (const statement of statements) yield* sql.unsafe(statement).unprepared
  for (const [name, rows] of Object.entries(tables)) {
    yield* sql`DELETE FROM ${sql(name)}`
    yield* sql`
      INSERT INTO ${sql(name)}
      SELECT * FROM jsonb_populate_recordset(NULL::${sql(name)}, ${JSON.stringify(rows)}::text::jsonb)`
  }
})
