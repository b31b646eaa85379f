/** The use cases of merge queues (interface 4.2). */
import { type Instant, QueuePause, type Repository, TimeWindow } from "@lazaret/domain"
import {
  QueueConfiguration,
  QueueEvent,
  type QueueOutcome,
  type QueueRule,
  QueueStatus,
  QueueView
} from "@lazaret/queue"
import { EngineStore, QueueStore, RepositoryStore, type StoreError } from "@lazaret/store"
import { Clock, Context, Effect, Layer, Option, Result, Schedule } from "effect"
import { note } from "../answer/AuditNote.ts"
import { QueueNotice } from "./QueueNotice.ts"
import * as ServiceMetrics from "../background/ServiceMetrics.ts"
import * as Lookup from "../answer/Lookup.ts"
import { Invalid, PauseNotFound, PullRequestNotQueued, type RepositoryNotFound } from "../answer/ServiceError.ts"

/**
 * The span of a list of base branches (interface 4.2.7): `endAt` defaults to now, `startAt` to a day before `endAt`.
 */
export interface BranchesRequest {
  readonly startAt: Instant.Instant | undefined
  readonly endAt: Instant.Instant | undefined
}

/**
 * Reads and updates merge queues.
 *
 * **Details**
 *
 * Reading an unknown repository is `RepositoryNotFound`; writing creates it.
 */
export class Queues extends Context.Service<
  Queues,
  {
    /** The rules in processing order; `Invalid` with every fault of an invalid file. */
    readonly configuration: (
      ref: Repository.RepositoryRef
    ) => Effect.Effect<ReadonlyArray<QueueRule.QueueRule>, Invalid | RepositoryNotFound | StoreError>
    /** Stores the text of the file, valid or not, and yields its faults; null removes the file. */
    readonly configure: (
      ref: Repository.RepositoryRef,
      text: string | null
    ) => Effect.Effect<ReadonlyArray<QueueConfiguration.Fault>, StoreError>
    /** The queue of every base branch that holds a pull request, by branch name. */
    readonly queues: (
      ref: Repository.RepositoryRef
    ) => Effect.Effect<ReadonlyArray<QueueView.Queue>, RepositoryNotFound | StoreError>
    /** The pause, and the queue of every base branch that holds a pull request. */
    readonly status: (
      ref: Repository.RepositoryRef
    ) => Effect.Effect<QueueStatus.QueueStatus, RepositoryNotFound | StoreError>
    /** One queued pull request with all its checks. */
    readonly pull: (
      ref: Repository.RepositoryRef,
      number: number
    ) => Effect.Effect<QueueStatus.Pull, PullRequestNotQueued | RepositoryNotFound | StoreError>
    /** Every base branch that has had a pull request queued. */
    readonly queuedBranches: (
      ref: Repository.RepositoryRef
    ) => Effect.Effect<ReadonlyArray<QueueStatus.Branch>, RepositoryNotFound | StoreError>
    /** The base branches with queue activity in a span. */
    readonly branches: (
      ref: Repository.RepositoryRef,
      request: BranchesRequest
    ) => Effect.Effect<ReadonlyArray<string>, Invalid | RepositoryNotFound | StoreError>
    /**
     * Records events and yields the outcome of each; a repeated event is a duplicate. `Invalid` when an event is too far
     * ahead of the clock (`QueueEvent.mostAhead`); then nothing is recorded.
     */
    readonly record: (
      ref: Repository.RepositoryRef,
      events: ReadonlyArray<QueueEvent.QueueEvent>
    ) => Effect.Effect<ReadonlyArray<QueueOutcome.QueueOutcome>, Invalid | StoreError>
    /** The pause as a list of none or one. */
    readonly pauseOf: (
      ref: Repository.RepositoryRef
    ) => Effect.Effect<ReadonlyArray<QueuePause.QueuePause>, RepositoryNotFound | StoreError>
    /**
     * Pauses; a paused queue keeps its date and takes the new reason. When it succeeds, nothing that a queue had begun before
     * is still under way: nothing passes until the pause ends.
     */
    readonly pause: (
      ref: Repository.RepositoryRef,
      reason: string,
      by: string
    ) => Effect.Effect<QueuePause.QueuePause, StoreError>
    /** Ends the pause. */
    readonly unpause: (
      ref: Repository.RepositoryRef,
      by: string
    ) => Effect.Effect<void, PauseNotFound | RepositoryNotFound | StoreError>
  }
