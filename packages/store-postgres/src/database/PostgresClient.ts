/** The connections to PostgreSQL that all ports share, and the ways to run operations on them. */
import { PgClient } from "@effect/sql-pg"
import { StoreError } from "@lazaret/store"
import { Context, Duration, Effect, Layer, Option, type Redacted, Schedule, Semaphore } from "effect"
import { SqlError } from "effect/sql"
import * as StoreMetrics from "./StoreMetrics.ts"
import * as Damage from "./Damage.ts"
import * as StoreFailure from "./StoreFailure.ts"
import * as TypeCodecs from "./TypeCodecs.ts"

/**
 * The limits of a client. Defaults are in brackets.
 *
 * **Details**
 *
 * - `maxConnections` (8): the number of operations that run concurrently; the others wait.
 * - `patience` (5 seconds): how long an operation waits for a connection before it is `unavailable`.
 * - `statementTimeout` (30 seconds), `lockTimeout` (10 seconds): the server cancels a statement, or a wait for a lock,
 *   after this time.
 * - `applicationName` (`lazaret`): the name in `pg_stat_activity`.
 */
export interface ClientOptions {
  readonly maxConnections?: number
  readonly patience?: Duration.Input
  readonly statementTimeout?: Duration.Input
  readonly lockTimeout?: Duration.Input
  readonly applicationName?: string
}

/**
 * Runs the statements of one port method.
 *
 * **Details**
 *
 * `operation` is the port and its method, such as `KeyStore.insert`; a `StoreError` carries it. Damage is logged with
 * its location.
 */
export type Run = <A, R>(
  operation: string,
  effect: Effect.Effect<A, StoreFailure.Failure, R>
) => Effect.Effect<A, StoreError, R>

/**
 * A limited number of connections to PostgreSQL. Every failure is a `StoreError`.
 *
 * **Laws**
 *
 * - An operation holds at most one connection; when none becomes free within `patience`, it is `unavailable` and has not
 *   run.
 * - `transaction` stores everything or nothing. It is retried up to five times after a serialization conflict or a
 *   deadlock, so the effect must only read and write the database.
 *
 * **Gotchas**
 *
 * Do not nest them: an effect inside a transaction uses plain statements.
 */
export class PostgresClient extends Context.Service<
  PostgresClient,
  {
    readonly sql: PgClient.PgClient
    /** Statements one after another, each its own transaction. */
    readonly run: Run
    /** Statements in one transaction. */
    readonly transaction: Run
  }
>()("@lazaret/store-postgres/PostgresClient") {
  /** A client of the server at a URL (`postgres://user:password@host/database`). It connects when it is first used. */
  static readonly layer = (
    url: Redacted.Redacted,
    options: ClientOptions = {}
  ): Layer.Layer<PostgresClient, SqlError.SqlError> =>
    Layer.effect(
      PostgresClient,
      Effect.map(PgClient.PgClient, (sql) => make(sql, options))
    ).pipe(Layer.provide(PgClient.layer({ url, ...poolOf(options) })))
}

const defaultConnections = 8

const poolOf = (options: ClientOptions): PgClient.PgPoolConfig => ({
  maxConnections: options.maxConnections ?? defaultConnections,
  connectTimeout: "5 seconds",
  idleTimeout: "1 minute",
  keepAlive: "30 seconds",
  // One row may hold the packed results of a whole window.
  maxMessageSize: 256 * 1024 * 1024,
  applicationName: options.applicationName ?? "lazaret",
  types: TypeCodecs.make(),
  startupParameters: {
    statement_timeout: milliseconds(options.statementTimeout ?? "30 seconds"),
    lock_timeout: milliseconds(options.lockTimeout ?? "10 seconds"),
    idle_in_transaction_session_timeout: milliseconds("1 minute"),
    timezone: "UTC",
    jit: "off",
    // Without cached plans, a small read over all partitions spends most of its time in planning.
    plan_cache_mode: "force_generic_plan"
  }
})

const milliseconds = (duration: Duration.Input): string => String(Duration.toMillis(duration))

const make = (sql: PgClient.PgClient, options: ClientOptions): PostgresClient["Service"] => {
  const permits = Semaphore.makeUnsafe(options.maxConnections ?? defaultConnections)
  const patience = options.patience ?? "5 seconds"
  const run: Run = (operation, effect) =>
    withPermit(permits, patience, operation, effect).pipe(
      Effect.tapError((error) => (error._tag === "Damage" ? Damage.log({ sql }, error) : Effect.void)),
      Effect.mapError(StoreFailure.toStoreError(operation)),
      Effect.tapError((error) => StoreMetrics.failure(error.operation, error.reason))
    )
  const transaction: Run = (operation, effect) =>
    run(operation, Effect.retry(Effect.catchDefect(sql.withTransaction(effect), expected), conflicts))
  return PostgresClient.of({ sql, run, transaction })
}

/** A ROLLBACK on a lost connection fails, but the server has already rolled back: the failure is ignored. */
const expected = (defect: unknown): Effect.Effect<never, SqlError.SqlError> =>
  SqlError.isSqlError(defect) ? Effect.fail(defect) : Effect.die(defect)

const conflicts = {
  while: StoreFailure.isConflict,
  times: 4,
  schedule: Schedule.jittered(Schedule.exponential("20 millis"))
} as const

/** The pool has no timeout of its own. */
const withPermit = <A, E, R>(
  permits: Semaphore.Semaphore,
  patience: Duration.Input,
  operation: string,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | StoreError, R> =>
  Effect.flatMap(
    permits.withPermitsIfAvailable(1)(StoreMetrics.inUse(effect)),
    Option.match({
      onSome: (result) => Effect.succeed(result),
      onNone: () => waitForPermit(permits, patience, operation, effect)
    })
  )

const waitForPermit = <A, E, R>(
  permits: Semaphore.Semaphore,
  patience: Duration.Input,
  operation: string,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | StoreError, R> =>
  Effect.suspend(() => {
    let isWaiting = true
    const started = Effect.suspend(() => {
      isWaiting = false
      return StoreMetrics.inUse(effect)
    })
    const exhausted = Effect.suspend(() => (isWaiting ? Effect.fail(noConnection(operation)) : Effect.never))
    const patiently = Effect.andThen(Effect.sleep(patience), exhausted)
    return Effect.andThen(StoreMetrics.waiting, Effect.raceFirst(permits.withPermit(started), patiently))
  })

const noConnection = (operation: string): StoreError =>
  new StoreError({ operation, reason: "unavailable", cause: new Error("every connection to PostgreSQL is in use") })
