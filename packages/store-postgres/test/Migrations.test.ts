import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { assert, describe, it as plain, layer } from "@effect/vitest"
import { stepsOf } from "@lazaret/tools/steps"
import { Migrations, PostgresClient } from "@lazaret/store-postgres"
import { Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"
import * as TestDatabase from "./support/TestDatabase.ts"
import * as TestServer from "./support/TestServer.ts"

const names = Object.keys(Migrations.all)

/** The SHA-256 of the statements of a migration. */
const checksumOf = (statements: ReadonlyArray<string>): string =>
  createHash("sha256").update(JSON.stringify(statements)).digest("hex")

describe("the list of migrations", () => {
  plain("a kept migration does not change: every statement is as when it was first released", () => {
    const kept = JSON.parse(readFileSync(new URL("migrations/checksums.json", import.meta.url), "utf8"))
    assert.deepStrictEqual(
      Object.fromEntries(Object.entries(Migrations.all).map(([name, statements]) => [name, checksumOf(statements)])),
      kept
    )
    const [first = []] = Object.values(Migrations.all)
    assert.notStrictEqual(checksumOf([...first, "SELECT 1"]), Object.values(kept)[0])
  })

  plain("is numbered from 1 without a gap, and in order", () => {
    const numbers = names.map((name) => Number(/^(\d{4})_[a-z_]+$/u.exec(name)?.[1]))
    assert.deepStrictEqual(
      numbers,
      names.map((_, index) => index + 1)
    )
  })
})

/** Clients of a new database, without any table. */
const emptyDatabase = Effect.gen(function* () {
  const { url } = inject("postgres")
  const name = yield* TestServer.createDatabase(url, null)
  return Layer.fresh(PostgresClient.layer(Redacted.make(TestServer.databaseUrl(url, name))))
})

const applied = Effect.gen(function* () {
  const { sql } = yield* PostgresClient
  const rows = yield* sql<{ readonly name: string }>`SELECT name FROM lazaret_migrations ORDER BY migration_id`
  return rows.map((row) => row.name)
})

layer(TestDatabase.layer, { excludeTestServices: true })("migrating", (it) => {
  const test = stepsOf(it)
  test("a migration of a current database changes nothing", function* () {
    assert.deepStrictEqual(yield* Migrations.run, [])
  })

  test("concurrent migrations of an empty database happen once", function* () {
    const client = yield* emptyDatabase
    const migrate = Effect.provide(Migrations.run, client)
    const runs = yield* Effect.all([migrate, migrate, migrate], { concurrency: 3 })
    assert.deepStrictEqual(runs.flat(), names)
    assert.strictEqual((yield* Effect.provide(applied, client)).length, names.length)
  })

  test("a migration has no statement timeout", function* () {
    const { url } = inject("postgres")
    const name = yield* TestServer.createDatabase(url, null)
    const hurried = { statementTimeout: "5 millis", lockTimeout: "5 millis" } as const
    const client = PostgresClient.layer(Redacted.make(TestServer.databaseUrl(url, name)), hurried)
    assert.deepStrictEqual(yield* Effect.provide(Migrations.run, client), names)
  })

  test("a database of a clone from before 0.1.0 is refused by a sentence of its own, and not changed", function* () {
    const client = yield* emptyDatabase
    const { error, after } = yield* Effect.provide(
      Effect.gen(function* () {
        const { sql } = yield* PostgresClient
        yield* sql`CREATE TABLE lazaret_migrations (migration_id int PRIMARY KEY, created_at timestamptz, name text)`
        yield* sql`INSERT INTO lazaret_migrations VALUES (1, now(), 'tables'), (2, now(), 'failed_executions')`
        return { error: yield* Effect.flip(Migrations.run), after: yield* applied }
      }),
      client
    )
    assert.strictEqual(error.reason, "earlier")
    assert.match(
      error.message,
      /^The database "lazaret_test_\w+" was written by a clone of Lazaret from before 0\.1\.0/u
    )
    assert.deepStrictEqual(after, ["tables", "failed_executions"])
  })

  test("a database of a newer version is refused and not changed", function* () {
    const client = yield* emptyDatabase
    const { error, after } = yield* Effect.provide(
      Effect.gen(function* () {
        const { sql } = yield* PostgresClient
        yield* sql`CREATE TABLE lazaret_migrations (migration_id int PRIMARY KEY, created_at timestamptz, name text)`
        yield* sql`INSERT INTO lazaret_migrations VALUES (9999, now(), 'from_the_future')`
        return { error: yield* Effect.flip(Migrations.run), after: yield* applied }
      }),
      client
    )
    assert.strictEqual(error.reason, "newer")
    assert.include(error.message, "9999_from_the_future")
    assert.deepStrictEqual(after, ["from_the_future"])
  })

  test("a migration reports a database that cannot be reached", function* () {
    const nowhere = PostgresClient.layer(Redacted.make("postgres://nobody@127.0.0.1:1/nothing"))
    const error = yield* Effect.flip(Effect.provide(Migrations.run, nowhere))
    assert.strictEqual(error.reason, "unreachable")
  })
})
