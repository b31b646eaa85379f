/** The notes that a use case makes for the entry of the audit log about it. */
import type { AuditEntry } from "@lazaret/domain"
import { Context, Effect } from "effect"

/** The values of an entry that only the use case knows. */
export interface AuditNote {
  /** The owner whom the action concerns, where the request does not name one. */
  readonly owner?: string | null
  readonly before?: AuditEntry.Fields | null
  readonly after?: AuditEntry.Fields | null
}

/** Takes the notes of the action that runs; without an action, notes are dropped. */
export const AuditNotes: Context.Reference<(note: AuditNote) => void> = Context.Reference<(note: AuditNote) => void>(
  "@lazaret/services/AuditNotes",
  { defaultValue: () => () => undefined }
)

/** Notes values for the entry of the running action; a later note replaces an earlier one field by field. */
export const note = (of: AuditNote): Effect.Effect<void> => Effect.map(AuditNotes, (take) => take(of))
