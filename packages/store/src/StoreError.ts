/** The one error of every storage port. */
import { Schema } from "effect"

/**
 * A storage operation failed and stored nothing.
 *
 * **Details**
 *
 * - `operation`: port and method, such as `ExecutionStore.append`.
 * - `reason`: `unavailable` may pass (connection lost, pool exhausted: try again); `invalid` is the caller's (text that
 *   cannot be stored); `damaged` is a part of what is stored that cannot be read, while the rest can; `failed` is ours.
 *
 * **To do:** Try again for `unavailable`, with a pause. Correct the value for `invalid`. Report `failed` as a fault of Lazaret.
 */
export class StoreError extends Schema.TaggedError<StoreError>()("StoreError", {
  operation: Schema.String,
  reason: Schema.Literals(["unavailable", "invalid", "damaged", "failed"]),
  cause: Schema.Defect()
}) {}
