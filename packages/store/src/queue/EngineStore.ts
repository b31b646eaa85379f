/** The port of the engine of merge queues: its log, its state, and which process works on it. */
import type { Instant, Repository } from "@lazaret/domain"
import type { EngineDecision, EngineEvent, EngineState } from "@lazaret/queue"
import { Context, type Effect } from "effect"
import type { StoreError } from "../StoreError.ts"
import type { LeaseRequest } from "../driver/LeaseRequest.ts"

/**
 * Events, and their consequences.
 *
 * **Details**
 *
 * `decide` is pure: it may run more than once. Its decisions are appended after the causes, in the same transaction.
 */
export interface EngineStep {
  readonly at: Instant.Instant
  readonly causes: ReadonlyArray<EngineEvent.EngineEvent>
  readonly decide: (state: EngineState.EngineState) => Pick<EngineDecision.EngineDecision, "events">
}

/** A leased engine. `lease` proves that it is still ours. */
export interface LeasedEngine {
  readonly ref: Repository.RepositoryRef
  readonly branch: string
  readonly lease: string
}

/** A part of a log: up to `limit` events before a place, the newest without one. */
export interface LogRequest {
  readonly before: number | null
  readonly limit: number
}

/**
 * The port of the engines of merge queues: one for each base branch.
 *
 * **Laws**
 *
 * - *One writer.* Steps of a repository run one after another, also those of several processes. The events of a step have
 *   consecutive places.
 * - *Atomic.* A decision is in the log if and only if its cause is.
 * - The state is the fold of the log (`EngineFold.fold`).
 * - *One pause.* The pause of the repository (`QueueStore.setPause`) is in the log of each of its engines when
 *   `setPause` succeeds, and an engine that pauses itself pauses the repository.
 * - *One queue.* What an engine that is the source of its queue (`EngineProjection.isSource`) does is in the queue's log
 *   (`QueueStore.queue`) in the same transaction.
 * - One process at a time has the lease of an engine; an engine whose lease has run out is due. What is woken during a
 *   lease stays due.
 */
export class EngineStore extends Context.Service<
  EngineStore,
  {
    /** Appends causes and decisions, and yields the state after them. Creates the repository and the engine. */
    readonly append: (
      ref: Repository.RepositoryRef,
      branch: string,
      step: EngineStep
    ) => Effect.Effect<EngineState.EngineState, StoreError>
    /** The state of an engine, the initial one before any event. */
    readonly state: (
      ref: Repository.RepositoryRef,
      branch: string
    ) => Effect.Effect<EngineState.EngineState, StoreError>
    /** The base branches that have an engine, in code-point order. */
    readonly branches: (ref: Repository.RepositoryRef) => Effect.Effect<ReadonlyArray<string>, StoreError>
    /** Events of the log, newest first. */
    readonly log: (
      ref: Repository.RepositoryRef,
      branch: string,
      request: LogRequest
    ) => Effect.Effect<ReadonlyArray<EngineEvent.Logged>, StoreError>
    /** Makes an engine due at an instant at the latest. Creates the repository and the engine. */
    readonly wake: (
      ref: Repository.RepositoryRef,
      branch: string,
      at: Instant.Instant
    ) => Effect.Effect<void, StoreError>
    /** Leases engines of any repository whose time has come, the longest due first. */
    readonly lease: (request: LeaseRequest) => Effect.Effect<ReadonlyArray<LeasedEngine>, StoreError>
    /**
     * Whether a write that a pause forbids may begin: the lease is ours, and the repository is not paused. The engine acts
     * until `until`, or until `release`.
     */
    readonly act: (leased: LeasedEngine, until: Instant.Instant) => Effect.Effect<boolean, StoreError>
    /** Extends a lease until an instant. `false`, and nothing changed, when it is not ours any more. */
    readonly renew: (leased: LeasedEngine, until: Instant.Instant) => Effect.Effect<boolean, StoreError>
    /** Until when engines of the repository act at the latest; 0: none does. */
    readonly actingUntil: (ref: Repository.RepositoryRef) => Effect.Effect<Instant.Instant, StoreError>
    /**
     * Ends a lease. The engine is due again at `nextAt`, or earlier if it was woken meanwhile. `false`, and nothing changed,
     * when the lease is not ours any more.
     */
    readonly release: (leased: LeasedEngine, nextAt: Instant.Instant) => Effect.Effect<boolean, StoreError>
  }
>()("@lazaret/store/EngineStore") {}
