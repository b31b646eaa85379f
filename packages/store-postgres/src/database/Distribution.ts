/** The distribution of the tables over the nodes of a Citus cluster, by repository. */
import { Effect } from "effect"
import type { PgClient } from "@effect/sql-pg"
import { SqlError } from "effect/sql"
import { DatabaseError } from "./DatabaseError.ts"
import { defaultLockTimeout, PostgresClient } from "./PostgresClient.ts"
import * as StoreFailure from "./StoreFailure.ts"

type Sql = PgClient.PgClient

/**
 * The small tables that are not distributed by repository.
 *
 * **Details**
 *
 * The coordinator keeps them, so that writes to them need no other node. Only `repositories` is on every node: statements join it
 * with tables of a repository, and read both at one moment.
 */
export const directories: ReadonlySet<string> = new Set([
  "application_keys",
  "assigned_roles",
  "audit_entries",
  "cause_rounds",
  "cost_rounds",
  "engines",
  "issue_rounds",
  "lazaret_migrations",
  "missing_rounds",
  "notifiers",
  "origin_pins",
  "owners_files",
  "publications",
  "readings",
  "removed_repositories",
  "repositories",
  "result_weeks",
  "sessions",
  "sign_in_codes",
  "slower_rounds",
  "subscriptions",
  "wide_notifiers"
])

/** The directory of which every node has a copy. */
const replicated = "repositories"

/** The table that decides on which node a repository lives; the others follow it. */
const leader = "repository_heads"

/**
 * Distributes the tables that are not distributed yet, and yields their names.
 *
 * **Details**
 *
 * Must run on the coordinator, while no server runs. Rows that exist are moved to their nodes. Partitions that are created later
 * are distributed by the extension.
 */
export const run: Effect.Effect<ReadonlyArray<string>, DatabaseError, PostgresClient> = Effect.gen(function* () {
  const { sql } = yield* PostgresClient
  const [found] = yield* sql`SELECT 1 AS one FROM pg_extension WHERE extname = 'citus'`
  if (found === undefined) {
    const message =
      "The database has no extension citus: create it on the coordinator (CREATE EXTENSION citus), add the workers, and " +
      "run the command again."
    return yield* new DatabaseError({ reason: "unsuitable", message })
  }
  return yield* sql.withTransaction(Effect.andThen(begin(sql), distribute(sql)))
}).pipe(Effect.mapError((error) => orFailed(error)))

/**
 * Distributes new tables of a database that is distributed already, and yields their names. Must run in the transaction that
 * created them: a table that is left on the coordinator alone could not be joined with others.
 */
export const complete = (sql: Sql): Effect.Effect<ReadonlyArray<string>, DatabaseError> =>
  Effect.flatMap(isDistributed(sql), (isSo) => (isSo ? distribute(sql) : Effect.succeed([]))).pipe(
    Effect.mapError(orFailed)
  )

const orFailed = (cause: SqlError.SqlError | DatabaseError): DatabaseError =>
  cause._tag === "DatabaseError"
    ? cause
    : new DatabaseError({
        reason: "failed",
        message: `The tables could not be distributed: ${StoreFailure.detail(cause)}`,
        cause
      })

/**
 * Prepares a transaction that changes tables: it has no timeouts, runs statements about distributed tables one after the other (an
 * engine without the extension ignores that setting), and waits until no other such transaction runs.
 */
export const begin = Effect.fnUntraced(function* (sql: Sql) {
  yield* sql`SET LOCAL statement_timeout = 0`
  yield* sql`SET LOCAL lock_timeout = 0`
  yield* sql`SET LOCAL citus.multi_shard_modify_mode TO 'sequential'`
  // The key of the advisory lock: an arbitrary constant.
  yield* sql`SELECT pg_advisory_xact_lock(4180, 1)`
})

const isDistributed = Effect.fnUntraced(function* (sql: Sql) {
  const [found] = yield* sql<{ readonly exists: boolean }>`
    SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS exists`
  if (found?.exists !== true) return false
  const rows = yield* sql`SELECT 1 AS one FROM pg_dist_partition WHERE logicalrelid = to_regclass(${leader})`
  return rows.length > 0
})

const distribute = Effect.fnUntraced(function* (sql: Sql) {
  const names = yield* remaining(sql)
  if (names.some((name) => directories.has(name))) yield* requireCoordinator(sql)
  for (const name of names) yield* sql.unsafe(statementFor(name)).unprepared
  // A migration may have created the view again.
  yield* adaptView(sql)
  if (names.length > 0) yield* limitLocks(sql)
  return names
})

/** A coordinator that is not a node of its cluster cannot keep tables that the extension knows. */
const requireCoordinator = Effect.fnUntraced(function* (sql: Sql) {
  const rows = yield* sql`SELECT 1 AS one FROM pg_dist_node WHERE groupid = 0`
  if (rows.length > 0) return
  const message =
    "The coordinator is not a node of the cluster: run SELECT citus_set_coordinator_host('its name', 5432) on it, with the name and " +
    "the port at which the workers reach it, and run the command again."
  return yield* new DatabaseError({ reason: "unsuitable", message })
})

const statementFor = (name: string): string => {
  if (name === replicated) return `SELECT create_reference_table('${name}')`
  if (directories.has(name)) return `SELECT citus_add_local_table_to_metadata('${name}')`
  const place = name === leader ? "" : `, colocate_with => '${leader}'`
  return `SELECT create_distributed_table('${name}', 'repository_id'${place})`
}

/** The tables of Lazaret that no node has yet, the leader first; partitions follow their table. */
const remaining = (sql: Sql) =>
  Effect.map(
    sql<{ readonly name: string; readonly is_keyed: boolean }>`
      SELECT c.relname AS name,
        EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'repository_id') AS is_keyed
      FROM pg_class c
      WHERE c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass(${leader}))
        AND c.relkind IN ('r', 'p') AND NOT c.relispartition
        AND NOT EXISTS (SELECT FROM pg_dist_partition d WHERE d.logicalrelid = c.oid)
      ORDER BY c.relname = ${leader} DESC, c.relname COLLATE "C"`,
    (rows) => rows.filter(({ is_keyed, name }) => is_keyed || directories.has(name)).map(({ name }) => name)
  )

/**
 * Names the repository of each test in the view `executions`: without it the extension refuses the join. On one PostgreSQL
 * the condition leads to slower plans.
 */
const adaptView = Effect.fnUntraced(function* (sql: Sql) {
  const [view] = yield* sql<{ readonly definition: string }>`SELECT pg_get_viewdef('executions') AS definition`
  const definition = view?.definition ?? ""
  const adapted = definition.replace(/(LEFT JOIN tests t ON )(?!t\.repository_id)/u, `$1${condition} AND `)
  if (adapted !== definition) yield* sql.unsafe(`CREATE OR REPLACE VIEW executions AS ${adapted}`).unprepared
})

const condition = "t.repository_id = c.repository_id"

/** The coordinator does not hand the settings of a session on to workers: their lock timeout is set on them. */
const limitLocks = Effect.fnUntraced(function* (sql: Sql) {
  const [row] = yield* sql<{ readonly statement: string }>`
    SELECT format('ALTER DATABASE %I SET lock_timeout = %L', current_database(), ${defaultLockTimeout}::text) AS statement`
  if (row !== undefined) yield* sql.unsafe(row.statement).unprepared
})
