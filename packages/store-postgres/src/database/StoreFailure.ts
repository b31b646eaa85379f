/** What the errors of PostgreSQL mean to the callers of a store. */
import { StoreError } from "@lazaret/store"
import { Predicate } from "effect"
import { SqlError } from "effect/sql"
import type { Damage } from "./Damage.ts"

/** What statements of the store fail with, before it becomes the error of a port method. */
export type Failure = SqlError.SqlError | StoreError | Damage

/** The SQLSTATE that PostgreSQL gave, null when the error did not come from the server. */
const sqlState = (error: SqlError.SqlError): string | null => {
  const { cause } = error.reason
  return Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : null
}

/** What the server, or the system, says itself. */
export const detail = (error: SqlError.SqlError): string => {
  const { cause } = error.reason
  return Predicate.isError(cause) && cause.message !== "" ? cause.message : error.message
}

/**
 * Whether a transaction that failed so may simply be run again: the server has rolled it back, and asks for it; or another
 * transaction has just written a row with the same key, which this one then finds.
 */
export const isConflict = (error: Failure): boolean => {
  const found = error._tag === "StoreError" ? error.cause : error
  return SqlError.isSqlError(found) && conflicts.has(found.reason._tag)
}

const conflicts = new Set(["SerializationError", "DeadlockError", "UniqueViolation"])

/**
 * The reason that a caller is told.
 *
 * **Details**
 *
 * - `unavailable`: no connection, too many of them, the server starts, stops or has become a replica, a resource (disk,
 *   memory) is short, somebody else held a lock for too long, or the statement took too long.
 * - `invalid`: the value cannot be stored, such as text with a NUL character (SQLSTATE class 22).
 * - `failed`: all the rest, which is ours.
 */
export const reasonOf = (error: SqlError.SqlError): StoreError["reason"] => {
  if (error.isRetryable) return "unavailable"
  const state = sqlState(error)
  if (state === null) return "failed"
  if (unavailableStates.has(state) || state.startsWith("53")) return "unavailable"
  return state.startsWith("22") ? "invalid" : "failed"
}

/**
 * Whether a row was refused because the partition that it belongs to has been dropped meanwhile. There are no other checks.
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
      case "SqlError":
        return new StoreError({ operation, reason: reasonOf(error), cause: error })
    }
  }

/** Stopped by an administrator, after a crash, still starting, idle for too long in a transaction, read only. */
const unavailableStates = new Set(["57P01", "57P02", "57P03", "25P03", "25006"])
