/** The migrations that create and update the tables. */
import { Effect, Layer } from "effect"
import { Migrator, SqlClient, type SqlError } from "effect/sql"
import { DatabaseError } from "./DatabaseError.ts"
import * as Distribution from "./Distribution.ts"
import { tables } from "./migrations/0001_tables.ts"
import { failedExecutions } from "./migrations/0002_failed_executions.ts"
import { publications } from "./migrations/0003_publications.ts"
import { outages } from "./migrations/0004_outages.ts"
import { verdicts } from "./migrations/0005_verdicts.ts"
import { engines } from "./migrations/0006_engines.ts"
import { contradictions } from "./migrations/0007_contradictions.ts"
import { readings } from "./migrations/0008_readings.ts"
import { audit } from "./migrations/0009_audit.ts"
import { quarantineLives } from "./migrations/0010_quarantine_lives.ts"
import { sessions } from "./migrations/0011_sessions.ts"
import { removals } from "./migrations/0012_removals.ts"
import { notifiers } from "./migrations/0013_notifiers.ts"
import { elsewhere } from "./migrations/0014_elsewhere.ts"
import { versions } from "./migrations/0015_versions.ts"
import { ownersFiles } from "./migrations/0016_owners_files.ts"
import { ownUploads } from "./migrations/0017_own_uploads.ts"
import { roles } from "./migrations/0018_roles.ts"
import { ciRuns } from "./migrations/0019_ci_runs.ts"
import { runDurations } from "./migrations/0020_run_durations.ts"
import { wideNotifiers } from "./migrations/0021_wide_notifiers.ts"
import { signInCodes } from "./migrations/0022_sign_in_codes.ts"
import { issues } from "./migrations/0023_issues.ts"
import { PostgresClient } from "./PostgresClient.ts"
import * as StoreFailure from "./StoreFailure.ts"

/** Every migration by number and name. Numbers have no gaps, and a released migration never changes. */
export const all: Readonly<Record<string, Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient>>> = {
  "0001_tables": tables,
  "0002_failed_executions": failedExecutions,
  "0003_publications": publications,
  "0004_outages": outages,
  "0005_verdicts": verdicts,
  "0006_engines": engines,
  "0007_contradictions": contradictions,
  "0008_readings": readings,
  "0009_audit": audit,
  "0010_quarantine_lives": quarantineLives,
  "0011_sessions": sessions,
  "0012_removals": removals,
  "0013_notifiers": notifiers,
  "0014_elsewhere": elsewhere,
  "0015_versions": versions,
  "0016_owners_files": ownersFiles,
  "0017_own_uploads": ownUploads,
  "0018_roles": roles,
  "0019_ci_runs": ciRuns,
  "0020_run_durations": runDurations,
  "0021_wide_notifiers": wideNotifiers,
  "0022_sign_in_codes": signInCodes,
  "0023_issues": issues
}

/** The table that records which migrations have run. */
export const table = "lazaret_migrations"

/** The oldest version of PostgreSQL that the tables need. */
export const oldestServer = 15

/**
 * Runs the migrations that are missing and yields their names.
 *
 * **Details**
 *
 * They run in one transaction without timeouts. When several servers start concurrently, one migrates and the others
 * wait. A database with a migration that this version does not know is refused, because its data could be misread. In a
 * database that is distributed, new tables are distributed too.
 */
export const run: Effect.Effect<ReadonlyArray<string>, DatabaseError, PostgresClient> = Effect.gen(function* () {
  const { sql } = yield* PostgresClient
  yield* Effect.mapError(server(sql), DatabaseError.ofFirstContact).pipe(Effect.flatMap(requireServer))
  return yield* sql
    .withTransaction(migrateOnce(sql))
    .pipe(Effect.mapError((error) => (error._tag === "DatabaseError" ? error : failed(error))))
})

/** Migrates while the layer is built. */
export const layer: Layer.Layer<never, DatabaseError, PostgresClient> = Layer.effectDiscard(run)

type Sql = PostgresClient["Service"]["sql"]

const server = (sql: Sql) =>
  sql<{ readonly version: number; readonly encoding: string }>`
    SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding`

const requireServer = (rows: ReadonlyArray<{ readonly version: number; readonly encoding: string }>) => {
  const { encoding = "", version = 0 } = rows[0] ?? {}
  const major = Math.floor(version / 10_000)
  if (major < oldestServer) return unsuitable(`PostgreSQL ${oldestServer} or newer is needed; the server has ${major}.`)
  if (encoding !== "UTF8") return unsuitable(`The database holds ${encoding}; one that was made with UTF8 is needed.`)
  return Effect.void
}

const unsuitable = (message: string) => Effect.fail(new DatabaseError({ reason: "unsuitable", message }))

/** Changes nothing when nothing is missing: the migrator locks its table on every node, and one of them may be down. */
const migrateOnce = Effect.fnUntraced(function* (sql: Sql) {
  yield* Distribution.begin(sql)
  const rows = yield* applied(sql)
  yield* requireKnown(rows)
  if (rows.length === Object.keys(all).length) return []
  const done = yield* migrate(sql)
  if (done.length > 0) yield* Distribution.complete(sql)
  return done
})

const applied = Effect.fnUntraced(function* (sql: Sql) {
  const [found] = yield* sql<{ readonly exists: boolean }>`SELECT to_regclass(${table}) IS NOT NULL AS exists`
  if (found?.exists !== true) return []
  return yield* sql<Applied>`SELECT migration_id AS id, name FROM ${sql(table)} ORDER BY migration_id`
})

interface Applied {
  readonly id: number
  readonly name: string
}

const requireKnown = (rows: ReadonlyArray<Applied>): Effect.Effect<void, DatabaseError> => {
  const names = rows.map(({ id, name }) => `${String(id).padStart(4, "0")}_${name}`)
  const unknown = names.filter((name) => all[name] === undefined)
  if (unknown.length === 0) return Effect.void
  const message =
    `The database was written by another version of Lazaret, a newer one most likely: this one does not know ` +
    `${unknown.join(", ")}. Start that version, or use another database.`
  return Effect.fail(new DatabaseError({ reason: "newer", message }))
}

const migrate = (sql: Sql) =>
  Migrator.make({})({ table, loader: Migrator.fromRecord(all) }).pipe(
    Effect.provideService(SqlClient.SqlClient, sql),
    Effect.map((done) => done.map(([id, name]) => `${String(id).padStart(4, "0")}_${name}`))
  )

const failed = (cause: SqlError.SqlError | Migrator.MigrationError): DatabaseError =>
  new DatabaseError({ reason: "failed", message: `The tables could not be migrated: ${detail(cause)}`, cause })

const detail = (cause: SqlError.SqlError | Migrator.MigrationError): string =>
  cause._tag === "SqlError" ? StoreFailure.detail(cause) : cause.message
