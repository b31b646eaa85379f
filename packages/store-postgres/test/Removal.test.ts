import { assert, layer } from "@effect/vitest"
import { Repository } from "@lazaret/domain"
import { ExecutionStore, RepositoryStore, RetentionStore } from "@lazaret/store"
import { Case, Sample, Upload } from "@lazaret/store-conformance"
import { PostgresClient, RepositoryDirectory } from "@lazaret/store-postgres"
import { Effect, Layer, Option } from "effect"
import * as Servers from "./support/Servers.ts"
import * as TestDatabase from "./support/TestDatabase.ts"

const server = Layer.unwrap(Effect.map(TestDatabase.url, (url) => Servers.layer(url, 2)))

interface Column {
  readonly table_name: string
  readonly column_name: string
  readonly udt_name: string
}

/** The columns of every table with a column for the repository, by table. A partition is a part of its table. */
const tables = Effect.gen(function* () {
  const { sql } = yield* PostgresClient
  const columns = yield* sql<Column>`
    SELECT c.table_name, c.column_name, c.udt_name
    FROM information_schema.columns c
    JOIN pg_class t ON t.oid = to_regclass(c.table_name)
    WHERE c.table_schema = 'public' AND t.relkind IN ('r', 'p') AND NOT t.relispartition`
  const byTable = Map.groupBy(columns, (column) => column.table_name)
  return new Map([...byTable].filter(([, each]) => each.some((column) => column.column_name === "repository_id")))
})

/** A value of each type that a column has: of a new type, the test needs one. */
const values: { readonly [type: string]: string } = {
  text: "'x'",
  int2: "1",
  int4: "1",
  int8: "1",
  float8: "1",
  bool: "false",
  bytea: "'\\x00'",
  uuid: "gen_random_uuid()",
  jsonb: "'{}'",
  timestamptz: `'${new Date(Sample.noon).toISOString()}'`
}

const valueOf = ({ column_name: name, udt_name: type }: Column, repositoryId: number): string | undefined =>
  name === "repository_id" ? String(repositoryId) : type.startsWith("_") ? "'{}'" : values[type]

/** A repository with a row in every table. */
const filled = Effect.gen(function* () {
  const { run, sql } = yield* PostgresClient
  const directory = yield* RepositoryDirectory
  const ref = yield* Case.repository
  yield* Upload.one(ref, "r", {}, [{}])
  const number = Option.getOrThrow(yield* run("test", directory.find(ref)))
  for (const [table, columns] of yield* tables) {
    if (table === "repositories" || table === "removed_repositories") continue
    const names = columns.map((column) => column.column_name)
    const row = columns.map((column) => valueOf(column, number))
    assert.notInclude(row, undefined, table)
    yield* sql.unsafe(
      `INSERT INTO ${table} (${names.join(", ")}) OVERRIDING SYSTEM VALUE VALUES (${row.join(", ")}) ON CONFLICT DO NOTHING`
    )
  }
  return { ref, number }
})

/** The tables that hold a row of a repository. */
const holding = Effect.fnUntraced(function* (number: number) {
  const { sql } = yield* PostgresClient
  const found: Array<string> = []
  for (const name of (yield* tables).keys()) {
    const rows = yield* sql`SELECT 1 AS one FROM ${sql.literal(name)} WHERE repository_id = ${number} LIMIT 1`
    if (rows.length > 0) found.push(name)
  }
  return found
})

/** Runs the first transaction of a removal, as another process would. */
const detach = Effect.fnUntraced(function* (ref: Repository.RepositoryRef, number: number) {
  const { sql } = yield* PostgresClient
  yield* sql`DELETE FROM repositories WHERE key = ${Repository.key(ref)}`
  yield* sql`DELETE FROM repository_heads WHERE repository_id = ${number}`
  yield* sql`DELETE FROM event_heads WHERE repository_id = ${number}`
  yield* sql`INSERT INTO removed_repositories (repository_id, removed_at) VALUES (${number}, now())`
})

layer(server, { excludeTestServices: true })("the removal of repositories", (it) => {
  it.effect("no table of the catalog holds a row of a removed repository, and other repositories keep theirs", () =>
    Effect.gen(function* () {
      const [removed, other] = [yield* filled, yield* filled]
      const all = [...(yield* tables).keys()].filter((name) => name !== "removed_repositories").sort()
      assert.isAbove(all.length, 30)
      assert.deepStrictEqual((yield* holding(removed.number)).sort(), all)
      assert.isTrue(yield* RepositoryStore.use((store) => store.remove(removed.ref)))
      assert.deepStrictEqual(yield* holding(removed.number), [])
      assert.deepStrictEqual((yield* holding(other.number)).sort(), all)

      // A process that is killed after the first transaction leaves the rest to the next upkeep.
      yield* detach(other.ref, other.number)
      yield* RetentionStore.use(({ tidy }) => tidy(Sample.noon))
      assert.deepStrictEqual(yield* holding(other.number), [])
    })
  )

  it.effect("a server that remembers a repository which another server has removed writes to a new one", () =>
    Effect.gen(function* () {
      const { run } = yield* PostgresClient
      const directory = yield* RepositoryDirectory
      const { append } = yield* ExecutionStore
      const { get, recordPulls } = yield* RepositoryStore
      const ref = yield* Case.repository
      const report = Sample.report("r", {}, [{}])
      assert.strictEqual((yield* append(ref, report))._tag, "Recorded")
      for (const write of [
        Effect.asVoid(append(ref, report)),
        recordPulls(ref, [], Sample.noon),
        RepositoryStore.use((store) => store.change(ref, (held) => held, Sample.noon))
      ]) {
        const number = Option.getOrThrow(yield* run("test", directory.find(ref)))
        yield* detach(ref, number)
        assert.deepStrictEqual(yield* run("test", directory.find(ref)), Option.some(number), "still remembered")
        yield* write
        assert.isTrue(Option.isSome(yield* get(ref)))
        assert.notDeepEqual(yield* run("test", directory.find(ref)), Option.some(number))
        const left = yield* holding(number)
        assert.notInclude(left, "event_heads")
        assert.notInclude(left, "repository_heads")
      }
      assert.strictEqual((yield* append(ref, report))._tag, "Recorded")
    })
  )
})
