/** The port of the listener that is called when something about a commit may have changed. The server provides it. */
import type { Repository } from "@lazaret/domain"
import type { StoreError } from "@lazaret/store"
import { Context, Effect } from "effect"

/**
 * Takes notice of a commit: a report of it was uploaded (a repeated one included), or a pull request has it as its head.
 *
 * **Laws**
 *
 * It returns soon: the sender waits for it. When it fails, so does the request, which the sender then repeats.
 */
export interface Notice {
  (ref: Repository.RepositoryRef, commit: string): Effect.Effect<void, StoreError>
}

/** The listener; without one nothing happens. */
export const CommitNotice: Context.Reference<{ readonly notice: Notice }> = Context.Reference<{
  readonly notice: Notice
}>("@lazaret/services/CommitNotice", { defaultValue: () => ({ notice: () => Effect.void }) })
