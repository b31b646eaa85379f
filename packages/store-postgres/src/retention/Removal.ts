/** The removal of repositories: at once for every reader, and in slices on the disk. */
import { Repository } from "@lazaret/domain"
import type { StoreError } from "@lazaret/store"
import { Clock, Effect } from "effect"
import type { SqlError } from "effect/sql"
import * as Distribution from "../database/Distribution.ts"
import * as Parameter from "../database/Parameter.ts"
import * as EventLog from "../repository/EventLog.ts"
import * as Head from "../repository/Head.ts"
import type { RepositoryDirectory } from "../repository/RepositoryDirectory.ts"
import type * as Snapshot from "../reading/Snapshot.ts"
import type { Sql } from "../repository/Session.ts"
import type { Failure } from "../database/StoreFailure.ts"

/**
 * Deletes a repository and all its rows, and yields whether it existed.
 *
 * **Details**
 *
 * The first transaction deletes the repository itself with its locks, and stores its number in `removed_repositories`: from
 * its commit on, no reader finds the repository, and a write that waited for the locks takes a new number. All other rows
 * are deleted in transactions of some thousand rows. {@link finish} finishes an interrupted removal.
 */
export const erase = Effect.fnUntraced(function* (
  reader: Snapshot.Reader,
  operation: string,
  ref: Repository.RepositoryRef
): Effect.fn.Return<boolean, StoreError> {
  const { client, directory } = reader
  const isRemoved = yield* client.transaction(operation, detach(client.sql, directory, ref))
  if (isRemoved) yield* finish(reader, operation)
  return isRemoved
})

/** Deletes the rows of all removed repositories. */
export const finish = Effect.fnUntraced(function* (
  { client: { run, sql } }: Snapshot.Reader,
  operation: string
): Effect.fn.Return<void, StoreError> {
  for (const repositoryId of yield* run(operation, selectRemoved(sql))) {
    for (const table of yield* run(operation, selectTables(sql))) {
      const slice = run(operation, deleteSlice(sql, table, repositoryId))
      yield* Effect.repeat(slice, { while: (count) => count === rowsAtOnce })
    }
    yield* run(operation, sql`DELETE FROM removed_repositories WHERE repository_id = ${repositoryId}`)
  }
})

/** The number of rows of one transaction: some megabytes of packed results. */
const rowsAtOnce = 5_000

/** Deletes what makes a repository exist. Takes the locks of a writer, in the same order: the head, then the log. */
const detach = Effect.fnUntraced(function* (
  sql: Sql,
  directory: RepositoryDirectory["Service"],
  ref: Repository.RepositoryRef
): Effect.fn.Return<boolean, Failure> {
  // An upload holds the head until it is recorded.
  yield* sql`SET LOCAL lock_timeout = '1min'`
  yield* sql`SET LOCAL statement_timeout = 60000`
  const [found] = yield* sql<{ readonly repository_id: number }>`
    SELECT repository_id FROM repositories WHERE key = ${Repository.key(ref)}`
  if (found === undefined) return false
  const { repository_id: repositoryId } = found
  yield* Head.lock(sql, repositoryId)
  yield* EventLog.lock(sql, repositoryId)
  yield* sql`DELETE FROM repositories WHERE repository_id = ${repositoryId}`
  yield* sql`DELETE FROM repository_heads WHERE repository_id = ${repositoryId}`
  yield* sql`DELETE FROM event_heads WHERE repository_id = ${repositoryId}`
  yield* sql`
    INSERT INTO removed_repositories (repository_id, removed_at)
    VALUES (${repositoryId}, ${Parameter.instant(yield* Clock.currentTimeMillis)})`
  yield* sql.afterCommit(directory.forget(ref))
  return true
})

const selectRemoved = (sql: Sql) =>
  Effect.map(
    sql<{ readonly repository_id: number }>`
      SELECT repository_id
      FROM removed_repositories
      ORDER BY removed_at, repository_id`,
    (rows) => rows.map((row) => row.repository_id)
  )

/** Every table with rows of repositories, from the catalog, so that tables of later versions are among them. */
const selectTables = (sql: Sql) =>
  Effect.map(
    sql<{ readonly name: string }>`
      SELECT c.relname AS name
      FROM pg_class c
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'repository_id' AND NOT a.attisdropped
      WHERE c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('removed_repositories'))
        AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> 'removed_repositories'
      ORDER BY c.relname COLLATE "C"`,
    (rows) => rows.map(({ name }) => name)
  )

/**
 * Deletes some rows of a table, and yields their number. The copies of a directory on the nodes of a cluster do not have the
 * same `ctid`, so all rows of such a small table are deleted at once.
 */
const deleteSlice = (sql: Sql, table: string, repositoryId: number): Effect.Effect<number, SqlError.SqlError> => {
  const name = sql.literal(table)
  if (Distribution.directories.has(table)) {
    return Effect.as(sql`DELETE FROM ${name} WHERE repository_id = ${repositoryId}`, 0)
  }
  return Effect.map(
    sql`
      DELETE FROM ${name}
      WHERE repository_id = ${repositoryId} AND ctid IN (
        SELECT ctid FROM ${name} WHERE repository_id = ${repositoryId} LIMIT ${Parameter.int8(rowsAtOnce)}
      )
      RETURNING 1`,
    (rows) => rows.length
  )
}
