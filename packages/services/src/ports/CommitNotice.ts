/** The port of the listener that is called when reports on commits may have to change. The server provides it. */
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

/**
 * Takes notice of a change that verdicts on every open pull request may follow: a quarantine, or a setting.
 *
 * **Details**
 *
 * Callers whose write cannot be repeated give notice before it, so that no change is lost when a process dies: a notice
 * without a change alters nothing.
 */
export interface ChangeNotice {
  (ref: Repository.RepositoryRef): Effect.Effect<void, StoreError>
}

/** The listener; without one nothing happens. */
export const CommitNotice: Context.Reference<{ readonly notice: Notice; readonly changed: ChangeNotice }> =
  Context.Reference<{ readonly notice: Notice; readonly changed: ChangeNotice }>("@lazaret/services/CommitNotice", {
    defaultValue: () => ({ notice: () => Effect.void, changed: () => Effect.void })
  })
