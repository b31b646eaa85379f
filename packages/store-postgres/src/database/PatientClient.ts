/** A client of PostgreSQL whose statements end, also when the server, or the network to it, does not answer any more. */
import { PgClient } from "@effect/sql-pg"
import { Duration, Effect, Fiber, Predicate, type Scope } from "effect"
import type { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, SqlError } from "effect/sql"

/** How long statements may take. */
export interface Limits {
  /** The `statement_timeout` of the server; 0 is without end. */
  readonly statementTimeout: Duration.Duration
  /** How much longer the client waits for the answer. */
  readonly grace: Duration.Duration
  /** Whether the server answers on a new connection. */
  readonly isAlive: Effect.Effect<boolean>
}

/**
 * The client with a limit for each statement, those that begin and end transactions, too.
 *
 * **Details**
 *
 * `statement_timeout` is the server's, which may be frozen, and a network may swallow packets: the kernel ends such a connection
 * after a quarter of an hour. A statement without an answer fails as `unavailable` after `statementTimeout` and `grace`. Its
 * connection is destroyed when the lease ends, and takes no other statement before.
 *
 * The limit follows `SET LOCAL statement_timeout`, in milliseconds, for the rest of the transaction. Where it is 0 (migrations,
 * recalculations), and at a `COMMIT` (which may wait for a standby), the server may work for longer: the client goes on waiting as
 * long as a new connection gets an answer. It sends no `CancelRequest`: that would end the wait for a standby, and leave a
 * transaction on one server alone.
 */
export const make = (
  sql: PgClient.PgClient,
  limits: Limits
): Effect.Effect<PgClient.PgClient, never, Reactivity.Reactivity> =>
  Effect.map(
    SqlClient.make({
      acquirer: patient(sql.reserve, limits),
      compiler: PgClient.makeCompiler(),
      driver: sql.driver,
      spanAttributes: [],
      prepareTransactionControls: true,
      releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
      commit
    }),
    (limited) =>
      Object.assign(limited, {
        [PgClient.TypeId]: sql[PgClient.TypeId],
        config: sql.config,
        json: sql.json,
        listen: sql.listen,
        notify: sql.notify
      })
  )

/** A lease of a connection has limits of its own: those of a transaction end with it. */
const patient = (
  acquirer: Effect.Effect<SqlConnection.Connection, SqlError.SqlError, Scope.Scope>,
  { grace, isAlive, statementTimeout }: Limits
): Effect.Effect<SqlConnection.Connection, SqlError.SqlError, Scope.Scope> =>
  Effect.map(acquirer, (connection): SqlConnection.Connection => {
    let limit = statementTimeout
    let isLost = false
    const within = <A>(statement: string, answer: Effect.Effect<A, SqlError.SqlError>) =>
      Effect.suspend(() => {
        const given = /^SET LOCAL statement_timeout = (\d+)$/u.exec(statement.trim())?.[1]
        if (given !== undefined) limit = Duration.millis(Number(given))
        const mayWait = Duration.isZero(limit) || statement === "COMMIT"
        const patience = Duration.sum(Duration.isZero(limit) ? statementTimeout : limit, grace)
        const lost = Effect.sync(() => {
          isLost = true
          return noAnswer(patience)
        })
        const late: Effect.Effect<SqlError.SqlError> = mayWait
          ? Effect.flatMap(isAlive, (is) => (is ? Effect.andThen(pause(patience), late) : lost))
          : lost
        return isLost ? Effect.fail(noAnswer(patience)) : unless(answer, patience, late)
      })
    return {
      execute: (text, params, transform) => within(text, connection.execute(text, params, transform)),
      executeRaw: (text, params) => within(text, connection.executeRaw(text, params)),
      executeStream: (text, params, transform) => connection.executeStream(text, params, transform),
      executeValues: (text, params) => within(text, connection.executeValues(text, params)),
      executeValuesUnprepared: (text, params) => within(text, connection.executeValuesUnprepared(text, params)),
      executeUnprepared: (text, params, transform) =>
        within(text, connection.executeUnprepared(text, params, transform))
    }
  })

/**
 * The answer, or after some time the error that `late` yields, whichever is there first.
 *
 * **Details**
 *
 * An answer that comes too late is left alone, because its interruption would cancel the statement at the server: the driver
 * destroys a connection that is given back with a statement outstanding. The interruption of the caller interrupts both. Until
 * the time is over, a statement costs one fiber and one timer.
 */
const unless = <A>(
  answer: Effect.Effect<A, SqlError.SqlError>,
  time: Duration.Duration,
  late: Effect.Effect<SqlError.SqlError>
): Effect.Effect<A, SqlError.SqlError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDetach(answer, { startImmediately: true }), (answering) =>
      restore(
        Effect.callback<A, SqlError.SqlError>((resume) => {
          let waiting: ReadonlyArray<Fiber.Fiber<SqlError.SqlError>> = []
          const timer = setTimeout(() => {
            const fiber = Effect.runFork(late)
            waiting = [fiber]
            fiber.addObserver((exit) => resume(Effect.flatMap(exit, Effect.fail)))
          }, Duration.toMillis(time))
          answering.addObserver((exit) => {
            clearTimeout(timer)
            resume(exit)
            for (const fiber of waiting) fiber.interruptUnsafe()
          })
          return Effect.suspend(() => {
            clearTimeout(timer)
            return Fiber.interruptAll([answering, ...waiting])
          })
        })
      )
    )
  )

/** Waits by the clock of the machine, whatever clock the rules use. */
const pause = (time: Duration.Duration): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const timer = setTimeout(() => resume(Effect.void), Duration.toMillis(time))
    return Effect.sync(() => clearTimeout(timer))
  })

const noAnswer = (limit: Duration.Duration): SqlError.SqlError => {
  const message = `PostgreSQL does not answer: no result after ${Duration.format(limit)}`
  return new SqlError.SqlError({
    reason: new SqlError.ConnectionError({ cause: new Error(message), message, operation: "query" })
  })
}

/** The driver's rule: PostgreSQL answers `ROLLBACK` to the `COMMIT` of an aborted transaction. */
const commit = (connection: SqlConnection.Connection): Effect.Effect<void, SqlError.SqlError> =>
  Effect.flatMap(connection.executeRaw("COMMIT", []), (result) =>
    Predicate.hasProperty(result, "command") && result.command === "ROLLBACK" ? Effect.fail(rolledBack()) : Effect.void
  )

const rolledBack = (): SqlError.SqlError => {
  const message = "COMMIT rolled back an aborted transaction"
  return new SqlError.SqlError({
    reason: new SqlError.UnknownError({ cause: new Error(message), message, operation: "commit" })
  })
}
