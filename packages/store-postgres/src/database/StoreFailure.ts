/** Maps errors of PostgreSQL to errors of a store. */
import { StoreError } from "@lazaret/store"
import { Predicate, Schema } from "effect"
import { SqlError } from "effect/sql"
import type { Damage } from "./Damage.ts"

/**
 * A write has found that the repository with this number is gone. A transaction that is tried again finds the number that
 * the repository has now.
 *
 * **To do:** Try the transaction again.
 */
export class RepositoryRemoved extends Schema.TaggedError<RepositoryRemoved>()("RepositoryRemoved", {
  repositoryId: Schema.Number
}) {}

/** The errors of statements, before they become the error of a port method. */
export type Failure = SqlError.SqlError | StoreError | Damage | RepositoryRemoved

/** The SQLSTATE of an error; null when the error did not come from the server. */
const sqlState = (error: SqlError.SqlError): string | null => {
  const { cause } = error.reason
  return Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : null
}

/** The message of the server or of the operating system. */
export const detail = (error: SqlError.SqlError): string => {
  const { cause } = error.reason
  return Predicate.isError(cause) && cause.message !== "" ? cause.message : error.message
}

/**
 * Whether a transaction that failed with this error may be retried: the server has rolled it back after a conflict, or
 * another transaction has inserted a row with the same key, which the retry then finds, or has removed the repository.
 */
export const isConflict = (error: Failure): boolean => {
  if (error._tag === "RepositoryRemoved") return true
  const found = error._tag === "StoreError" ? error.cause : error
  return SqlError.isSqlError(found) && conflicts.has(found.reason._tag)
}

const conflicts = new Set(["SerializationError", "DeadlockError", "UniqueViolation"])

/**
 * The reason that the `StoreError` reports.
 *
 * **Details**
 *
 * - `unavailable`: no connection, too many connections, the server starts, stops or has become a replica, a resource
 *   (disk, memory) is exhausted, a lock was not free in time, or the statement timed out.
 * - `invalid`: the value cannot be stored, such as text with a NUL character (SQLSTATE class 22).
 * - `failed`: every other error. It is a fault of Lazaret.
 */
export const reasonOf = (error: SqlError.SqlError): StoreError["reason"] => {
  if (error.isRetryable || isNodeLost(error)) return "unavailable"
  const state = sqlState(error)
  if (state === null) return "failed"
  if (unavailableStates.has(state) || state.startsWith("53")) return "unavailable"
  return state.startsWith("22") ? "invalid" : "failed"
}

/** A node of a Citus cluster was lost: the extension hands on what the node said, or reports an internal error. */
const isNodeLost = (error: SqlError.SqlError): boolean => lostNodes.some((text) => detail(error).startsWith(text))

/** The beginnings of such messages: their SQLSTATE says nothing, or that of an internal error. */
const lostNodes = [
  "could not commit transaction for shard",
  "could not connect to any active placements",
  "execution cannot recover from multiple connection failures",
  "failure on connection marked as essential",
  "failed to COPY to shard",
  "Failed to COPY to",
  "connection lost",
  "connection not open",
  "server closed the connection unexpectedly",
  // The coordinator while it waits for a worker, and a connection of a killed server.
  "postmaster was shut down",
  "terminating connection due to unexpected postmaster exit"
]

/** The error of a store that answers questions and takes no writes. */
export const readOnly = (operation: string): StoreError =>
  new StoreError({ operation, reason: "unavailable", cause: new ReadOnly("the database takes no writes") })

class ReadOnly extends Error {}

/** Whether the server of this connection takes no writes: another one may have been promoted. */
export const isReadOnly = ({ cause }: StoreError): boolean =>
  cause instanceof ReadOnly || (SqlError.isSqlError(cause) && sqlState(cause) === "25006")

/**
 * Whether a row was refused because its partition has been dropped meanwhile. The tables have no other CHECK
 * constraints.
 */
export const isMissingPartition = ({ cause }: StoreError): boolean =>
  SqlError.isSqlError(cause) && sqlState(cause) === "23514"

/** The error of a port method; a `StoreError` stays as it is. */
export const toStoreError =
  (operation: string) =>
  (error: Failure): StoreError => {
    switch (error._tag) {
      case "StoreError":
        return error
      case "Damage":
        return new StoreError({ operation, reason: "damaged", cause: error })
      case "RepositoryRemoved":
        return new StoreError({ operation, reason: "unavailable", cause: error })
      case "SqlError":
        return new StoreError({ operation, reason: reasonOf(error), cause: error })
    }
  }

/**
 * In this order: stopped by an administrator, after a crash, still starting, idle in a transaction for too long,
 * read-only.
 */
const unavailableStates = new Set(["57P01", "57P02", "57P03", "25P03", "25006"])
