/** Why a PostgreSQL of our own cannot run in a folder. */
import { Schema } from "effect"

/**
 * The server in the data folder did not start.
 *
 * **Details**
 *
 * `message` is for a person and says what to do. `reason`:
 *
 * - `unsupported`: no PostgreSQL binaries exist for this machine, or no user may run them.
 * - `locked`: another process uses the folder.
 * - `earlier`: a clone from before 0.1.0 has written the folder.
 * - `newer`, `older`: another version has written the folder.
 * - `failed`: the server could not be started; its log says why.
 *
 * **To do:** Show `message`. Start again after the obstacle is gone; the folder is as it was.
 */
export class EmbeddedPostgresError extends Schema.TaggedError<EmbeddedPostgresError>()("EmbeddedPostgresError", {
  folder: Schema.String,
  reason: Schema.Literals(["unsupported", "locked", "earlier", "newer", "older", "failed"]),
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}
