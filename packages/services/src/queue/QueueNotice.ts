/** The port of the listener that is called when something about a merge queue may have changed. The server provides it. */
import type { Repository } from "@lazaret/domain"
import type { StoreError } from "@lazaret/store"
import { Context, Effect } from "effect"

/** Takes notice of the queue of a base branch; null: of every queue of the repository. It returns soon. */
export interface Notice {
  (ref: Repository.RepositoryRef, branch: string | null): Effect.Effect<void, StoreError>
}

/** The listener, and whether it reads the whole queue of a base branch itself, so that deliveries about it are not recorded. */
export interface QueueListener {
  readonly notice: Notice
  readonly isSource: (ref: Repository.RepositoryRef, branch: string) => Effect.Effect<boolean, StoreError>
}

/** The listener; without one nothing happens. */
export const QueueNotice: Context.Reference<QueueListener> = Context.Reference<QueueListener>(
  "@lazaret/services/QueueNotice",
  { defaultValue: () => ({ notice: () => Effect.void, isSource: () => Effect.succeed(false) }) }
)
