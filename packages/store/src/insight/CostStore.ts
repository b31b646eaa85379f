/** The port of cost: the facts that it is computed from, what was computed last, and when it is computed again. */
import type { CostFacts, CostKnown, Event, Instant, Repository } from "@lazaret/domain"
import { Context, type Effect, type Option } from "effect"
import type { LeaseRequest } from "../driver/LeaseRequest.ts"
import type { StoreError } from "../StoreError.ts"

/** A repository whose cost is computed by the holder of the lease; `attempts` says how often that failed in a row. */
export interface LeasedCost {
  readonly ref: Repository.RepositoryRef
  readonly attempts: number
  readonly requests: number
  readonly lease: string
}

/**
 * The result of a round, when it was computed, and the events that it leads to.
 *
 * **Details**
 *
 * `againAt`: the earliest time of a round that is requested. `atLatest`: when the next one is without a request; null for never.
 */
export interface CostResult {
  readonly known: CostKnown.CostKnown
  readonly computedAt: Instant.Instant
  readonly againAt: Instant.Instant
  readonly atLatest: Instant.Instant | null
  readonly events: ReadonlyArray<Event.Event>
}

/**
 * The port of cost.
 *
 * **Laws**
 *
 * - *Facts.* The latest job runs of every branch but those of forks that finished at an instant or later, within `CostFacts.bounds`;
 *   the same reports give the same facts whatever their order of arrival, and however a job run is split into reports.
 * - *One at a time.* One process has the lease of a repository, however many ask; a lease that has run out is anybody's.
 * - A request is kept until a round that was leased after it has ended. Requests are one piece of work per repository.
 * - `replace` and `fail` count only for the holder of the lease, and end it. The events of a round are in the log if and only if its
 *   result is stored; one whose id is in the log is left out.
 */
export class CostStore extends Context.Service<
  CostStore,
  {
    /** The facts from which cost is computed. One read, at one moment. */
    readonly facts: (
      ref: Repository.RepositoryRef,
      since: Instant.Instant
    ) => Effect.Effect<CostFacts.CostFacts, StoreError>
    /** Requests a round from an instant on. Creates the repository. */
    readonly request: (ref: Repository.RepositoryRef, at: Instant.Instant) => Effect.Effect<void, StoreError>
    /** Leases repositories whose time has come, the longest due first. */
    readonly lease: (request: LeaseRequest) => Effect.Effect<ReadonlyArray<LeasedCost>, StoreError>
    /** Stores a result in the place of the one before; `false`, and nothing stored, when the lease is not ours any more. */
    readonly replace: (leased: LeasedCost, result: CostResult) => Effect.Effect<boolean, StoreError>
    /** Puts the round off after a failure; `false`, and nothing changed, when the lease is not ours any more. */
    readonly fail: (leased: LeasedCost, until: Instant.Instant) => Effect.Effect<boolean, StoreError>
    /** When the last round was; null before the first one. */
    readonly computedAt: (ref: Repository.RepositoryRef) => Effect.Effect<Instant.Instant | null, StoreError>
    /** The last result; none before the first round. */
    readonly known: (ref: Repository.RepositoryRef) => Effect.Effect<Option.Option<CostKnown.CostKnown>, StoreError>
  }
>()("@lazaret/store/CostStore") {}
