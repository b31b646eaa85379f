/** The port of verdicts: what was answered first on failures, and what people said of it. */
import type { FailurePrecision, Instant, Repository, TimeWindow } from "@lazaret/domain"
import { Context, type Effect, type Option } from "effect"
import type { StoreError } from "../StoreError.ts"

/** The kept verdicts to list: those on failures after an instant, of these kinds; the latest `limit`. */
export interface VerdictQuery {
  readonly after: Instant.Instant
  readonly verdicts: ReadonlyArray<FailurePrecision.FirstVerdict["verdict"]>
  readonly limit: number
}

/** The place of a verdict in the order of time. */
export interface VerdictPosition extends FailurePrecision.MarkedExecution {
  readonly at: Instant.Instant
}

/** The kept verdicts on failures in a window, after a place (null: from its start), at most `limit`. */
export interface VerdictsWithin {
  readonly window: TimeWindow.TimeWindow
  readonly after: VerdictPosition | null
  readonly limit: number
}

/** The outcome of a failed execution: the evidence of later runs of the same code. */
export interface Outcome extends FailurePrecision.MarkedExecution {
  readonly outcome: FailurePrecision.Truth | null
}

/** Since when the excuses by verdict are suspended, and what was known then, in a clause. */
export interface Suspension {
  readonly since: Instant.Instant
  readonly reason: string
}

/**
 * The port of verdicts.
 *
 * **Laws**
 *
 * - *First.* Of the verdicts on one execution the first one is kept; a later one changes nothing.
 * - *One mark.* The mark that was made last holds. Each mark that changes something is an event.
 * - *Bounded.* A verdict is removed 90 days after its failure, one with an outcome or a mark 365 days after it.
 * - Excuses are suspended or not. Each change is one event, however many processes make it.
 */
export class VerdictStore extends Context.Service<
  VerdictStore,
  {
    /** Keeps verdicts on failures of a repository that exists. Locks nothing when all of them are kept already. */
    readonly note: (
      ref: Repository.RepositoryRef,
      verdicts: ReadonlyArray<FailurePrecision.FirstVerdict>
    ) => Effect.Effect<void, StoreError>
    /** The kept verdicts on failures of a commit, in any order. */
    readonly ofCommit: (
      ref: Repository.RepositoryRef,
      commit: string
    ) => Effect.Effect<ReadonlyArray<FailurePrecision.KeptVerdict>, StoreError>
    /** Stores the outcomes of kept verdicts, and passes over others. Locks nothing when all of them are stored already. */
    readonly resolve: (
      ref: Repository.RepositoryRef,
      outcomes: ReadonlyArray<Outcome>
    ) => Effect.Effect<void, StoreError>
    /** The latest kept verdicts after an instant that have an outcome or a mark, the latest failure first, ties by execution. */
    readonly resolved: (
      ref: Repository.RepositoryRef,
      query: Pick<VerdictQuery, "after" | "limit">
    ) => Effect.Effect<ReadonlyArray<FailurePrecision.KeptVerdict>, StoreError>
    /** Marks the verdict on an execution, and yields it; none when none is kept. */
    readonly mark: (
      ref: Repository.RepositoryRef,
      execution: FailurePrecision.MarkedExecution,
      mark: FailurePrecision.Mark
    ) => Effect.Effect<Option.Option<FailurePrecision.MarkedVerdict>, StoreError>
    /** The marked verdicts on executions with these ids, in any order; executions of one report may share an id. */
    readonly marked: (
      ref: Repository.RepositoryRef,
      executionIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<FailurePrecision.MarkedVerdict>, StoreError>
    /** The kept verdicts, the latest failure first, ties by execution. */
    readonly latest: (
      ref: Repository.RepositoryRef,
      query: VerdictQuery
    ) => Effect.Effect<ReadonlyArray<FailurePrecision.KeptVerdict>, StoreError>
    /** The kept verdicts in a window (start inclusive, end exclusive), the earliest failure first, ties by execution, then by test. */
    readonly within: (
      ref: Repository.RepositoryRef,
      query: VerdictsWithin
    ) => Effect.Effect<ReadonlyArray<FailurePrecision.KeptVerdict>, StoreError>
    /** The suspension of the excuses, none while they hold. */
    readonly suspension: (ref: Repository.RepositoryRef) => Effect.Effect<Option.Option<Suspension>, StoreError>
    /** Suspends the excuses (`isSuspended`), or ends their suspension; `false` when that was done before. */
    readonly suspend: (
      ref: Repository.RepositoryRef,
      change: { readonly isSuspended: boolean; readonly at: Instant.Instant; readonly reason: string }
    ) => Effect.Effect<boolean, StoreError>
  }
>()("@lazaret/store/VerdictStore") {}
