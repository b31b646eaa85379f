/** The port of the listener that is called after each recorded upload. The server provides it. */
import type { Repository } from "@lazaret/domain"
import type { StoreError } from "@lazaret/store"
import { Context, Effect } from "effect"

/**
 * Takes notice of a recorded upload, a repeated one included.
 *
 * **Laws**
 *
 * It returns soon: the client waits for it. When it fails, so does the upload, which the client then repeats.
 */
export interface Notice {
  (ref: Repository.RepositoryRef, commit: string): Effect.Effect<void, StoreError>
}

/** The listener of uploads; without one nothing happens. */
export const UploadNotice: Context.Reference<{ readonly notice: Notice }> = Context.Reference<{
  readonly notice: Notice
}>("@lazaret/services/UploadNotice", { defaultValue: () => ({ notice: () => Effect.void }) })
