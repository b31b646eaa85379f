/** The pull requests of commits, as recording reports writes and reads them. */
import type { PullRef } from "@lazaret/domain"
import { type PullFact, Rows, StoreError } from "@lazaret/store"
import { Effect, Schema } from "effect"
import * as EventLog from "./EventLog.ts"
import type { PostgresClient } from "../database/PostgresClient.ts"
import * as RowStatements from "../database/RowStatements.ts"

type Sql = PostgresClient["Service"]["sql"]

/**
 * Stores the pull requests of commits; a later fact replaces an earlier one of the same commit. Must run in a
 * transaction.
 */
export const upsert = Effect.fnUntraced(function* (sql: Sql, repositoryId: number, facts: ReadonlyArray<PullFact>) {
  // Locks the log, because other transactions write pull requests while they hold it.
  yield* EventLog.lock(sql, repositoryId)
  yield* decoded(RowStatements.put({ sql, repositoryId }, Rows.pulls, facts.map(Rows.pullRow)))
})

/** The known pull requests of commits. */
export const select = (sql: Sql, repositoryId: number, commits: ReadonlyArray<string>) =>
  Effect.map(
    decoded(RowStatements.select({ sql, repositoryId }, Rows.pulls, { where: [["commit", "in", commits]], order: [] })),
    (rows): ReadonlyMap<string, PullRef.PullRef> => new Map(rows.map((row) => [row.commit, Rows.pullOf(row)]))
  )

const decoded = <A, E>(rows: Effect.Effect<A, E | Schema.SchemaError>) =>
  Effect.catchIf(
    rows,
    (error) => Schema.isSchemaError(error),
    (cause) => Effect.fail(new StoreError({ operation: "ExecutionStore.append", reason: "failed", cause }))
  )
