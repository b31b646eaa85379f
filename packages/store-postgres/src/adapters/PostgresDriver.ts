/** The driver on PostgreSQL: plain rows in plain tables, executions in blocks. */
import {
  absent,
  Aliases,
  Driver,
  ExecutionStore,
  FailureStore,
  RetentionStore,
  Rows,
  type Scope,
  StoreError,
  TestStore,
  type Transaction,
  TriageStore,
  UpkeepStore,
  type View
} from "@lazaret/store"
import { Repository } from "@lazaret/domain"
import { Effect, Layer, Option, type Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Options } from "../repository/Session.ts"
import * as EventLog from "../repository/EventLog.ts"
import * as Parameter from "../database/Parameter.ts"
import { PostgresClient } from "../database/PostgresClient.ts"
import * as PostgresExecutionStore from "./PostgresExecutionStore.ts"
import * as PostgresFailureStore from "./PostgresFailureStore.ts"
import * as PostgresRefold from "./PostgresRefold.ts"
import * as PostgresRetentionStore from "./PostgresRetentionStore.ts"
import * as PostgresTestStore from "./PostgresTestStore.ts"
import * as PostgresTriageStore from "./PostgresTriageStore.ts"
import * as PostgresUpkeepStore from "./PostgresUpkeepStore.ts"
import { Refold } from "./Refold.ts"
import { RepositoryDirectory } from "../repository/RepositoryDirectory.ts"
import * as RepositoryVersion from "../repository/RepositoryVersion.ts"
import * as Session from "../repository/Session.ts"
import * as Regrouping from "../append/Regrouping.ts"
import * as Head from "../repository/Head.ts"
import * as JobHistories from "../triage/JobHistories.ts"
import * as CauseFacts from "../triage/CauseFacts.ts"
import * as CostFacts from "../triage/CostFacts.ts"
import * as ForgottenTest from "../retention/ForgottenTest.ts"
import * as Removal from "../retention/Removal.ts"
import * as RowStatements from "../database/RowStatements.ts"
import * as StoreFailure from "../database/StoreFailure.ts"

/**
 * The driver over a client. The database must have the tables of this version.
 *
 * **Details**
 *
 * - A transaction locks the log of its repository first. Lock order: the log comes before every other lock of a
 *   repository but the head. Exception: `Append` locks the head first and the log last. This cannot deadlock, because
 *   no transaction that holds the log waits for the head.
 * - A transaction on the rows of the whole store holds an advisory lock of its own until it ends.
 */
export const layer: Layer.Layer<Driver, never, PostgresClient> = Layer.suspend(() => layerWith({}))

/** The driver, with other options than the defaults. */
export const layerWith = (options: Options): Layer.Layer<Driver, never, PostgresClient> =>
  Layer.effect(
    Driver,
    Effect.gen(function* () {
      const rows = rowsOf(yield* PostgresClient, yield* RepositoryDirectory, yield* Refold)
      return Driver.of({
        ...rows,
        executions: yield* ExecutionStore,
        tests: yield* TestStore,
        failures: yield* FailureStore,
        triage: yield* TriageStore,
        causeFacts: CauseFacts.make({ client: yield* PostgresClient, directory: yield* RepositoryDirectory }),
        histories: JobHistories.make({ client: yield* PostgresClient, directory: yield* RepositoryDirectory }),
        costFacts: CostFacts.make({ client: yield* PostgresClient, directory: yield* RepositoryDirectory }),
        retention: yield* RetentionStore,
        upkeep: yield* UpkeepStore
      })
    })
  ).pipe(
    Layer.provide([
      PostgresExecutionStore.layerWith(options),
      PostgresTestStore.layer,
      PostgresFailureStore.layer,
      PostgresTriageStore.layer,
      PostgresRetentionStore.layer,
      PostgresUpkeepStore.layer,
      PostgresRefold.layer
    ]),
    Layer.provide(RepositoryDirectory.layer)
  )

type RowDriver = Pick<
  Driver["Service"],
  "read" | "snapshot" | "transact" | "scan" | "configure" | "erase" | "forget" | "regroup" | "version"
>

