/** The time for which an answer stays the same while nothing is written. */
import type { Instant } from "@lazaret/domain"
import { Context, Effect } from "effect"

/**
 * The lifetime of the answer that is being made: the instants `from` (inclusive) and `until` (exclusive) between which the same
 * question has the same answer, as long as the version of the repository stays (`RepositoryStore.version`).
 *
 * **Details**
 *
 * Use cases that say nothing have answers without a lifetime: those are not to be kept.
 */
export class Lifetime {
  private span: { readonly from: Instant.Instant; readonly until: number } | null = null

  /** Narrows the lifetime; the first call begins it. */
  narrow(from: Instant.Instant, until: number): void {
    const { span } = this
    this.span =
      span === null ? { from, until } : { from: Math.max(from, span.from), until: Math.min(until, span.until) }
  }

  /** Whether a use case has said how long its answer holds. */
  get isDeclared(): boolean {
    return this.span !== null
  }

  /** Whether the answer holds at an instant. */
  holds(at: Instant.Instant): boolean {
    return this.span !== null && this.span.from <= at && at < this.span.until
  }
}

/** The lifetime of the current answer; null where nobody keeps answers. */
export const Current = Context.Reference<Lifetime | null>("@lazaret/services/Lifetime", { defaultValue: () => null })

/** Declares that the current answer, as of `from`, holds until `until` (exclusive) while nothing is written. */
export const of = (from: Instant.Instant, until: number): Effect.Effect<void> =>
  Effect.map(Current, (lifetime) => lifetime?.narrow(from, until))
