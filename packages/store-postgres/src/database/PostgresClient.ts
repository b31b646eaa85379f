/** The connections to PostgreSQL that all ports share, and the ways to run operations on them. */
import { PgClient } from "@effect/sql-pg"
import { StoreError } from "@lazaret/store"
import { Clock, Context, Duration, Effect, Layer, Option, type Redacted, Schedule, Semaphore } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { SqlError } from "effect/sql"
import * as StoreMetrics from "./StoreMetrics.ts"
import * as Damage from "./Damage.ts"
import * as StoreFailure from "./StoreFailure.ts"
import * as PatientClient from "./PatientClient.ts"
import * as TypeCodecs from "./TypeCodecs.ts"

/**
 * The limits of a client. Defaults are in brackets.
 *
 * **Details**
 *
 * - `maxConnections` (8): the number of operations that run concurrently; the others wait. See {@link Lane} for how they
 *   are shared.
 * - `patience` (5 seconds): how long an operation waits for a connection before it is `unavailable`.
 * - `appendPatience` (1 minute): how long an append waits for one. Its client has sent the whole upload already.
 * - `statementTimeout` (30 seconds), `lockTimeout` (10 seconds): the server cancels a statement, or a wait for a lock,
 *   after this time.
 * - `answerGrace` (5 seconds): how much longer than `statementTimeout` the client waits for an answer. A server that is frozen
 *   cancels nothing.
 * - `applicationName` (`lazaret`): the name in `pg_stat_activity`.
 */
export interface ClientOptions {
  readonly maxConnections?: number
  readonly patience?: Duration.Input
  readonly appendPatience?: Duration.Input
  readonly statementTimeout?: Duration.Input
  readonly lockTimeout?: Duration.Input
  readonly answerGrace?: Duration.Input
  readonly applicationName?: string
}

/**
 * Runs the statements of one port method.
 *
 * **Details**
 *
 * `operation` is the port and its method, such as `KeyStore.insert`; a `StoreError` carries it. Damage is logged with
 * its location. A failure counts in `lazaret_store_failures_total`, except one that `isHandled`: the caller tries again, or
 * does without.
 */
export type Run = <A, R>(
  operation: string,
  effect: Effect.Effect<A, StoreFailure.Failure, R>,
  isHandled?: (error: StoreError) => boolean
) => Effect.Effect<A, StoreError, R>

/**
 * A limited number of connections to PostgreSQL. Every failure is a `StoreError`.
 *
 * **Laws**
 *
 * - A statement without an answer is `unavailable` after `statementTimeout` and `answerGrace`, and its connection is not used again.
 * - An operation holds at most one connection; when none becomes free within `patience`, it is `unavailable` and has not
 *   run.
 * - However many appends or other operations run, a look-up of a key gets a connection; however many appends run, a read
 *   gets one.
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
  /**
   * A client of the server at a URL (`postgres://user:password@host/database`). It asks first whether the database is
   * distributed.
   */
  static readonly layer = (
    url: Redacted.Redacted,
    options: ClientOptions = {}
  ): Layer.Layer<PostgresClient, SqlError.SqlError> =>
    Layer.effect(
      PostgresClient,
      Effect.andThen(
        StoreMetrics.zero,
        Effect.map(patient(url, options), (sql) => make(sql, options))
      )
    ).pipe(Layer.provide([poolAt(url, options), Reactivity.layer]))
}

const defaultConnections = 8

const defaultStatementTimeout = "30 seconds"

const patient = (url: Redacted.Redacted, options: ClientOptions) => {
  const { answerGrace = "5 seconds", statementTimeout = defaultStatementTimeout } = options
  const isAlive = PgClient.PgClient.pipe(
    Effect.flatMap((sql) => sql`SELECT 1`),
    Effect.provide(onlyOne(url, options), { local: true }),
    Effect.timeout("5 seconds"),
    Effect.match({ onFailure: () => false, onSuccess: () => true })
  )
  const limits = {
    statementTimeout: Duration.fromInputUnsafe(statementTimeout),
    grace: Duration.fromInputUnsafe(answerGrace),
    isAlive
  }
  return Effect.flatMap(PgClient.PgClient, (sql) => PatientClient.make(sql, limits))
}

