/** The port of the listener that is called when something about a merge queue may have changed. The server provides it. */
import type { Repository } from "@lazaret/domain"
import type { StoreError } from "@lazaret/store"
import { Context, Effect } from "effect"

/** Takes notice of the queue of a base branch; null: of every queue of the repository. It returns soon. */
export interface Notice {
  (ref: Repository.RepositoryRef, branch: string | null): Effect.Effect<void, StoreError>
}

/** The listener; without one nothing happens. */
export const QueueNotice: Context.Reference<{ readonly notice: Notice }> = Context.Reference<{
  readonly notice: Notice
}>("@lazaret/services/QueueNotice", { defaultValue: () => ({ notice: () => Effect.void }) })
