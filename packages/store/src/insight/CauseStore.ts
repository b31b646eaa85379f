/** The port of causes: their records, what people decide about them, and when they are next computed. */
import type { CauseFacts, CauseRecord, CauseRound, Instant, Repository } from "@lazaret/domain"
import { Context, type Effect, type Option } from "effect"
import type { LeaseRequest } from "../driver/LeaseRequest.ts"
import type { StoreError } from "../StoreError.ts"

/** A repository whose causes are computed by the holder of the lease; `attempts` says how often that failed in a row. */
export interface LeasedCauses {
  readonly ref: Repository.RepositoryRef
  readonly attempts: number
  readonly requests: number
  readonly lease: string
}

/**
 * The last computation of the causes of a repository.
 *
 * **Details**
 *
 * - `computedAt`: null before the first one. `redRuns`, `missingRuns`: see `CauseRound`.
 * - `changes`: grows with every write of a record.
 */
export interface CauseProgress extends Pick<CauseRound.CauseRound, "redRuns" | "missingRuns"> {
  readonly computedAt: Instant.Instant | null
  readonly changes: number
}

/** The time of a computation, and the earliest time of the next one where a request arrived meanwhile. */
export interface CauseTimes {
  readonly computedAt: Instant.Instant
  readonly againAt: Instant.Instant
}

/** A decision of a person. */
export interface CauseDecision {
  readonly causeId: string
  readonly change: CauseRecord.Change
  readonly at: Instant.Instant
  readonly by: string
}

/**
 * The port of causes.
 *
 * **Laws**
 *
 * - *Facts.* The latest job runs with failures of every branch but those of forks, within `CauseFacts.bounds`; the same reports give
 *   the same facts whatever their order of arrival.
 * - *One at a time.* One process has the lease of a repository, however many ask; a lease that has run out is anybody's.
 * - A request is kept until a round that was leased after it has ended. Requests are one piece of work per repository.
 * - *Decisions stay.* A round replaces what is known of causes, and keeps decisions that are made while it runs (`CauseRound.of` is
 *   called with the records of the transaction that stores its result).
 * - The removal of a test removes it from the records, and requests a round.
 * - *Events.* A decision, and a round that changes causes with decisions, write their events in the same transaction (`CauseEvents`).
 * - `replace` and `fail` count only for the holder of the lease, and end it.
 */
export class CauseStore extends Context.Service<
  CauseStore,
  {
    /** The facts from which causes are computed. One read, at one moment. */
    readonly facts: (ref: Repository.RepositoryRef) => Effect.Effect<CauseFacts.CauseFacts, StoreError>
    /** Requests a round from an instant on. Creates the repository. */
    readonly request: (ref: Repository.RepositoryRef, at: Instant.Instant) => Effect.Effect<void, StoreError>
    /** Leases repositories whose time has come, the longest due first. */
    readonly lease: (request: LeaseRequest) => Effect.Effect<ReadonlyArray<LeasedCauses>, StoreError>
    /** Stores what `compute` makes of the records that are stored; `false`, and nothing stored, when the lease is not ours any more. */
    readonly replace: (
      leased: LeasedCauses,
      times: CauseTimes,
      compute: (before: ReadonlyArray<CauseRecord.CauseRecord>) => CauseRound.CauseRound
    ) => Effect.Effect<boolean, StoreError>
    /** Puts the round off after a failure; `false`, and nothing changed, when the lease is not ours any more. */
    readonly fail: (leased: LeasedCauses, until: Instant.Instant) => Effect.Effect<boolean, StoreError>
    /** The last round. */
    readonly progress: (ref: Repository.RepositoryRef) => Effect.Effect<CauseProgress, StoreError>
    /** The records of a repository, in the order of ids. */
    readonly list: (ref: Repository.RepositoryRef) => Effect.Effect<ReadonlyArray<CauseRecord.CauseRecord>, StoreError>
    /** Stores a decision, and yields the record after it; none when the cause is not known. */
    readonly decide: (
      ref: Repository.RepositoryRef,
      decision: CauseDecision
    ) => Effect.Effect<Option.Option<CauseRecord.CauseRecord>, StoreError>
  }
>()("@lazaret/store/CauseStore") {}