/** One connection in addition to those of the pool. */
const onlyOne = (url: Redacted.Redacted, options: ClientOptions) =>
  PgClient.layer({ url, ...poolOf(options, "auto"), maxConnections: 1 })

const poolAt = (url: Redacted.Redacted, options: ClientOptions) =>
  Layer.unwrap(
    Effect.map(planModeAt(url, options), (planMode) => PgClient.layer({ url, ...poolOf(options, planMode) }))
  )

/**
 * How statements are planned.
 *
 * **Details**
 *
 * Without cached plans, a small read over all partitions spends most of its time in planning. Citus plans statements over
 * several tables with the values at hand only, and fails where a cached plan is forced. A database that does not answer now may
 * be either.
 */
const planModeAt = (url: Redacted.Redacted, options: ClientOptions): Effect.Effect<PlanMode> =>
  PgClient.PgClient.pipe(
    Effect.flatMap((sql) => sql`SELECT 1 AS one FROM pg_extension WHERE extname = 'citus'`),
    Effect.map(([extension]): PlanMode => (extension === undefined ? "force_generic_plan" : "auto")),
    Effect.provide(onlyOne(url, options), { local: true }),
    Effect.orElseSucceed((): PlanMode => "auto")
  )

type PlanMode = "force_generic_plan" | "auto"

/** How long a statement waits for a lock, as PostgreSQL writes it. */
export const defaultLockTimeout = "10s"

const poolOf = (options: ClientOptions, planMode: PlanMode): PgClient.PgPoolConfig => ({
  maxConnections: options.maxConnections ?? defaultConnections,
  connectTimeout: "5 seconds",
  idleTimeout: "1 minute",
  keepAlive: "30 seconds",
  // One row may hold the packed results of a whole window.
  maxMessageSize: 256 * 1024 * 1024,
  applicationName: options.applicationName ?? "lazaret",
  types: TypeCodecs.make(),
  startupParameters: {
    statement_timeout: milliseconds(options.statementTimeout ?? defaultStatementTimeout),
    lock_timeout: options.lockTimeout === undefined ? defaultLockTimeout : milliseconds(options.lockTimeout),
    idle_in_transaction_session_timeout: milliseconds("1 minute"),
    timezone: "UTC",
    jit: "off",
    plan_cache_mode: planMode
  }
})

const milliseconds = (duration: Duration.Input): string => String(Duration.toMillis(duration))

const make = (sql: PgClient.PgClient, options: ClientOptions): PostgresClient["Service"] => {
  const laneOf = lanes(options)
  const renewal = renewing(sql, options.maxConnections ?? defaultConnections)
  const run: Run = (operation, effect, isHandled = () => false) =>
    withConnection(laneOf(operation), operation, effect).pipe(
      Effect.tapError((error) => (error._tag === "Damage" ? Damage.log({ sql }, error) : Effect.void)),
      Effect.mapError(StoreFailure.toStoreError(operation)),
      Effect.tapError((error) => (StoreFailure.isReadOnly(error) ? renewal : Effect.void)),
      Effect.tapError((error) => (isHandled(error) ? Effect.void : StoreMetrics.failure(error)))
    )
  const transaction: Run = (operation, effect, isHandled) =>
    run(operation, Effect.retry(Effect.catchDefect(sql.withTransaction(effect), expected), conflicts), isHandled)
  return PostgresClient.of({ sql, run, transaction })
}

/**
 * Ends every connection, so that the next statements connect again, to the server that the address names now. Runs once a second
 * at most.
 *
 * **Details**
 *
 * A pool keeps connections to a server that became read-only, although a proxy or a name leads to another one by now. This
 * many statements at once hold this many connections, and each ends its own.
 */