>()("@lazaret/services/Queues") {
  /** The use cases over the storage ports. */
  static readonly layer = Layer.effect(
    Queues,
    Effect.gen(function* () {
      const repositories = yield* RepositoryStore
      const store = yield* QueueStore
      const engines = yield* EngineStore
      const queueNotice = yield* QueueNotice

      const repository = Lookup.repository(repositories)

      const configuration = Effect.fn("Queues.configuration")(function* (ref: Repository.RepositoryRef) {
        yield* repository(ref)
        const parsed = rulesIn(Option.getOrNull(yield* store.configuration(ref)))
        if (Result.isSuccess(parsed)) return parsed.success
        return yield* new Invalid({
          faults: parsed.failure.map((fault) => ({ _tag: "InvalidConfiguration", ...fault }))
        })
      })

      const configure = Effect.fn("Queues.configure")(function* (ref: Repository.RepositoryRef, text: string | null) {
        yield* store.setConfiguration(ref, text, yield* Clock.currentTimeMillis)
        yield* noticeEngines(ref)
        const parsed = rulesIn(text)
        return Result.isSuccess(parsed) ? [] : parsed.failure
      })

      /** An engine that a new file switches on has not run before. */
      const noticeEngines = Effect.fnUntraced(function* (ref: Repository.RepositoryRef) {
        const known = yield* repositories.get(ref)
        const branch = Option.isSome(known) ? known.value.settings.defaultBranch : null
        yield* queueNotice.notice(ref, null)
        if (branch !== null) yield* queueNotice.notice(ref, branch)
      })

      /** The state, and the input of the estimates. */
      const snapshot = Effect.fnUntraced(function* (ref: Repository.RepositoryRef) {
        yield* repository(ref)
        const now = yield* Clock.currentTimeMillis
        const { configuration: text, pause, queue } = yield* store.snapshot(ref)
        const parsed = rulesIn(text)
        return { queue, circumstances: { rules: Result.isSuccess(parsed) ? parsed.success : [], pause, now } }
      })

      const queues = (ref: Repository.RepositoryRef) =>
        Effect.map(snapshot(ref), ({ circumstances, queue }) => QueueView.queues(queue, circumstances))

      const status = (ref: Repository.RepositoryRef) =>
        Effect.map(snapshot(ref), ({ circumstances, queue }) => QueueStatus.status(queue, circumstances))

      const pull = Effect.fn("Queues.pull")(function* (ref: Repository.RepositoryRef, number: number) {
        const { circumstances, queue } = yield* snapshot(ref)
        const found = QueueStatus.pull(queue, number, circumstances)
        const { owner, repository: name } = ref
        return found ?? (yield* new PullRequestNotQueued({ owner, repository: name, number }))
      })

      const queuedBranches = (ref: Repository.RepositoryRef) =>
        repository(ref).pipe(Effect.andThen(store.queue(ref)), Effect.map(QueueStatus.branches))

      const branches = Effect.fn("Queues.branches")(function* (
        ref: Repository.RepositoryRef,
        request: BranchesRequest
      ) {
        yield* repository(ref)
        const now = yield* Clock.currentTimeMillis
        const window = TimeWindow.resolve({ start: request.startAt, end: request.endAt ?? now }, now)
        if (Result.isFailure(window)) {
          return yield* new Invalid({
            faults: window.failure.map(({ field, message }) => ({ _tag: "InvalidWindow", bound: field, message }))
          })
        }
        return yield* store.baseRefs(ref, window.success)
      })

      const record = Effect.fn("Queues.record")(function* (
        ref: Repository.RepositoryRef,
        events: ReadonlyArray<QueueEvent.QueueEvent>
      ) {
        const now = yield* Clock.currentTimeMillis
        const faults = events.flatMap((event, index) =>
          QueueEvent.isFarAhead(event, now) ? [{ _tag: "EventAhead" as const, index }] : []
        )
        if (faults.length > 0) return yield* new Invalid({ faults })
        return yield* store.append(ref, events, now)
      })

      const pauseOf = Effect.fn("Queues.pauseOf")(function* (ref: Repository.RepositoryRef) {
        yield* repository(ref)
        return QueuePause.view(Option.getOrNull(yield* store.pause(ref)))
      })

      const pause = Effect.fn("Queues.pause")(function* (ref: Repository.RepositoryRef, reason: string, by: string) {
        const action = { at: yield* Clock.currentTimeMillis, by }
        const earlier = Option.getOrNull(yield* store.pause(ref))
        yield* note({ before: earlier === null ? null : { reason: earlier.reason }, after: { reason } })
        const paused = yield* Effect.tap(store.setPause(ref, reason, action), ServiceMetrics.pause("paused"))
        yield* stillness(ref)
        return paused
      })

      /** Waits for what an engine had begun before the pause. */
      const stillness = (ref: Repository.RepositoryRef) =>
        Effect.all([engines.actingUntil(ref), Clock.currentTimeMillis]).pipe(
          Effect.repeat({ schedule: Schedule.spaced(lookAgain), while: ([until, now]) => until > now })
        )

      const unpause = Effect.fn("Queues.unpause")(function* (ref: Repository.RepositoryRef, by: string) {
        yield* repository(ref)
        const earlier = Option.getOrNull(yield* store.pause(ref))
        yield* note({ before: earlier === null ? null : { reason: earlier.reason } })
        if (!(yield* store.removePause(ref, { at: yield* Clock.currentTimeMillis, by }))) {
          return yield* new PauseNotFound({ owner: ref.owner, repository: ref.repository })
        }
        yield* ServiceMetrics.pause("unpaused")
      })

      return Queues.of({
        configuration,
        configure,
        queues,
        status,
        pull,
        queuedBranches,
        branches,
        record,
        pauseOf,
        pause,
        unpause
      })
    })
  )
}

/** The rules of a configuration file; none without a file. */
const rulesIn = (text: string | null) => (text === null ? Result.succeed([]) : QueueConfiguration.parse(text))

/** How often a pause looks whether the engines stand still, in milliseconds. */
const lookAgain = 50
