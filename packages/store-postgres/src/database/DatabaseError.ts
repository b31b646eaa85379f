/** Why a database cannot be used. */
import { Schema } from "effect"
import type { SqlError } from "effect/sql"
import * as StoreFailure from "./StoreFailure.ts"

/**
 * This version of Lazaret cannot use the database.
 *
 * **Details**
 *
 * `message` is shown to the operator and says what to do. `reason`:
 *
 * - `unreachable`: the connection failed.
 * - `unsuitable`: the server is too old, or the database does not hold UTF-8.
 * - `earlier`: a clone of Lazaret from before 0.1.0 has written the database.
 * - `newer`: the database has a migration that this version of Lazaret does not know.
 * - `failed`: a migration failed. It was rolled back, together with all migrations of the same start.
 *
 * **To do:** Show `message`. Nothing was written; start again after the obstacle is gone.
 */
export class DatabaseError extends Schema.TaggedError<DatabaseError>()("DatabaseError", {
  reason: Schema.Literals(["unreachable", "unsuitable", "earlier", "newer", "failed"]),
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {
  /** The error that a failure of the first query means. */
  static ofFirstContact(cause: SqlError.SqlError): DatabaseError {
    const reason = StoreFailure.reasonOf(cause) === "unavailable" ? "unreachable" : "failed"
    return new DatabaseError({ reason, message: `The database cannot be used: ${StoreFailure.detail(cause)}.`, cause })
  }
}