const renewing = (sql: PgClient.PgClient, connections: number): Effect.Effect<void> => {
  const end = sql`SELECT pg_terminate_backend(pg_backend_pid())`
  let last = -Infinity
  return Effect.flatMap(Clock.currentTimeMillis, (now) => {
    if (now - last < 1000) return Effect.void
    last = now
    const ends = Effect.forEach(Array.from({ length: connections }), () => Effect.ignore(end), {
      concurrency: "unbounded",
      discard: true
    })
    return Effect.asVoid(Effect.forkDetach(Effect.timeoutOption(ends, "5 seconds")))
  })
}

/** A ROLLBACK on a lost connection fails, but the server has already rolled back: the failure is ignored. */
const expected = (defect: unknown): Effect.Effect<never, SqlError.SqlError> =>
  SqlError.isSqlError(defect) ? Effect.fail(defect) : Effect.die(defect)

const conflicts = {
  while: StoreFailure.isConflict,
  times: 4,
  schedule: Schedule.jittered(Schedule.exponential("20 millis"))
} as const

/**
 * The permits that an operation needs, all of them, narrowest first.
 *
 * **Details**
 *
 * An upload keeps its connection for its whole transaction, so that a matrix of jobs that end at once would take every
 * connection. Half of the connections are for appends; one is for look-ups of keys alone, which every request and the
 * probe of readiness need.
 */
interface Lane {
  readonly permits: ReadonlyArray<Semaphore.Semaphore>
  readonly patience: Duration.Input
}

const lanes = ({ appendPatience, maxConnections = defaultConnections, patience = "5 seconds" }: ClientOptions) => {
  const every = Semaphore.makeUnsafe(maxConnections)
  const others = Semaphore.makeUnsafe(Math.max(1, maxConnections - 1))
  const appends = Semaphore.makeUnsafe(Math.max(1, Math.floor(maxConnections / 2)))
  const append: Lane = { permits: [appends, others, every], patience: appendPatience ?? "1 minute" }
  const keys: Lane = { permits: [every], patience }
  const other: Lane = { permits: [others, every], patience }
  return (operation: string): Lane =>
    operation === "ExecutionStore.append" ? append : probes.has(operation) ? keys : other
}

/** The operation of the probe of readiness, in addition to a look-up of a key. */
export const takesWritesOperation = "UpkeepStore.takesWrites"

const probes: ReadonlySet<string> = new Set(["KeyStore.find", takesWritesOperation])

/** The pool has no timeout of its own. */
const withConnection = <A, E, R>(
  lane: Lane,
  operation: string,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | StoreError, R> =>
  Effect.flatMap(
    ifAvailable(lane.permits, StoreMetrics.inUse(effect)),
    Option.match({
      onSome: (result) => Effect.succeed(result),
      onNone: () => waitForConnection(lane, operation, effect)
    })
  )

/** Runs an effect with all permits, or not at all. */
const ifAvailable = <A, E, R>(
  permits: Lane["permits"],
  effect: Effect.Effect<A, E, R>
): Effect.Effect<Option.Option<A>, E, R> =>
  permits.reduceRight(
    (inner: Effect.Effect<Option.Option<A>, E, R>, each) =>
      Effect.map(each.withPermitsIfAvailable(1)(inner), Option.flatten),
    Effect.asSome(effect)
  )

const waitForConnection = <A, E, R>(
  { patience, permits }: Lane,
  operation: string,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | StoreError, R> =>
  Effect.suspend(() => {
    let isWaiting = true
    const started = Effect.suspend(() => {
      isWaiting = false
      return StoreMetrics.inUse(effect)
    })
    const turn = permits.reduceRight((inner: Effect.Effect<A, E, R>, each) => each.withPermit(inner), started)
    const exhausted = Effect.suspend(() => (isWaiting ? Effect.fail(noConnection(operation)) : Effect.never))
    const patiently = Effect.andThen(Effect.sleep(patience), exhausted)
    return Effect.andThen(StoreMetrics.waiting, Effect.raceFirst(turn, patiently))
  })

const noConnection = (operation: string): StoreError =>
  new StoreError({ operation, reason: "unavailable", cause: new Error("every connection to PostgreSQL is in use") })
