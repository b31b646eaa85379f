/** The migrations that create and update the tables. */
import { Effect, Layer, Record } from "effect"
import { Migrator, SqlClient, SqlError } from "effect/sql"
import { DatabaseError } from "./DatabaseError.ts"
import * as Distribution from "./Distribution.ts"
import { firstRelease } from "./migrations/0001_first_release.ts"
import { originPins } from "./migrations/0002_origin_pins.ts"
import { aliases } from "./migrations/0003_aliases.ts"
import { forkTests } from "./migrations/0004_fork_tests.ts"
import { causes } from "./migrations/0005_causes.ts"
import { platformSightings } from "./migrations/0006_platform_sightings.ts"
import { ownFailures } from "./migrations/0007_own_failures.ts"
import { shardPlans } from "./migrations/0008_shard_plans.ts"
import { attempts } from "./migrations/0009_attempts.ts"
import { losses } from "./migrations/0010_losses.ts"
import { costs } from "./migrations/0011_costs.ts"
import { frames } from "./migrations/0012_frames.ts"
import { jobTimes } from "./migrations/0013_job_times.ts"
import { stressRuns } from "./migrations/0014_stress_runs.ts"
import { certifications } from "./migrations/0015_certifications.ts"
import { slowerTests } from "./migrations/0016_slower_tests.ts"
import { PostgresClient } from "./PostgresClient.ts"
import * as StoreFailure from "./StoreFailure.ts"

/** Migrations by number and name: the statements of each. */
export type Migrations = Readonly<Record<string, ReadonlyArray<string>>>

/**
 * Every migration since 0.1.0. Numbers have no gaps, and a released migration never changes:
 * `test/migrations/checksums.json` holds the checksum of each.
 */
export const all: Migrations = {
  "0001_first_release": firstRelease,
  "0002_origin_pins": originPins,
  "0003_aliases": aliases,
  "0004_fork_tests": forkTests,
  "0005_causes": causes,
  "0006_platform_sightings": platformSightings,
  "0007_own_failures": ownFailures,
  "0008_shard_plans": shardPlans,
  "0009_attempts": attempts,
  "0010_losses": losses,
  "0011_costs": costs,
  "0012_frames": frames,
  "0013_job_times": jobTimes,
  "0014_stress_runs": stressRuns,
  "0015_certifications": certifications,
  "0016_slower_tests": slowerTests
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
 * They run in one transaction without timeouts: a process that ends between two statements leaves the database as it was. When
 * several servers start concurrently, one migrates and the others wait. In a database that is distributed, new tables are
 * distributed too. A database that {@link check} refuses is not changed.
 */
export const run: Effect.Effect<ReadonlyArray<string>, DatabaseError, PostgresClient> = Effect.suspend(() => runOf(all))

/** {@link run} of a list of migrations. */
export const runOf = Effect.fnUntraced(function* (
  migrations: Migrations
): Effect.fn.Return<ReadonlyArray<string>, DatabaseError, PostgresClient> {
  const { sql } = yield* PostgresClient
  yield* checkOf(migrations)
  return yield* sql.withTransaction(migrateOnce(sql, migrations)).pipe(
    // The client turns errors into defects when the connection is lost and it cannot roll back; the database does that then.
    Effect.catchDefect(expected),
    Effect.mapError((error) => (error._tag === "DatabaseError" ? error : failed(error)))
  )
})

/**
 * Fails for a database that this version cannot use, and writes nothing.
 *
 * **Details**
 *
 * A migration that this version does not know could mean that its data is misread. One with the number 1 is of a clone from before
 * 0.1.0 (`earlier`), any other one of a newer version (`newer`).
 */
export const check: Effect.Effect<void, DatabaseError, PostgresClient> = Effect.suspend(() => checkOf(all))

const checkOf = Effect.fnUntraced(function* (migrations: Migrations) {
  const { sql } = yield* PostgresClient
  yield* Effect.mapError(server(sql), DatabaseError.ofFirstContact).pipe(Effect.flatMap(requireServer))
  const rows = yield* Effect.mapError(applied(sql), failed)
  yield* requireKnown(rows, migrations)
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
const migrateOnce = Effect.fnUntraced(function* (sql: Sql, migrations: Migrations) {
  yield* Distribution.begin(sql)
  const rows = yield* applied(sql)
  yield* requireKnown(rows, migrations)
  if (rows.length === Object.keys(migrations).length) return []
  const done = yield* migrate(sql, migrations)
  if (done.length > 0) yield* Distribution.complete(sql)
  return done
})

const applied = Effect.fnUntraced(function* (sql: Sql) {
  const [found] = yield* sql<{ readonly exists: boolean }>`SELECT to_regclass(${table}) IS NOT NULL AS exists`
  if (found?.exists !== true) return []
  return yield* sql<Applied>`
    SELECT migration_id AS id, name, current_database() AS database FROM ${sql(table)} ORDER BY migration_id`
})

interface Applied {
  readonly id: number
  readonly name: string
  readonly database: string
}

const requireKnown = (rows: ReadonlyArray<Applied>, migrations: Migrations): Effect.Effect<void, DatabaseError> => {
  const unknown = rows.filter((row) => migrations[nameOf(row)] === undefined)
  const [first] = unknown
  if (first === undefined) return Effect.void
  if (first.id === 1) {
    const message = `The database "${first.database}" was written by a clone of Lazaret from before 0.1.0, and was not changed.`
    return Effect.fail(new DatabaseError({ reason: "earlier", message }))
  }
  const message =
    `The database was written by another version of Lazaret, a newer one most likely: this one does not know ` +
    `${unknown.map(nameOf).join(", ")}. Start that version, or use another database.`
  return Effect.fail(new DatabaseError({ reason: "newer", message }))
}

const nameOf = ({ id, name }: Pick<Applied, "id" | "name">): string => `${String(id).padStart(4, "0")}_${name}`

const migrate = (sql: Sql, migrations: Migrations) => {
  const loader = Migrator.fromRecord(Record.map(migrations, (statements) => runAll(sql, statements)))
  return Migrator.make({})({ table, loader }).pipe(
    Effect.provideService(SqlClient.SqlClient, sql),
    Effect.map((done) => done.map(([id, name]) => nameOf({ id, name })))
  )
}

const runAll = (sql: Sql, statements: ReadonlyArray<string>) =>
  Effect.forEach(statements, (statement) => sql.unsafe(statement).unprepared, { discard: true })

const expected = (defect: unknown): Effect.Effect<never, SqlError.SqlError | Migrator.MigrationError> =>
  SqlError.isSqlError(defect) || defect instanceof Migrator.MigrationError ? Effect.fail(defect) : Effect.die(defect)

const failed = (cause: SqlError.SqlError | Migrator.MigrationError): DatabaseError =>
  new DatabaseError({ reason: "failed", message: `The tables could not be migrated: ${detail(cause)}`, cause })

const detail = (cause: SqlError.SqlError | Migrator.MigrationError): string =>
  cause._tag === "SqlError" ? StoreFailure.detail(cause) : cause.message
