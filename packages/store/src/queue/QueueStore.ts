/** The port of merge queues: the log of events, the pause, and the text of the configuration (interface 2.11, 4.2). */
import type { Instant, QueuePause, Repository, TimeWindow } from "@lazaret/domain"
import type { MergeQueue, QueueEvent, QueueOutcome } from "@lazaret/queue"
import { Context, type Effect, type Option } from "effect"
import type { StoreError } from "../StoreError.ts"

/** When something is done, and by whom. */
export interface Action {
  readonly at: Instant.Instant
  readonly by: string
}

/** Everything that the view of a merge queue depends on; null without a pause or without a configuration file. */
export interface QueueSnapshot {
  readonly queue: MergeQueue.MergeQueue
  readonly pause: QueuePause.QueuePause | null
  readonly configuration: string | null
}

/**
 * The port of merge queues.
 *
 * **Laws**
 *
 * - *Idempotent.* An event whose id is in the log is a duplicate, and changes nothing, also when both arrive at the same
 *   time; of several with one id the first that arrived is kept.
 * - *Nothing is lost.* Events that the fold ignores stay in the log.
 * - *Order-free.* `queue` is `MergeQueue.fold` of the log, whatever the order of arrival.
 */
export class QueueStore extends Context.Service<
  QueueStore,
  {
    /**
     * Adds events to the log in one transaction and yields the outcome of each, in the given order: what the fold of
     * the whole log says of it now, or `duplicate`. Creates the repository.
     */
    readonly append: (
      ref: Repository.RepositoryRef,
      events: ReadonlyArray<QueueEvent.QueueEvent>,
      at: Instant.Instant
    ) => Effect.Effect<ReadonlyArray<QueueOutcome.QueueOutcome>, StoreError>
    /** The fold of the log. */
    readonly queue: (ref: Repository.RepositoryRef) => Effect.Effect<MergeQueue.MergeQueue, StoreError>
    /** The fold of the log, the pause and the configuration, all at one moment. */
    readonly snapshot: (ref: Repository.RepositoryRef) => Effect.Effect<QueueSnapshot, StoreError>
    /** The base branches with an event in the window (start inclusive, end exclusive), in code-point order. */
    readonly baseRefs: (
      ref: Repository.RepositoryRef,
      window: TimeWindow.TimeWindow
    ) => Effect.Effect<ReadonlyArray<string>, StoreError>
    /** The pause; none when the queue is not paused. */
    readonly pause: (ref: Repository.RepositoryRef) => Effect.Effect<Option.Option<QueuePause.QueuePause>, StoreError>
    /**
     * Pauses, or replaces the reason of a pause and keeps its date (`QueuePause.pause`). Creates the repository. What it
     * changed is in the log of events (`Event.paused`).
     */
    readonly setPause: (
      ref: Repository.RepositoryRef,
      reason: string,
      by: Action
    ) => Effect.Effect<QueuePause.QueuePause, StoreError>
    /** Ends the pause and logs `Event.unpaused`; `false` when the queue is not paused. */
    readonly removePause: (ref: Repository.RepositoryRef, by: Action) => Effect.Effect<boolean, StoreError>
    /** The stored text of the configuration file; none without a file. */
    readonly configuration: (ref: Repository.RepositoryRef) => Effect.Effect<Option.Option<string>, StoreError>
    /** The last text that was valid since there is a file: the one in force. */
    readonly lastValidConfiguration: (ref: Repository.RepositoryRef) => Effect.Effect<Option.Option<string>, StoreError>
    /** Replaces the text, valid or not; null removes the file. Creates the repository. */
    readonly setConfiguration: (
      ref: Repository.RepositoryRef,
      text: string | null,
      at: Instant.Instant
    ) => Effect.Effect<void, StoreError>
  }
>()("@lazaret/store/QueueStore") {}