const rowsOf = (
  client: PostgresClient["Service"],
  directory: RepositoryDirectory["Service"],
  refold: Refold["Service"]
): RowDriver => {
  const { run, sql, transaction } = client
  /** The rows of a scope; an empty list when the repository does not exist. */
  const viewOf = (operation: string, scope: Scope): Effect.Effect<View, SqlError.SqlError> =>
    scope === null
      ? Effect.succeed(view(operation, { sql, repositoryId: null }))
      : Effect.map(
          directory.find(scope),
          Option.match({
            onNone: () => absent,
            onSome: (repositoryId) => view(operation, { sql, repositoryId })
          })
        )

  const read: RowDriver["read"] = (operation, scope, body) =>
    run(operation, Effect.flatMap(viewOf(operation, scope), body))

  const snapshot: RowDriver["snapshot"] = (operation, scope, body) =>
    Effect.provideService(
      transaction(operation, Effect.flatMap(viewOf(operation, scope), body)),
      SqlClient.BeginTransaction,
      "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    )

  const transact: RowDriver["transact"] = (operation, scope, at, body) => {
    if (scope === null) {
      const locked = sql`SELECT pg_advisory_xact_lock(4180, 4)`
      return transaction(
        operation,
        Effect.andThen(locked, body(transactionOf(operation, { sql, repositoryId: null }, 0)))
      )
    }
    return transaction(
      operation,
      directory.within(
        scope,
        Effect.gen(function* () {
          const found = at === null ? yield* directory.find(scope) : Option.some(yield* directory.ensure(scope, at))
          if (Option.isNone(found)) return yield* body(absent)
          const head = yield* EventLog.lock(sql, found.value)
          return yield* body(transactionOf(operation, { sql, repositoryId: found.value }, head))
        })
      )
    )
  }

  const scan: RowDriver["scan"] = (operation, table, where) =>
    run(operation, Effect.mapError(RowStatements.scan(sql, table, where), failed(operation)))

  const configure: RowDriver["configure"] = (operation, ref, at, decide) =>
    transaction(
      operation,
      directory.within(
        ref,
        Effect.gen(function* () {
          const repositoryId = yield* directory.ensure(ref, at)
          const rows = RowStatements.select({ sql, repositoryId: null }, Rows.repositories, whichIs(ref), true)
          const change = Effect.gen(function* () {
            const row = yield* given(Effect.mapError(rows, failed(operation)))
            const settings = yield* decide(row.settings)
            yield* updateSettings(sql, repositoryId, settings)
            const { createdAt, owner, repository } = row
            return { owner, repository, createdAt, settings }
          })
          return yield* refold.around(repositoryId, change)
        })
      )
    )

  const erase: RowDriver["erase"] = (operation, ref) => Removal.erase({ client, directory }, operation, ref)

  const forget: RowDriver["forget"] = (operation, ref, testId, body) =>
    transaction(
      operation,
      directory.within(
        ref,
        Effect.gen(function* () {
          const repositoryId = yield* directory.find(ref)
          if (Option.isNone(repositoryId)) return false
          const session = yield* Session.open(sql, repositoryId.value)
          const isFound = yield* ForgottenTest.remove(session, testId)
          const head = yield* EventLog.lock(sql, repositoryId.value)
          const removed = yield* body(transactionOf(operation, { sql, repositoryId: repositoryId.value }, head))
          return isFound || removed > 0
        })
      )
    )

  const regroup: RowDriver["regroup"] = (operation, ref, at, body) =>
    transaction(
      operation,
      directory.within(
        ref,
        Effect.gen(function* () {
          const found = at === null ? yield* directory.find(ref) : Option.some(yield* directory.ensure(ref, at))
          if (Option.isNone(found)) return yield* body(absent)
          const session = yield* Session.open(sql, found.value)
          const rows = transactionOf(
            operation,
            { sql, repositoryId: found.value },
            yield* EventLog.lock(sql, found.value)
          )
          const done = yield* body(rows)
          yield* Regrouping.regroup(session, yield* Aliases.linksIn(rows))
          yield* Head.save(sql, found.value, session.head)
          return done
        })
      )
    )

  const version: RowDriver["version"] = RepositoryVersion.sharing((operation, ref) =>
    run(operation, RepositoryVersion.find(sql, directory, ref))
  )

  return { read, snapshot, transact, scan, configure, erase, forget, regroup, version }
}

type Sql = PostgresClient["Service"]["sql"]

const view = (operation: string, place: RowStatements.Place): View => ({
  select: (table, query) => Effect.mapError(RowStatements.select(place, table, query), failed(operation)),
  page: (table, query) => Effect.mapError(RowStatements.page(place, table, query), failed(operation)),
  count: (table, where) => Effect.mapError(RowStatements.count(place, table, where), failed(operation)),
  distinct: (table, field, where) =>
    Effect.mapError(RowStatements.distinct(place, table, field, where), failed(operation)),
  head:
    place.repositoryId === null
      ? Effect.succeed(0)
      : Effect.mapError(EventLog.last(place.sql, place.repositoryId), failed(operation))
})

const transactionOf = (operation: string, place: RowStatements.Place, locked: number): Transaction => {
  let head = locked
  const { repositoryId, sql } = place
  return {
    ...view(operation, place),
    head: Effect.sync(() => head),
    put: (table, rows) => Effect.mapError(RowStatements.put(place, table, rows), failed(operation)),
    remove: (table, where) => Effect.mapError(RowStatements.remove(place, table, where), failed(operation)),
    log: (events) =>
      repositoryId === null
        ? Effect.succeed(0)
        : EventLog.append(sql, repositoryId, events).pipe(
            Effect.tap((appended) => Effect.sync(() => (head += appended))),
            Effect.mapError(failed(operation))
          )
  }
}

const failed =
  (operation: string) =>
  (error: SqlError.SqlError | Schema.SchemaError): StoreError =>
    error._tag === "SqlError"
      ? StoreFailure.toStoreError(operation)(error)
      : new StoreError({ operation, reason: "failed", cause: error })

const whichIs = (ref: Repository.RepositoryRef) => ({
  where: [["key", "=", Repository.key(ref)] as const],
  order: []
})

/** The only row; its absence is a defect. */
const given = <A, E>(rows: Effect.Effect<ReadonlyArray<A>, E>): Effect.Effect<A, E> =>
  Effect.flatMap(rows, ([row]) =>
    row === undefined ? Effect.die(new Error("a repository row is missing")) : Effect.succeed(row)
  )

const updateSettings = (sql: Sql, repositoryId: number, settings: Repository.RepositorySettings) => sql`
  UPDATE repositories SET settings = ${Parameter.json(settings)} WHERE repository_id = ${repositoryId}`
