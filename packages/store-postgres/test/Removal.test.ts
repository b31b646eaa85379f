import { assert, layer } from "@effect/vitest"
import { stepsOf } from "@lazaret/tools/steps"
import { Repository, TestId } from "@lazaret/domain"
import { ExecutionStore, QuarantineStore, RepositoryStore, RetentionStore, TestStore } from "@lazaret/store"
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
  const test = stepsOf(it)
  test("no table of the catalog holds a row of a removed repository, and other repositories keep theirs", function* () {
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

  test("a server that remembers a repository which another server has removed writes to a new one", function* () {
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

  test("a server sees at once that another one has removed a repository, and that it exists again", function* () {
    const url = yield* TestDatabase.url
    const [one, other] = [yield* process(url), yield* process(url)]
    yield* Effect.provideContext(recreated(other), one)
  })

  test("no table holds the name of a removed test, and another server gives it a new number", function* () {
    const url = yield* TestDatabase.url
    const [one, other] = [yield* process(url), yield* process(url)]
    yield* Effect.provideContext(forgotten(other), one)
  })
})

/** Another server on a database. */
const process = (url: string) => Layer.build(Layer.fresh(Servers.layer(url, 2)))

const recreated = (other: Effect.Success<ReturnType<typeof process>>) =>
  Effect.gen(function* () {
    const ref = yield* Case.repository
    const { remove, version } = yield* RepositoryStore
    const removeThere = Effect.provideContext(
      RepositoryStore.use((store) => store.remove(ref)),
      other
    )
    const versions: Array<string> = []
    for (const run of ["first", "second"]) {
      yield* Effect.provideContext(Upload.one(ref, run, {}, [{}]), other)
      versions.push(Option.getOrElse(yield* version(ref), () => "none"))
      assert.lengthOf((yield* TestStore.use((store) => store.page(ref, Sample.search({})))).rows, 1, run)
      assert.isTrue(yield* removeThere)
    }
    assert.isTrue(Option.isNone(yield* version(ref)))
    assert.isFalse(yield* remove(ref))
    assert.notInclude(versions, "none")
    assert.strictEqual(new Set(versions).size, 2)
  })

const forgotten = (other: Effect.Success<ReturnType<typeof process>>) =>
  Effect.gen(function* () {
    const { run, sql } = yield* PostgresClient
    const ref = yield* Case.repository
    const name = "a name that nobody should see"
    const failure = (at: number) => Sample.failure({ testName: name, at, filepath: `${name}.ts` })
    yield* Upload.one(ref, "1", { commit: "c1" }, [failure(Sample.noon), {}])
    const { a } = yield* Sample.ids("a")
    yield* QuarantineStore.use((store) => store.insert(ref, { ...Sample.quarantine(a), testName: name }))
    const list = Effect.map(
      TestStore.use((store) => store.page(ref, Sample.search({}))),
      ({ rows }) => rows.map(({ testName }) => testName)
    )
    const numberOf = Effect.map(
      sql<{ readonly test_no: number }>`
          SELECT test_no FROM tests WHERE test_id = ${TestId.of(name)} AND repository_id = (
            SELECT repository_id FROM repositories WHERE key = ${Repository.key(ref)}
          )`,
      (rows) => rows.map((row) => row.test_no)
    )
    const second = Upload.one(ref, "2", { commit: "c2" }, [failure(Sample.noon + 1), {}])
    yield* Effect.provideContext(second, other)
    assert.lengthOf(yield* Effect.provideContext(list, other), 2)
    const before = yield* numberOf

    assert.isTrue(yield* RepositoryStore.use((store) => store.removeTest(ref, TestId.of(name))))
    const number = Option.getOrThrow(yield* run("test", (yield* RepositoryDirectory).find(ref)))
    for (const table of (yield* tables).keys()) {
      const found = yield* sql`
          SELECT 1 AS one FROM ${sql.literal(table)} t WHERE repository_id = ${number} AND t::text LIKE ${`%${name}%`}`
      assert.lengthOf(found, 0, table)
    }
    assert.deepStrictEqual(yield* Effect.provideContext(list, other), [Sample.testName])

    const third = Upload.one(ref, "3", { commit: "c3" }, [failure(Sample.noon + 2), {}])
    yield* Effect.provideContext(third, other)
    const records = Option.getOrThrow(yield* TestStore.use((store) => store.get(ref, TestId.of(name), Sample.noon + 2)))
    assert.deepStrictEqual(
      records.map(({ recent }) => recent.executions),
      [1]
    )
    const after = yield* numberOf
    assert.lengthOf(after, 1)
    assert.notDeepEqual(after, before)
  })
