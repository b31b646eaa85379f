/** The port of merge queues, and its rules over a driver: the log of events, the pause, and the text of the configuration (interface 2.11, 4.2). */
import { Event, type Instant, QueuePause, type Repository, Text, type TimeWindow } from "@lazaret/domain"
import { type MergeQueue, QueueConfiguration, type QueueEvent, type QueueOutcome } from "@lazaret/queue"
import { Context, Effect, Option, Result } from "effect"
import type { StoreError } from "../StoreError.ts"
import type { Driver, View } from "../Driver.ts"
import * as Engines from "./Engines.ts"
import * as QueueLog from "./QueueLog.ts"
import { configurations, type PauseRow, pauses, queueEvents } from "../Rows.ts"

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
>()("@lazaret/store/QueueStore") {
  /** The port over a driver. */
  static readonly over = (driver: Driver["Service"]): QueueStore["Service"] => make(driver)
}

const make = (driver: Driver["Service"]): QueueStore["Service"] =>
  QueueStore.of({
    append: (ref, events, at) =>
      driver.transact("QueueStore.append", ref, at, (transaction) => QueueLog.append(transaction, events)),
    queue: (ref) => driver.snapshot("QueueStore.queue", ref, QueueLog.queue),
    snapshot: (ref) =>
      driver.snapshot("QueueStore.snapshot", ref, (view) =>
        Effect.all({ queue: QueueLog.queue(view), pause: pauseIn(view), configuration: configurationIn(view) })
      ),
    baseRefs: (ref, window) =>
      driver.read("QueueStore.baseRefs", ref, (view) =>
        Effect.map(
          view.distinct(queueEvents, "branch", [
            ["at", ">=", window.start],
            ["at", "<", window.end]
          ]),
          (branches) => branches.toSorted(Text.compare)
        )
      ),
    pause: (ref) => driver.read("QueueStore.pause", ref, (view) => Effect.map(pauseIn(view), Option.fromNullOr)),
    setPause: (ref, reason, { at, by }) =>
      driver.transact("QueueStore.setPause", ref, at, (transaction) =>
        Effect.gen(function* () {
          const before = yield* pauseIn(transaction)
          const pause = QueuePause.pause(before, reason, at)
          yield* transaction.put(pauses, [{ reason, pausedAt: pause.pauseDate }])
          if (before?.reason !== reason) {
            yield* transaction.log([Event.paused(pause, at, by)])
            yield* Engines.broadcast(transaction, { kind: "pause_set", reason, by }, { at, except: null })
          }
          return pause
        })
      ),
    removePause: (ref, { at, by }) =>
      driver.transact("QueueStore.removePause", ref, null, (transaction) =>
        Effect.gen(function* () {
          const pause = yield* pauseIn(transaction)
          if (pause === null) return false
          yield* transaction.remove(pauses, [])
          yield* transaction.log([Event.unpaused(pause, at, by)])
          yield* Engines.broadcast(transaction, { kind: "pause_cleared", by }, { at, except: null })
          return true
        })
      ),
    configuration: (ref) =>
      driver.read("QueueStore.configuration", ref, (view) => Effect.map(configurationIn(view), Option.fromNullOr)),
    setConfiguration: (ref, text, at) =>
      driver.transact("QueueStore.setConfiguration", ref, at, (transaction) =>
        text === null
          ? Effect.asVoid(transaction.remove(configurations, []))
          : Effect.flatMap(lastValidIn(transaction), (held) =>
              transaction.put(configurations, [{ configuration: text, lastValid: isValid(text) ? text : held }])
            )
      ),
    lastValidConfiguration: (ref) =>
      driver.read("QueueStore.lastValidConfiguration", ref, (view) => Effect.map(lastValidIn(view), Option.fromNullOr))
  })

const pauseIn = (view: View) =>
  Effect.map(view.select(pauses, { where: [], order: [] }), ([row]) => (row === undefined ? null : pauseOf(row)))

const pauseOf = ({ pausedAt, reason }: PauseRow): QueuePause.QueuePause => ({ reason, pauseDate: pausedAt })

const configurationIn = (view: View) =>
  Effect.map(view.select(configurations, { where: [], order: [] }), ([row]) => row?.configuration ?? null)

/** Before the column was there, only the text was kept. */
const lastValidIn = (view: View) =>
  Effect.map(view.select(configurations, { where: [], order: [] }), ([row]) => {
    if (row === undefined) return null
    return row.lastValid ?? (isValid(row.configuration) ? row.configuration : null)
  })

const isValid = (text: string): boolean => Result.isSuccess(QueueConfiguration.parseAll(text))
