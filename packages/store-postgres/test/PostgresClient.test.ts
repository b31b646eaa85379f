import { assert, layer } from "@effect/vitest"
import { Parameter, PostgresClient } from "@lazaret/store-postgres"
import { Context, Deferred, Effect, Fiber, Layer, Metric, Redacted } from "effect"
import * as TestDatabase from "./support/TestDatabase.ts"

/** The database of this file, for clients with other options. */
class Database extends Context.Service<Database, string>()("test/Database") {
  static readonly layer = Layer.effect(Database, TestDatabase.url)
}

const client = (options: Parameters<typeof PostgresClient.layer>[1] = {}) =>
  Layer.fresh(
    Layer.unwrap(
      Effect.map(Database, (url) => PostgresClient.layer(Redacted.make(url), { maxConnections: 3, ...options }))
    )
  )

const one = Effect.flatMap(PostgresClient, ({ run, sql }) =>
  run("test", sql<{ readonly one: number }>`SELECT 1 AS one`)
)

layer(Database.layer, { excludeTestServices: true })("the client", (it) => {
  it.effect("the client yields instants as milliseconds and bigint as a number", () =>
    Effect.gen(function* () {
      const { sql } = yield* PostgresClient
      const [row] = yield* sql`
        SELECT ${Parameter.instant(253_402_300_799_999)} AS at, ${Parameter.int8(2 ** 53 - 1)} AS n,
          ${Parameter.instants([0, null, 1])} AS ats, ${Parameter.int8s([2 ** 40, 0])} AS ns`
      assert.deepStrictEqual(row, { at: 253_402_300_799_999, n: 2 ** 53 - 1, ats: [0, null, 1], ns: [2 ** 40, 0] })
    }).pipe(Effect.provide(client()))
  )

  it.effect("a number that JavaScript cannot hold fails and is not rounded", () =>
    Effect.gen(function* () {
      const { run, sql } = yield* PostgresClient
      const error = yield* Effect.flip(run("test", sql`SELECT 9007199254740993::bigint AS n`))
      assert.strictEqual(error.reason, "failed")
      assert.deepStrictEqual(yield* one, [{ one: 1 }])
    }).pipe(Effect.provide(client()))
  )

  it.effect("the client calls text that cannot be stored invalid, and names the operation", () =>
    Effect.gen(function* () {
      const { run, sql } = yield* PostgresClient
      const error = yield* Effect.flip(run("KeyStore.find", sql`SELECT ${"a\0b"}::text`))
      assert.deepStrictEqual([error.operation, error.reason], ["KeyStore.find", "invalid"])
    }).pipe(Effect.provide(client()))
  )

  it.effect("the client tells transient failures from faults of the caller and from faults of the store", () =>
    Effect.gen(function* () {
      const { run, sql } = yield* PostgresClient
      const reasons = {
        unavailable: ["53100", "53300", "57P01", "25006", "55P03"],
        invalid: ["22021", "22003"],
        failed: ["42P01", "23505", "XX000"]
      }
      for (const [reason, states] of Object.entries(reasons)) {
        for (const state of states) {
          const raise = sql.unsafe(`DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '${state}'; END $$`)
          assert.strictEqual((yield* Effect.flip(run("test", raise))).reason, reason, state)
        }
      }
    }).pipe(Effect.provide(client()))
  )

  it.effect("failures count by reason, except those that the caller handles", () =>
    Effect.gen(function* () {
      const { run, sql, transaction } = yield* PostgresClient
      const counted = Effect.map(Metric.snapshot, (all) =>
        all.flatMap(({ attributes, id, state }) =>
          id === "lazaret_store_failures_total" && "count" in state && attributes?.["reason"] === "failed"
            ? [Number(state.count)]
            : []
        )
      )
      const missing = sql`SELECT missing`
      yield* Effect.flip(run("test", missing))
      yield* Effect.flip(transaction("test", missing, ({ reason }) => reason === "failed"))
      yield* Effect.flip(transaction("test", missing, ({ reason }) => reason === "unavailable"))
      assert.deepStrictEqual(yield* counted, [2])
    }).pipe(Effect.provide(client()), Effect.provideService(Metric.MetricRegistry, new Map()))
  )

  it.effect(
    "an operation is unavailable when the server ends its connection, and the next one has a new connection",
    () =>
      Effect.gen(function* () {
        const { run, sql } = yield* PostgresClient
        const error = yield* Effect.flip(run("test", sql`SELECT pg_terminate_backend(pg_backend_pid())`))
        assert.strictEqual(error.reason, "unavailable")
        assert.deepStrictEqual(yield* one, [{ one: 1 }])
      }).pipe(Effect.provide(client()))
  )

  it.effect(
    "the client is unavailable when the server ends the connection of a transaction, and the transaction stored nothing",
    () =>
      Effect.gen(function* () {
        const { run, sql, transaction } = yield* PostgresClient
        yield* sql`CREATE TABLE cut_off (n int)`
        const cut = Effect.gen(function* () {
          yield* sql`INSERT INTO cut_off VALUES (1)`
          yield* sql`SELECT pg_terminate_backend(pg_backend_pid())`
        })
        // Both the statement and the ROLLBACK after it find no connection.
        assert.strictEqual((yield* Effect.flip(transaction("test", cut))).reason, "unavailable")
        assert.deepStrictEqual(yield* run("test", sql`SELECT n FROM cut_off`), [])
      }).pipe(Effect.provide(client()))
  )

  it.effect("an operation is unavailable while every connection is in use, and has not run", () =>
    Effect.gen(function* () {
      const { run, sql } = yield* PostgresClient
      yield* sql`CREATE TABLE asked (n int)`
      const release = yield* Deferred.make<void>()
      const busy = yield* Effect.forkScoped(
        Effect.all([run("test", Deferred.await(release)), run("test", Deferred.await(release))], { concurrency: 2 })
      )
      yield* Effect.yieldNow
      const error = yield* Effect.flip(run("test", sql`INSERT INTO asked VALUES (1)`))
      assert.strictEqual(error.reason, "unavailable")
      const waiting = yield* Effect.forkScoped(run("test", sql`INSERT INTO asked VALUES (2)`))
      yield* Deferred.succeed(release, undefined)
      yield* Fiber.join(busy)
      yield* Fiber.join(waiting)
      assert.deepStrictEqual(yield* sql`SELECT n FROM asked`, [{ n: 2 }])
    }).pipe(Effect.scoped, Effect.provide(client({ patience: "50 millis" })))
  )

  it.effect("reads go on while appends hold all connections that they may have, and key look-ups while reads do", () =>
    Effect.gen(function* () {
      const { run, sql, transaction } = yield* PostgresClient
      const [release, second] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      let running = 0
      const held = Effect.suspend(() => {
        running += 1
        return Effect.andThen(running < 2 ? Effect.void : Deferred.succeed(second, undefined), Deferred.await(release))
      })
      const append = transaction("ExecutionStore.append", held)
      const nine = Array.from({ length: 9 }, () => append)
      const appends = yield* Effect.forkScoped(Effect.all(nine, { concurrency: 9 }))
      yield* Deferred.await(second)
      const page = run("TestStore.page", sql<{ readonly one: number }>`SELECT 1 AS one`)
      assert.deepStrictEqual(yield* page, [{ one: 1 }])
      assert.strictEqual(running, 2)
      const read = yield* Effect.forkScoped(run("TestStore.page", Deferred.await(release)))
      yield* Effect.yieldNow
      assert.strictEqual((yield* Effect.flip(page)).reason, "unavailable")
      // This is what a request with a key and the probe of readiness ask.
      assert.deepStrictEqual(yield* run("KeyStore.find", sql`SELECT 1 AS one`), [{ one: 1 }])
      yield* Deferred.succeed(release, undefined)
      yield* Fiber.join(read)
      yield* Fiber.join(appends)
      assert.strictEqual(running, 9)
    }).pipe(Effect.scoped, Effect.provide(client({ maxConnections: 4, patience: "50 millis" })))
  )

  it.effect("an append waits for its turn longer than a read, and not for ever", () =>
    Effect.gen(function* () {
      const { run } = yield* PostgresClient
      const busy = yield* Effect.forkScoped(run("ExecutionStore.append", Effect.never))
      yield* Effect.yieldNow
      const error = yield* Effect.flip(run("ExecutionStore.append", Effect.void))
      assert.deepStrictEqual([error.operation, error.reason], ["ExecutionStore.append", "unavailable"])
      yield* Fiber.interrupt(busy)
      yield* run("ExecutionStore.append", Effect.void)
    }).pipe(
      Effect.scoped,
      Effect.provide(client({ maxConnections: 2, patience: "1 millis", appendPatience: "60 millis" }))
    )
  )

  it.effect("every operation runs when there are more operations than connections", () =>
    Effect.gen(function* () {
      const rows = yield* Effect.all(
        Array.from({ length: 50 }, () => one),
        { concurrency: 50 }
      )
      assert.strictEqual(rows.flat().length, 50)
    }).pipe(Effect.provide(client()))
  )

  it.effect("an operation is unavailable when a statement or the wait for a lock takes too long", () =>
    Effect.gen(function* () {
      const { run, sql, transaction } = yield* PostgresClient
      const slow = yield* Effect.flip(run("test", sql`SELECT pg_sleep(10)`))
      assert.strictEqual(slow.reason, "unavailable")
      yield* sql`CREATE TABLE locked (n int)`
      const isLocked = yield* Deferred.make<void>()
      const lock = Effect.andThen(sql`LOCK TABLE locked`, Deferred.succeed(isLocked, undefined))
      yield* Effect.forkScoped(transaction("test", Effect.andThen(lock, Effect.never)))
      yield* Deferred.await(isLocked)
      const locked = yield* Effect.flip(run("test", sql`SELECT n FROM locked`))
      assert.strictEqual(locked.reason, "unavailable")
    }).pipe(Effect.scoped, Effect.provide(client({ statementTimeout: "200 millis", lockTimeout: "50 millis" })))
  )

  it.effect("a transaction runs again after a serialisation failure, and only then", () =>
    Effect.gen(function* () {
      const { sql, transaction } = yield* PostgresClient
      yield* sql`CREATE TABLE tried (n int)`
      const runs: Array<string> = []
      const failing = (state: string, times: number) =>
        transaction(
          "test",
          Effect.gen(function* () {
            runs.push(state)
            yield* sql`INSERT INTO tried VALUES (${runs.length})`
            if (runs.filter((each) => each === state).length > times) return "done"
            return yield* sql.unsafe(`DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '${state}'; END $$`)
          })
        )
      assert.strictEqual(yield* failing("40001", 2), "done")
      assert.strictEqual(yield* failing("40P01", 4), "done")
      assert.strictEqual((yield* Effect.flip(failing("23514", 1))).reason, "failed")
      assert.deepStrictEqual(runs, [...Array(3).fill("40001"), ...Array(5).fill("40P01"), "23514"])
      assert.deepStrictEqual(yield* sql`SELECT n FROM tried ORDER BY n`, [{ n: 3 }, { n: 8 }])
    }).pipe(Effect.provide(client()))
  )

  it.effect("an operation is unavailable where no server is", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(one)
      assert.strictEqual(error.reason, "unavailable")
    }).pipe(Effect.provide(PostgresClient.layer(Redacted.make("postgres://nobody@127.0.0.1:1/nothing"))))
  )
})
