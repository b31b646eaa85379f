/** The first verdict on each failure, and what later runs show of it: kept in the background, so that no answer writes. */
import { FailureGate, FailurePolicy, FailurePrecision, FailureVerdict, Instant, Repository } from "@lazaret/domain"
import { type StoreError, TriageStore, VerdictStore } from "@lazaret/store"
import { Clock, Context, Effect, Layer, Option, Semaphore } from "effect"
import type { RepositoryNotFound, VerdictNotFound } from "../answer/ServiceError.ts"
import * as Rounds from "../background/Rounds.ts"
import { FieldPrecisions } from "./FieldPrecisions.ts"

/**
 * The pace of first verdicts, in milliseconds.
 *
 * **Details**
 *
 * - `pause`: the time for which reports of one commit are collected, because a run uploads from many jobs.
 * - `every`: the time between two rounds.
 */
export const FirstVerdictPace: Context.Reference<{ readonly pause: number; readonly every: number }> =
  Context.Reference<{ readonly pause: number; readonly every: number }>("@lazaret/services/FirstVerdictPace", {
    defaultValue: () => ({ pause: 3 * Instant.second, every: Instant.second })
  })

/** A commit of which a report was recorded; `hasFailed` is whether a test failed in it. */
export interface Arrival {
  readonly ref: Repository.RepositoryRef
  readonly commit: string
  readonly hasFailed: boolean
}

/**
 * Keeps the first verdict on each failure, and what came out of it.
 *
 * **Details**
 *
 * - After reports of a commit, its failures are judged as an answer would judge them, the outcomes of the verdicts on it are stored, and
 *   the excuses of the gate are suspended or resumed. Outcomes of a commit change with reports of the same commit alone.
 * - What waits is in the memory of the process that took the report. Verdicts that a stopped process has not kept are missing in the
 *   precision, and nowhere else.
 */
export class FirstVerdicts extends Context.Service<
  FirstVerdicts,
  {
    /** Notes that a report was recorded. Never fails, and does not wait. */
    readonly request: (arrival: Arrival) => Effect.Effect<void>
    /** Keeps the verdicts of the commits that are due, and yields how many these were. */
    readonly round: Effect.Effect<number>
    /** Marks a failure, whose verdict is kept first where it is still waiting. */
    readonly mark: (
      ref: Repository.RepositoryRef,
      execution: FailurePrecision.MarkedExecution,
      mark: Omit<FailurePrecision.Mark, "at">
    ) => Effect.Effect<FailurePrecision.MarkedVerdict, RepositoryNotFound | VerdictNotFound | StoreError>
  }
>()("@lazaret/services/FirstVerdicts") {
  /** The use cases over the storage ports. */
  static readonly layer = Layer.effect(
    FirstVerdicts,
    Effect.gen(function* () {
      const { pause } = yield* FirstVerdictPace
      const triage = yield* TriageStore
      const verdicts = yield* VerdictStore
      const precisions = yield* FieldPrecisions
      const waiting = new Map<string, Waiting>()
      const lock = yield* Semaphore.make(1)

      const request = Effect.fnUntraced(function* (arrival: Arrival) {
        const key = `${Repository.key(arrival.ref)}\0${arrival.commit}`
        const known = waiting.get(key)
        if (known === undefined && waiting.size >= mostWaiting) return
        const dueAt = known?.dueAt ?? (yield* Clock.currentTimeMillis) + pause
        waiting.set(key, { ...arrival, dueAt, hasFailed: arrival.hasFailed || known?.hasFailed === true })
      })

      const judge = Effect.fnUntraced(function* ({ commit, ref }: Arrival) {
        // Verdicts on forks do not count for the precision, so no head is asked for.
        const found = yield* triage.failures(ref, { _tag: "Commit", commit, heads: [] }, FailurePolicy.defaults)
        const facts = Option.match(found, { onNone: () => [], onSome: ({ failures }) => failures })
        if (facts.length === 0) return
        const offsets = yield* precisions.offsets(ref)
        const answers = FailureVerdict.judgeAll(facts, FailurePolicy.defaults, FailureGate.defaults, offsets)
        yield* precisions.note(
          ref,
          facts.flatMap((each, index) => {
            const verdict = answers[index]
            return verdict === undefined ? [] : [{ facts: each, verdict }]
          })
        )
      })

      const resolve = Effect.fnUntraced(function* ({ commit, ref }: Arrival) {
        const kept = yield* verdicts.ofCommit(ref, commit)
        if (kept.length === 0) return
        const reruns = yield* triage.reruns(ref, kept)
        yield* verdicts.resolve(
          ref,
          kept.map(({ executionId, testId }, index) => {
            const outcome = FailurePrecision.outcomeOf(reruns[index] ?? { passed: 0, failed: 0 })
            return { executionId, testId, outcome }
          })
        )
        yield* precisions.settle(ref)
      })

      const look = (arrival: Arrival) =>
        Effect.andThen(arrival.hasFailed ? judge(arrival) : Effect.void, resolve(arrival)).pipe(
          Effect.catchCause((cause) => Effect.logWarning("First verdicts were not kept", cause)),
          Effect.annotateLogs({ repository: Repository.key(arrival.ref), commit: arrival.commit })
        )

      /** Works on what waits and meets a condition; one at a time, so that the end of it is the end of all earlier work. */
      const work = (isWanted: (one: Waiting) => boolean) =>
        lock.withPermit(
          Effect.suspend(() => {
            const due = [...waiting].filter(([, one]) => isWanted(one))
            for (const [key] of due) waiting.delete(key)
            return Effect.as(
              Effect.forEach(due, ([, one]) => look(one), { discard: true }),
              due.length
            )
          })
        )

      const round = Effect.flatMap(Clock.currentTimeMillis, (now) => work(({ dueAt }) => dueAt <= now))

      const mark = Effect.fn("FirstVerdicts.mark")(function* (
        ref: Repository.RepositoryRef,
        execution: FailurePrecision.MarkedExecution,
        given: Omit<FailurePrecision.Mark, "at">
      ) {
        const wanted = Repository.key(ref)
        yield* work((one) => Repository.key(one.ref) === wanted)
        const marked = yield* precisions.mark(ref, execution, given)
        yield* precisions.settle(ref)
        return marked
      })

      return FirstVerdicts.of({ request, round, mark })
    })
  ).pipe(Layer.provide(FieldPrecisions.layer))

  /** Keeps verdicts in rounds. */
  static readonly layerRounds = Rounds.layer(FirstVerdicts, FirstVerdictPace, "First verdicts were not kept")
}

interface Waiting extends Arrival {
  readonly dueAt: Instant.Instant
}

/** More commits than this do not wait: a process that is so far behind keeps no sample of them. */
const mostWaiting = 10_000
