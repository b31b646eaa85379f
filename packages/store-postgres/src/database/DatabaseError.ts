/** Why a database cannot be used. */
import { Schema } from "effect"
import type { SqlError } from "effect/sql"
import * as StoreFailure from "./StoreFailure.ts"

/**
 * The database is not one that this version can work with.
 *
 * **Details**
 *
 * `message` is for a person and says what to do. `reason`:
 *
 * - `unreachable`: there is no connection.
 * - `unsuitable`: the server is too old, or the database does not hold UTF-8.
 * - `newer`: another version of Lazaret has migrated it to where this one does not know it.
 * - `failed`: a migration failed; nothing of it, and of those that were to run with it, has happened.
 */
export class DatabaseError extends Schema.TaggedError<DatabaseError>()("DatabaseError", {
  reason: Schema.Literals(["unreachable", "unsuitable", "newer", "failed"]),
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {
  /** What it means that the first question to a database failed so. */
  static ofFirstContact(cause: SqlError.SqlError): DatabaseError {
    const reason = StoreFailure.reasonOf(cause) === "unavailable" ? "unreachable" : "failed"
    return new DatabaseError({ reason, message: `The database cannot be used: ${StoreFailure.detail(cause)}.`, cause })
  }
}
