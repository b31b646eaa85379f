/** The pull requests of commits, as recording reports writes and reads them. */
import type { PullRef } from "@lazaret/domain"
import { type PullFact, type PullNumber, Rows, StoreError } from "@lazaret/store"
import { Effect, Schema } from "effect"
import * as EventLog from "./EventLog.ts"
import type { PostgresClient } from "../database/PostgresClient.ts"
import * as RowStatements from "../database/RowStatements.ts"

type Sql = PostgresClient["Service"]["sql"]

/** The pull requests of commits, and the numbers of pull requests. */
interface Noted {
  readonly pulls: ReadonlyArray<PullFact>
  readonly pullNumbers: ReadonlyArray<PullNumber>
}

/**
 * Stores the pull requests of commits; a later fact replaces an earlier one of the same commit. Must run in a
 * transaction.
 */
export const upsert = Effect.fnUntraced(function* (sql: Sql, repositoryId: number, { pullNumbers, pulls }: Noted) {
  if (pullNumbers.length === 0) return
  // Locks the log, because other transactions write pull requests while they hold it.
  yield* EventLog.lock(sql, repositoryId)
  const place = { sql, repositoryId }
  if (pulls.length > 0) yield* decoded(RowStatements.put(place, Rows.pulls, pulls.map(Rows.pullRow)))
  yield* decoded(RowStatements.put(place, Rows.pullNumbers, pullNumbers))
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
