/** The port of the audit log. */
import type { AuditEntry, Instant, Page } from "@lazaret/domain"
import { Context, type Effect } from "effect"
import type { StoreError } from "../StoreError.ts"

/** The place of an entry in the log: the log is ordered by time, then id. */
export interface AuditPosition {
  readonly at: Instant.Instant
  readonly id: string
}

/**
 * The entries to list, newest first.
 *
 * **Details**
 *
 * Each condition is null for every value. `owners` and `repository` match without regard to case; entries of the whole server
 * have no owner. `start` is inclusive, `end` exclusive.
 */
export interface AuditQuery {
  readonly owners: ReadonlyArray<string> | null
  readonly repository: string | null
  readonly action: string | null
  readonly actor: string | null
  readonly start: Instant.Instant | null
  readonly end: Instant.Instant | null
  readonly from: Page.From<AuditPosition>
  readonly limit: number
}

/** The outcome of an action, and what it changed. */
export type AuditOutcome = Pick<AuditEntry.AuditEntry, "outcome" | "owner" | "before" | "after">

/**
 * The port of the audit log.
 *
 * **Laws**
 *
 * - An entry comes back as it was written. It belongs to the store and to no repository, so that it outlives one.
 * - An entry changes once: when its outcome is known. A second outcome changes nothing.
 * - Pages of any size follow one another, newest first.
 */
export class AuditStore extends Context.Service<
  AuditStore,
  {
    /** Writes an entry; `false`, and nothing written, when its id is taken. */
    readonly begin: (entry: AuditEntry.AuditEntry) => Effect.Effect<boolean, StoreError>
    /** Writes the outcome of a started entry; `false`, and nothing written, when no started entry has this id. */
    readonly end: (id: string, outcome: AuditOutcome) => Effect.Effect<boolean, StoreError>
    /** One page, newest first, with the number of all entries that match. */
    readonly page: (query: AuditQuery) => Effect.Effect<Page.Page<AuditEntry.AuditEntry>, StoreError>
    /** Drops the entries before an instant, and yields how many. */
    readonly prune: (before: Instant.Instant) => Effect.Effect<number, StoreError>
  }
>()("@lazaret/store/AuditStore") {}
